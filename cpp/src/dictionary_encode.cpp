// Text columns as codes. Most columns repeat a few short texts, so a small cache in front of the dictionary maps
// 16-byte keys to codes: one multiplication and one comparison per row.
//
//   views     the row's own 16 bytes, if they hold the whole text; for a longer text they hold its location, which is
//             cached too as long as the rows come from a dictionary and repeat the same locations
//   longer    the length, the first 12 bytes and the last 8: the whole of a text of up to 20 bytes; a longer one is
//             then compared in full with the cached text
//   the rest  up to 15 bytes of text, NULs, and the length in the last byte
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "suffice/bitmap.hpp"
#include "suffice/dictionary.hpp"

namespace suffice {
namespace {

constexpr std::size_t rows_between_interrupts = std::size_t{1} << 18;
constexpr std::size_t longest_short = 15;

struct Key16 {
    std::uint64_t low, high;
    bool operator==(const Key16&) const = default;
};

Key16 key16(const void* data) { return {load<std::uint64_t>(data, 0), load<std::uint64_t>(data, 1)}; }

// A direct-mapped cache. When frequent keys evict each other too often, the keys are redistributed by another
// multiplier, and after several multipliers over more entries.
class Cache final {
  public:
    struct alignas(32) Entry {
        Key16 key = {0, 0};
        std::int32_t code = empty;
    };
    static constexpr std::int32_t empty = -3;

    const Entry& of(const Key16& key) const { return entries_[at(key)]; }
    bool has(const Key16& key) const { return of(key).key == key && of(key).code != empty; }
    void put(const Key16& key, std::int32_t code) {
        Entry& entry = entries_[at(key)];
        evictions_ += entry.code != empty;
        entry = {key, code};
        if (evictions_ > many && spreads_ < most_spreads) spread();
    }

  private:
    static constexpr int first_bits = 10;
    static constexpr unsigned many = 256, multipliers = 4, most_spreads = 3 * multipliers - 1;  // up to 2^14 entries

    std::size_t at(const Key16& key) const {
        return ((key.low ^ std::rotl(key.high, 23)) * multiplier_) >> (64 - bits_);
    }
    void spread() {
        evictions_ = 0;
        multiplier_ = multiplier_ * 0x2545f4914f6cdd1du + 2;  // stays odd
        if (++spreads_ % multipliers == 0) bits_ += 2;
        entries_.assign(std::size_t{1} << bits_, {});
    }

    int bits_ = first_bits;
    std::uint64_t multiplier_ = 0x9e3779b97f4a7c15u;
    unsigned evictions_ = 0, spreads_ = 0;
    std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << first_bits);
};

class LongCache final {
  public:
    struct Key {
        std::uint64_t start, middle, end;
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key = {0, 0, 0};
        std::int32_t code = Cache::empty;
    };
    static constexpr std::size_t all_in_key = 20;

    // The key of a text of more than 12 bytes, from its own bytes: the prefix in a view may be wrong.
    static Key key_of(std::string_view text) {
        return {load<std::uint32_t>(text.data(), 0) | std::uint64_t{text.size()} << 32,
                load<std::uint64_t>(text.data() + 4, 0), load<std::uint64_t>(text.data() + text.size() - 8, 0)};
    }
    Entry& of(const Key& key) {
        return entries_[((key.start ^ (key.middle * 0xff51afd7ed558ccdu) ^ (key.end * 0xc4ceb9fe1a85ec53u)) *
                         0x9e3779b97f4a7c15u) >>
                        (64 - bits)];
    }

  private:
    static constexpr int bits = 8;
    Entry entries_[std::size_t{1} << bits];
};

struct Coder {
    Dictionary& dictionary;
    bool grow;
    Cache views = {}, texts = {};  // separate, because the same 16 bytes may mean different texts
    LongCache long_ones = {};
    unsigned uncached = 0;  // rows whose longer text was at a location that was not cached

    // Whether longer texts keep appearing at new locations: caching those would only evict other keys.
    bool scattered() const { return uncached >= 4096; }

