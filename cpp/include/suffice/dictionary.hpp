// A set of byte strings, each numbered 0, 1, 2, … in order of first appearance.
//
// The texts are stored end to end in one arena, so a text costs its bytes, 16 more, and two to four 8-byte slots of an
// open-addressing hash table. The hash is keyed by random numbers drawn once per process, so a caller cannot choose
// texts that collide. Only the running time depends on the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/hash_slots.hpp"
#include "suffice/parallel.hpp"
#include "suffice/text_hash.hpp"
#include "suffice/texts.hpp"

namespace suffice {

inline constexpr std::int32_t missing_code = -1, unseen_code = -2;

class Dictionary final {
  public:
    static constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();

    explicit Dictionary(std::size_t limit = most);

    // The code of a text. An unknown text gets the next number when the dictionary may grow, and unseen_code otherwise.
    // Any number of threads may look up texts concurrently as long as none of them lets the dictionary grow.
    std::int32_t code(std::string_view text, bool grow) { return grow ? add(text) : find(text); }
    std::int32_t find(std::string_view text) const { return find(text, hash(text)); }
    std::int32_t add(std::string_view text) { return add(text, hash(text)); }  // std::length_error when full

    // The same with the hash computed beforehand, so that the slot can be prefetched.
    std::uint64_t hash(std::string_view text) const { return hash_(text); }
    void prefetch(std::uint64_t hash) const { slots_.prefetch(hash); }
    std::int32_t find(std::string_view text, std::uint64_t hash) const {
        const TaggedSlot& slot = slots_[slot_of(text, hash)];
        return slot.taken() ? static_cast<std::int32_t>(slot.place) : unseen_code;
    }
    std::int32_t add(std::string_view text, std::uint64_t hash) {
        const TaggedSlot& slot = slots_[slot_of(text, hash)];
        return slot.taken() ? static_cast<std::int32_t>(slot.place) : add_new(text, hash);
    }

    std::size_t size() const { return entries_.size(); }
    std::string_view label(std::size_t code) const {
        const std::size_t start = code == 0 ? 0 : entries_[code - 1].end;
        return {bytes_.data() + start, entries_[code].end - start};
    }

    // Removes the texts numbered `size` and above, as if they had never been added.
    void truncate(std::size_t size) noexcept;

  private:
    struct Entry {
        std::uint64_t hash;
        std::size_t end;  // in bytes_
    };

    // The slot of the text, or the free slot where it would be inserted.
    std::size_t slot_of(std::string_view text, std::uint64_t hash) const {
        const std::uint32_t tag = TaggedSlot::tag_of(hash);
        return slots_.find(hash, [&](const TaggedSlot& slot) { return slot.tag == tag && label(slot.place) == text; });
    }
    std::int32_t add_new(std::string_view text, std::uint64_t hash);

    std::size_t limit_;
    TextHash hash_ = TextHash::drawn();
    HashSlots<TaggedSlot> slots_{16};
    std::vector<Entry> entries_;
    std::vector<char> bytes_;
};

// Codes for whole columns: a code from 0, missing_code, or unseen_code (only when the dictionary may not grow). Either
// all rows are coded, or an exception leaves the dictionary unchanged.
void encode(const OffsetTexts<std::int32_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt);
void encode(const OffsetTexts<std::int64_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes,
            const Interrupt& interrupt);
void encode(const ViewTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);

// Fixed-width UTF-32, each text padded with NUL (NumPy's str arrays). A lone surrogate throws std::invalid_argument.
struct WideTexts {
    const std::byte* data = nullptr;
    std::size_t rows = 0, width = 0;  // width in characters
    std::ptrdiff_t stride = 0;        // in bytes
    bool swapped = false;             // in the other byte order
};
void encode(const WideTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);
// Throws std::invalid_argument for a number that UTF-8 cannot encode; `where` is for example "row 3".
[[noreturn]] void refuse_character(const std::string& where, std::uint32_t character);

// Rolls back additions to a dictionary unless they are kept.
class Attempt final {
  public:
    explicit Attempt(Dictionary& dictionary) : dictionary_(dictionary), before_(dictionary.size()) {}
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
        if (!kept_) dictionary_.truncate(before_);
    }
    void keep() { kept_ = true; }

  private:
    Dictionary& dictionary_;
    std::size_t before_;
    bool kept_ = false;
};

}  // namespace suffice
