// A set of byte strings, each with the number of its first appearance: 0, 1, 2, …
//
// The texts lie end to end in one arena, so a text costs its bytes, 16 more, and two to four slots of 8 in an open
// hash table. The hash is keyed by numbers drawn once a process: which texts collide is not for a caller to choose,
// and nothing but time depends on it.
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

    // The code of a text. An unknown one gets the next number when the dictionary may grow, else unseen_code.
    // Many threads may ask at once as long as none lets it grow.
    std::int32_t code(std::string_view text, bool grow) { return grow ? add(text) : find(text); }
    std::int32_t find(std::string_view text) const { return find(text, hash(text)); }
    std::int32_t add(std::string_view text) { return add(text, hash(text)); }  // std::length_error when full

    // The same for whoever knows the hash, and asks for the slot some time before.
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

    // Forgets the texts numbered `size` and above, as if they had never been added.
    void truncate(std::size_t size) noexcept;

  private:
    struct Entry {
        std::uint64_t hash;
        std::size_t end;  // in bytes_
    };

    // Where the text is, or would go.
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

// Codes for whole columns: a code from 0, missing_code, or unseen_code (only when the dictionary may not grow).
// Either all rows are coded, or an exception leaves the dictionary as it was.
void encode(const OffsetTexts<std::int32_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);
void encode(const OffsetTexts<std::int64_t>& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);
void encode(const ViewTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);

// Fixed-width UTF-32, each text padded with NUL (NumPy's str arrays). A lone surrogate is std::invalid_argument.
struct WideTexts {
    const std::byte* data = nullptr;
    std::size_t rows = 0, width = 0;  // width in characters
    std::ptrdiff_t stride = 0;        // in bytes
    bool swapped = false;             // of the other byte order
};
void encode(const WideTexts& texts, Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt);
// std::invalid_argument for a number that UTF-8 has no bytes for; `where` is "row 3".
[[noreturn]] void refuse_character(const std::string& where, std::uint32_t character);

// Takes back what was added unless it is kept.
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