    // The codes of 8 views if all of them are cached; otherwise returns false, and the written codes are meaningless.
    // Missing rows and long texts are unpredictable, so there is no branch before all 8 have been looked up.
    bool cached_codes(const std::byte* view, unsigned valid, std::int32_t* codes) {
        static_assert(missing_code == -1 && Cache::empty < 0);
        return valid == 0xff ? cached_codes(view, codes, [](unsigned) { return -1; })
                             : cached_codes(view, codes, [valid](unsigned i) {
                                   return -static_cast<std::int32_t>((valid >> i) & 1);
                               });
    }
    static constexpr unsigned at_once = 8;

    // The code of a view in a column whose longer texts are not scattered.
    std::int32_t view(const Key16& key, std::string_view text) {
        if (views.has(key)) return views.of(key).code;
        const bool is_long = text.size() > ViewTexts::inline_bytes;
        uncached += is_long;
        const std::int32_t code = is_long ? long_text(text) : dictionary.code(text, grow);
        views.put(key, code);
        return code;
    }
    // The same for any column.
    std::int32_t scattered_view(const Key16& key, std::string_view text) {
        return text.size() > ViewTexts::inline_bytes ? long_text(text) : view(key, text);
    }
    // `readable`: 16 bytes may be read from the start of the text.
    std::int32_t text(std::string_view text, bool readable) {
        if (text.size() > longest_short) return dictionary.code(text, grow);
        const Key16 key = packed(text, readable);
        if (texts.has(key)) return texts.of(key).code;
        const std::int32_t code = dictionary.code(text, grow);
        texts.put(key, code);
        return code;
    }

