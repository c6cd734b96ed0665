#include "suffice/tokenizer.hpp"

#include <algorithm>

namespace suffice {

void TokenBytes::grow(std::size_t more) {
    constexpr std::size_t most = UINT32_MAX;
    if (more > most - size_)
        throw std::length_error(
            "a document and its tokens must take less than 4 GiB. Split it into several documents.");
    const std::size_t room = std::min(most, std::max({size_ + more, room_ * 2, std::size_t{4096}}));
    auto wider = std::make_unique_for_overwrite<char[]>(room + beyond);
    std::memset(wider.get() + room, 0, beyond);
    if (size_ != 0) std::memcpy(wider.get(), bytes_.get(), size_);
    bytes_ = std::move(wider);
    room_ = room;
}

Tokenizer::Tokenizer(TokenizerOptions options)
    : options_(std::move(options)), characters_(&unicode::Characters::known()),
      own_characters_(!options_.characters.empty()) {
    constexpr std::uint32_t longest_ngram = 64;
    if (options_.least_ngram < 1 || options_.least_ngram > options_.most_ngram || options_.most_ngram > longest_ngram)
        throw std::invalid_argument("n-gram lengths must be from 1 to 64: got " + std::to_string(options_.least_ngram) +
                                    " to " + std::to_string(options_.most_ngram) + ".");
    for (const std::u32string& group : options_.characters) {
        if (group.empty() || (group.size() > 1 && options_.unit == TokenizerOptions::Unit::words))
            throw std::invalid_argument("a group must have at least one character, and for words only one.");
        set_.insert(set_.end(), group.begin(), group.end());
        if (group.size() == 1) continue;
        for (const char32_t c : group) grouped_.emplace_back(c, static_cast<std::uint32_t>(symbols_.size()));
        std::string& symbol = symbols_.emplace_back();
        for (const char32_t c : group) unicode::append(symbol, c);
    }
    std::ranges::sort(set_);
    std::ranges::sort(grouped_);
    if (!grouped_.empty() && std::ranges::adjacent_find(set_) != set_.end())
        throw std::invalid_argument("a character must not be in two groups.");
    for (char32_t c = 0; c < 128; ++c)
        ascii_word_[c] = own_characters_ ? in_set(c) : (characters_->flags(c) & unicode::word) != 0;
    for (const std::string& word : options_.stop_words) stop_words_.add(word);
}

bool Tokenizer::in_set(char32_t c) const { return std::ranges::binary_search(set_, c); }

std::string_view Tokenizer::symbol_of(char32_t c) const {
    const auto at = std::ranges::lower_bound(grouped_, c, {}, &std::pair<char32_t, std::uint32_t>::first);
    return at == grouped_.end() || at->first != c ? std::string_view() : symbols_[at->second];
}

}  // namespace suffice
