// Columns of text as codes. Most columns repeat a few short texts, so a small table in front of the dictionary
// remembers what 16 bytes stood for: one multiplication and one comparison a row.
//
//   views     the row's own 16 bytes, where they hold all of the text; of a longer one they say where it lies, and are
//             remembered too as long as rows come from a dictionary and say the same place again
//   longer    its length, the first 12 bytes and the last 8: all of a text of up to 20, of a longer one after which the
//             whole is compared with what they stood for
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

struct Sixteen {
    std::uint64_t low, high;
    bool operator==(const Sixteen&) const = default;
};

Sixteen sixteen(const void* data) { return {load<std::uint64_t>(data, 0), load<std::uint64_t>(data, 1)}; }

// One place for every key. Where two that come often share one, they drive each other out: then the keys are spread by
// another multiplier, and after some of those over more places.
class Memo final {
  public:
    struct alignas(32) Place {
        Sixteen key = {0, 0};
        std::int32_t code = empty;
    };
    static constexpr std::int32_t empty = -3;

    const Place& of(const Sixteen& key) const { return places_[at(key)]; }
    bool has(const Sixteen& key) const { return of(key).key == key && of(key).code != empty; }
    void put(const Sixteen& key, std::int32_t code) {
        Place& place = places_[at(key)];
        driven_out_ += place.code != empty;
        place = {key, code};
        if (driven_out_ > many && tried_ < most_tries) spread();
    }

  private:
    static constexpr int first_bits = 10;
    static constexpr unsigned many = 256, multipliers = 4, most_tries = 3 * multipliers - 1;  // over up to 2^14 places

    std::size_t at(const Sixteen& key) const { return ((key.low ^ std::rotl(key.high, 23)) * multiplier_) >> (64 - bits_); }
    void spread() {
        driven_out_ = 0;
        multiplier_ = multiplier_ * 0x2545f4914f6cdd1du + 2;  // and is odd again
        if (++tried_ % multipliers == 0) bits_ += 2;
        places_.assign(std::size_t{1} << bits_, {});
    }

    int bits_ = first_bits;
    std::uint64_t multiplier_ = 0x9e3779b97f4a7c15u;
    unsigned driven_out_ = 0, tried_ = 0;
    std::vector<Place> places_ = std::vector<Place>(std::size_t{1} << first_bits);
};

class LongMemo final {
  public:
    struct Key {
        std::uint64_t start, middle, end;
        bool operator==(const Key&) const = default;
    };
    struct Place {
        Key key = {0, 0, 0};
        std::int32_t code = Memo::empty;
    };
    static constexpr std::size_t all_in_key = 20;

    // Of a text of more than 12 bytes, from its bytes: what a view says of the first ones need not be so.
    static Key key_of(std::string_view text) {
        return {load<std::uint32_t>(text.data(), 0) | std::uint64_t{text.size()} << 32, load<std::uint64_t>(text.data() + 4, 0),
                load<std::uint64_t>(text.data() + text.size() - 8, 0)};
    }
    Place& of(const Key& key) {
        return places_[((key.start ^ (key.middle * 0xff51afd7ed558ccdu) ^ (key.end * 0xc4ceb9fe1a85ec53u)) * 0x9e3779b97f4a7c15u) >> (64 - bits)];
    }

  private:
    static constexpr int bits = 8;
    Place places_[std::size_t{1} << bits];
};

struct Coder {
    Dictionary& dictionary;
    bool grow;
    Memo views = {}, texts = {};  // the same 16 bytes may mean one thing here and another there
    LongMemo long_ones = {};
    unsigned elsewhere = 0;  // rows that said a place for a longer text that was not remembered

    // Whether longer texts lie at ever new places: to remember those would only drive out the others.
    bool scattered() const { return elsewhere >= 4096; }

    // The codes of 8 views where all of them are remembered; else false, and what was written means nothing. Which rows are
    // missing cannot be foreseen, nor which are long, so nothing is decided before all 8 have been looked up.
    bool remembered(const std::byte* view, unsigned valid, std::int32_t* codes) {
        static_assert(missing_code == -1 && Memo::empty < 0);
        return valid == 0xff ? remembered(view, codes, [](unsigned) { return -1; })
                             : remembered(view, codes, [valid](unsigned i) { return -static_cast<std::int32_t>((valid >> i) & 1); });
    }
    static constexpr unsigned at_once = 8;

    // The text of a view in a column whose longer texts are not scattered.
    std::int32_t view(const Sixteen& key, std::string_view text) {
        if (views.has(key)) return views.of(key).code;
        const bool is_long = text.size() > ViewTexts::inline_bytes;
        elsewhere += is_long;
        const std::int32_t code = is_long ? long_text(text) : dictionary.code(text, grow);
        views.put(key, code);
        return code;
    }
    // The same in any column.
    std::int32_t scattered_view(const Sixteen& key, std::string_view text) {
        return text.size() > ViewTexts::inline_bytes ? long_text(text) : view(key, text);
    }
    // `readable`: 16 bytes may be read from the start of the text.
    std::int32_t text(std::string_view text, bool readable) {
        if (text.size() > longest_short) return dictionary.code(text, grow);
        const Sixteen key = packed(text, readable);
        if (texts.has(key)) return texts.of(key).code;
        const std::int32_t code = dictionary.code(text, grow);
        texts.put(key, code);
        return code;
    }