  private:
    // `present(i)` has all bits set if row i is not missing, and none otherwise.
    template <class Present>
    bool cached_codes(const std::byte* view, std::int32_t* codes, Present&& present) {
        std::uint64_t wrong = 0;
        std::int32_t all = 0;
        for (unsigned i = 0; i < at_once; ++i, view += 16) {
            const Key16 key = key16(view);
            const Cache::Entry& entry = views.of(key);
            const std::int32_t mask = present(i);
            wrong |= ((entry.key.low ^ key.low) | (entry.key.high ^ key.high)) &
                     static_cast<std::uint64_t>(std::int64_t{mask});
            all |= entry.code & mask;
            codes[i] = entry.code | ~mask;
        }
        return wrong == 0 && all >= 0;
    }
    // The code of a text of more than 12 bytes.
    std::int32_t long_text(std::string_view text) {
        const LongCache::Key key = LongCache::key_of(text);
        LongCache::Entry& entry = long_ones.of(key);
        const bool known = entry.key == key && entry.code != Cache::empty;
        if (known && text.size() <= LongCache::all_in_key) return entry.code;
        if (known && entry.code >= 0 && dictionary.label(static_cast<std::size_t>(entry.code)) == text)
            return entry.code;
        entry = {key, dictionary.code(text, grow)};
        return entry.code;
    }
    static Key16 packed(std::string_view text, bool readable) {
        if (std::endian::native == std::endian::little && readable) {
            const auto bits = static_cast<unsigned>(text.size() * 8);
            Key16 key = key16(text.data());
            const std::uint64_t all = ~std::uint64_t{0};
            key.low &= bits >= 64 ? all : ~(all << bits);
            key.high &= bits >= 64 ? ~(all << (bits - 64)) : 0;
            key.high |= std::uint64_t{text.size()} << 56;
            return key;
        }
        char bytes[16] = {};
        std::copy(text.begin(), text.end(), bytes);
        bytes[15] = static_cast<char>(text.size());
        return key16(bytes);
    }
};

template <class Offset>
void encode_part(const OffsetTexts<Offset>& texts, Coder& coder, std::int32_t* codes, std::size_t begin,
                 std::size_t end) {
    const Offset whole = texts.whole();
    Offset last = load<Offset>(texts.offsets, begin);
    for (std::size_t row = begin; row < end; ++row) {
        const Offset first = last;
        last = load<Offset>(texts.offsets, row + 1);
        const std::string_view text = texts.between(row, first, last, whole);
        codes[row] = texts.valid(row) ? coder.text(text, !text.empty() && first <= whole - 16) : missing_code;
    }
}

void encode_part(const ViewTexts& texts, Coder& coder, std::int32_t* codes, std::size_t begin, std::size_t end) {
    const auto each = [&](std::size_t from, std::size_t to, auto&& code) {
        for (std::size_t row = from; row < to; ++row)
            codes[row] = texts.valid(row) ? code(key16(texts.views + row * 16), texts.at(row)) : missing_code;
    };
    const auto valid_eight = [&valid = texts.valid](std::size_t row) -> unsigned {
        return valid.bits == nullptr ? 0xff : eight_bits(valid.bits, valid.offset, row, row + 8);
    };
    std::size_t row = begin;
    for (std::size_t next = 0; row < end && !coder.scattered(); row = next) {
        next = std::min(end, row + Coder::at_once);
        const bool whole = next - row == Coder::at_once;
        if (!whole || !coder.cached_codes(texts.views + row * 16, valid_eight(row), codes + row))
            each(row, next, [&](const Key16& key, std::string_view text) { return coder.view(key, text); });
    }
    each(row, end, [&](const Key16& key, std::string_view text) { return coder.scattered_view(key, text); });
}

// Writes one character at `to` and returns the position after it.
char* put_utf8(char* to, std::size_t row, std::uint32_t character) {
    const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
    const auto rest = [&](unsigned shift) { put(0x80 | ((character >> shift) & 0x3f)); };
    if (character < 0x80) {
        put(character);
    } else if (character < 0x800) {
        put(0xc0 | (character >> 6)), rest(0);
    } else if (character < 0x10000) {
        if (character >= 0xd800 && character < 0xe000) refuse_character("row " + std::to_string(row), character);
        put(0xe0 | (character >> 12)), rest(6), rest(0);
    } else {
        if (character > 0x10ffff) refuse_character("row " + std::to_string(row), character);
        put(0xf0 | (character >> 18)), rest(12), rest(6), rest(0);
    }
    return to;
}

void encode_part(const WideTexts& texts, Coder& coder, std::int32_t* codes, std::size_t begin, std::size_t end) {
    std::vector<char> bytes(texts.width * 4 + 16);  // 16 bytes must be readable from the start of any text in it
    for (std::size_t row = begin; row < end; ++row) {
        const std::byte* cell = texts.data + static_cast<std::ptrdiff_t>(row) * texts.stride;
        std::size_t width = texts.width;
        while (width > 0 && load<std::uint32_t>(cell, width - 1) == 0) --width;
        char* to = bytes.data();
        for (std::size_t i = 0; i < width; ++i) {
            const auto character = load<std::uint32_t>(cell, i);
            to = put_utf8(to, row, texts.swapped ? __builtin_bswap32(character) : character);
        }
        codes[row] = coder.text({bytes.data(), static_cast<std::size_t>(to - bytes.data())}, true);
    }
}

template <class Texts>
void encode_all(const Texts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
                const Interrupt& interrupt) {
    Attempt attempt(dictionary);
    Coder coder{dictionary, grow};
    for (std::size_t begin = 0; begin < texts.rows; begin += rows_between_interrupts) {
        if (begin > 0 && interrupt && interrupt()) throw Interrupted{};
        encode_part(texts, coder, codes, begin, std::min(texts.rows, begin + rows_between_interrupts));
    }
    attempt.keep();
}

}  // namespace

void encode(const OffsetTexts<std::int32_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const OffsetTexts<std::int64_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const ViewTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const WideTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}

void refuse_character(const std::string& where, std::uint32_t character) {
    if (character > 0x10ffff)
        throw std::invalid_argument(where + " holds the number " + std::to_string(character) +
                                    ", which is not a Unicode character. Recreate the str array.");
    std::string number;
    for (int shift = 12; shift >= 0; shift -= 4) number.push_back("0123456789ABCDEF"[(character >> shift) & 15]);
    throw std::invalid_argument(
        where + " holds the lone surrogate U+" + number +
        ", which UTF-8 cannot encode. Replace it: text.encode('utf-8', 'replace').decode('utf-8').");
}

}  // namespace suffice
