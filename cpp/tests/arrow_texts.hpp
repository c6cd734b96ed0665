// Texts in Arrow layout, in blocks of exactly their size, so that the sanitizer detects any read past the end.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "suffice/texts.hpp"

namespace arrow_texts {

using Rows = std::vector<std::optional<std::string>>;

inline std::unique_ptr<char[]> exactly(const void* from, std::size_t bytes) {
    auto block = std::make_unique<char[]>(bytes);
    if (bytes > 0) std::memcpy(block.get(), from, bytes);
    return block;
}

struct Bits {
    std::unique_ptr<char[]> block;
    suffice::Validity validity;

    Bits(const Rows& rows, std::size_t offset) {
        std::vector<std::uint8_t> bytes((rows.size() + offset + 7) / 8, 0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i])
                bytes[(offset + i) / 8] =
                    static_cast<std::uint8_t>(bytes[(offset + i) / 8] | (1u << ((offset + i) % 8)));
        block = exactly(bytes.data(), bytes.size());
        validity = {reinterpret_cast<const std::uint8_t*>(block.get()), offset};
    }
};

template <class Offset>
struct Offsets {
    Bits bits;
    std::unique_ptr<char[]> offsets, bytes;
    suffice::OffsetTexts<Offset> texts;

    Offsets(const Rows& rows, std::size_t bit) : bits(rows, bit) {
        std::string all;
        std::vector<Offset> ends{0};
        for (const auto& row : rows) {
            all += row.value_or("");
            ends.push_back(static_cast<Offset>(all.size()));
        }
        offsets = exactly(ends.data(), ends.size() * sizeof(Offset));
        bytes = exactly(all.data(), all.size());
        texts = {offsets.get(), bytes.get(), rows.size(), bits.validity};
    }
};

// Long texts go into buffers of at most 100 bytes each; a missing row holds arbitrary bytes.
struct Views {
    Bits bits;
    std::vector<std::unique_ptr<char[]>> owned;
    std::vector<const void*> buffers;
    std::vector<std::int64_t> sizes;
    std::unique_ptr<char[]> views;
    suffice::ViewTexts texts;

    Views(const Rows& rows, std::size_t bit, char padding = 0) : bits(rows, bit) {
        std::vector<std::string> parts;
        std::string all(rows.size() * 16, padding);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            char* view = all.data() + i * 16;
            if (!rows[i]) {
                std::memset(view, 0xa5, 16);
                continue;
            }
            const std::string& text = *rows[i];
            put(view, static_cast<std::int32_t>(text.size()));
            if (text.size() <= 12) {
                std::memcpy(view + 4, text.data(), text.size());
                continue;
            }
            if (parts.empty() || parts.back().size() + text.size() > 100) parts.emplace_back();
            std::memcpy(view + 4, text.data(), 4);
            put(view + 8, static_cast<std::int32_t>(parts.size() - 1));
            put(view + 12, static_cast<std::int32_t>(parts.back().size()));
            parts.back() += text;
        }
        for (const std::string& part : parts) {
            owned.push_back(exactly(part.data(), part.size()));
            buffers.push_back(owned.back().get());
            sizes.push_back(static_cast<std::int64_t>(part.size()));
        }
        views = exactly(all.data(), all.size());
        texts = {reinterpret_cast<const std::byte*>(views.get()), buffers, sizes.data(), rows.size(), bits.validity};
    }
    static void put(char* at, std::int32_t number) { std::memcpy(at, &number, 4); }
};

// Mostly short and repeated texts, some long, some empty, some with an embedded NUL, some missing.
inline Rows random_rows(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    Rows rows;
    for (std::size_t i = 0; i < count; ++i) {
        if (random() % 7 == 0) {
            rows.emplace_back();
            continue;
        }
        const std::size_t length = random() % 5 == 0 ? random() % 60 : random() % 4;
        std::string text;
        for (std::size_t k = 0; k < length; ++k) text.push_back("ab\0z"[random() % (length < 4 ? 4 : 2)]);
        rows.emplace_back(std::move(text));
    }
    return rows;
}

}  // namespace arrow_texts