  private:
    // `there` has all bits where a row is not missing, and else none.
    template <class There>
    bool remembered(const std::byte* view, std::int32_t* codes, There&& there) {
        std::uint64_t wrong = 0;
        std::int32_t all = 0;
        for (unsigned i = 0; i < at_once; ++i, view += 16) {
            const Sixteen key = sixteen(view);
            const Memo::Place& place = views.of(key);
            const std::int32_t mask = there(i);
            wrong |= ((place.key.low ^ key.low) | (place.key.high ^ key.high)) & static_cast<std::uint64_t>(std::int64_t{mask});
            all |= place.code & mask;
            codes[i] = place.code | ~mask;
        }
        return wrong == 0 && all >= 0;
    }
    // A text of more than 12 bytes.
    std::int32_t long_text(std::string_view text) {
        const LongMemo::Key key = LongMemo::key_of(text);
        LongMemo::Place& place = long_ones.of(key);
        const bool known = place.key == key && place.code != Memo::empty;
        if (known && text.size() <= LongMemo::all_in_key) return place.code;
        if (known && place.code >= 0 && dictionary.label(static_cast<std::size_t>(place.code)) == text) return place.code;
        place = {key, dictionary.code(text, grow)};
        return place.code;
    }
    static Sixteen packed(std::string_view text, bool readable) {
        if (std::endian::native == std::endian::little && readable) {
            const auto bits = static_cast<unsigned>(text.size() * 8);
            Sixteen key = sixteen(text.data());
            const std::uint64_t all = ~std::uint64_t{0};
            key.low &= bits >= 64 ? all : ~(all << bits);
            key.high &= bits >= 64 ? ~(all << (bits - 64)) : 0;
            key.high |= std::uint64_t{text.size()} << 56;
            return key;
        }
        char bytes[16] = {};
        std::copy(text.begin(), text.end(), bytes);
        bytes[15] = static_cast<char>(text.size());
        return sixteen(bytes);
    }
};

template <class Offset>
void encode_part(const OffsetTexts<Offset>& texts, Coder& coder, std::int32_t* codes, std::size_t begin, std::size_t end) {
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
            codes[row] = texts.valid(row) ? code(sixteen(texts.views + row * 16), texts.at(row)) : missing_code;
    };
    const auto valid_eight = [&valid = texts.valid](std::size_t row) -> unsigned {
        return valid.bits == nullptr ? 0xff : eight_bits(valid.bits, valid.offset, row, row + 8);
    };
    std::size_t row = begin;
    for (std::size_t next = 0; row < end && !coder.scattered(); row = next) {
        next = std::min(end, row + Coder::at_once);
        const bool whole = next - row == Coder::at_once;
        if (!whole || !coder.remembered(texts.views + row * 16, valid_eight(row), codes + row))
            each(row, next, [&](const Sixteen& key, std::string_view text) { return coder.view(key, text); });
    }
    each(row, end, [&](const Sixteen& key, std::string_view text) { return coder.scattered_view(key, text); });
}

// Writes one character at `to` and returns the place behind it.
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
    std::vector<char> bytes(texts.width * 4 + 16);  // 16 may be read from any text in it
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
void encode_all(const Texts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    Attempt attempt(dictionary);
    Coder coder{dictionary, grow};
    for (std::size_t begin = 0; begin < texts.rows; begin += rows_between_interrupts) {
        if (begin > 0 && interrupt && interrupt()) throw Interrupted{};
        encode_part(texts, coder, codes, begin, std::min(texts.rows, begin + rows_between_interrupts));
    }
    attempt.keep();
}

}  // namespace

void encode(const OffsetTexts<std::int32_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const OffsetTexts<std::int64_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const ViewTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}
void encode(const WideTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    encode_all(texts, dictionary, grow, codes, interrupt);
}

void refuse_character(const std::string& where, std::uint32_t character) {
    if (character > 0x10ffff)
        throw std::invalid_argument(where + " holds the number " + std::to_string(character) + ", which is no Unicode character. Make the array of str again.");
    std::string number;
    for (int shift = 12; shift >= 0; shift -= 4) number.push_back("0123456789ABCDEF"[(character >> shift) & 15]);
    throw std::invalid_argument(where + " holds the lone surrogate U+" + number +
                                ", which UTF-8 cannot spell. Replace it: text.encode('utf-8', 'replace').decode('utf-8').");
}

}  // namespace suffice
