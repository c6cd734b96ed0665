#include "suffice/tokenizer.hpp"

#include <algorithm>

namespace suffice {

void TokenBytes::grow(std::size_t more) {
    constexpr std::size_t most = UINT32_MAX;
    if (more > most - size_)
        throw std::length_error("a document, and what its tokens take, must be less than 4 GiB. Cut it into several documents.");
    const std::size_t room = std::min(most, std::max({size_ + more, room_ * 2, std::size_t{4096}}));
    auto wider = std::make_unique_for_overwrite<char[]>(room + beyond);
    std::memset(wider.get() + room, 0, beyond);
    if (size_ != 0) std::memcpy(wider.get(), bytes_.get(), size_);
    bytes_ = std::move(wider);
    room_ = room;
}

Tokenizer::Tokenizer(TokenizerOptions options)
    : options_(std::move(options)), characters_(&unicode::Characters::known()), own_characters_(!options_.characters.empty()) {
    constexpr std::uint32_t longest_ngram = 64;
    if (options_.least_ngram < 1 || options_.least_ngram > options_.most_ngram || options_.most_ngram > longest_ngram)
        throw std::invalid_argument("n-grams must be of 1 to 64: got " + std::to_string(options_.least_ngram) + " to " +
                                    std::to_string(options_.most_ngram) + ".");
    std::ranges::sort(options_.characters);
    for (char32_t c = 0; c < 128; ++c)
        ascii_word_[c] = own_characters_ ? in_set(c) : (characters_->flags(c) & unicode::word) != 0;
    for (const std::string& word : options_.stop_words) stop_words_.add(word);
}

bool Tokenizer::in_set(char32_t c) const { return std::ranges::binary_search(options_.characters, c); }

}  // namespace suffice
