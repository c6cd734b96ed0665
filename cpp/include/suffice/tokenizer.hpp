// Splits documents into tokens, from UTF-8 bytes to bytes, without a string per token.
//
//   words            maximal runs of Python's \w (or of a given set of characters), within length limits in
//                    characters and without stop words; n-grams are consecutive words joined by one space
//   chars            n-grams of the characters of the text, with runs of white space replaced by one space
//   chars_in_words   n-grams of the characters between white space, padded with a space on either side; a padded
//                    word shorter than n counts once, whole
//
// Before that, letters are lower-cased and accents removed, as requested. With a set of characters, chars are taken
// from its runs, and every other character separates words. The set consists of groups: every character of a group is
// the same symbol, spelled as the whole group, so that '{' and '}' of the group "{}" are counted as "{}". A space that
// stands for a run of white space is the symbol of its group if it has one; the padding of words is always a space.
//
// Tokens are passed to `sink(start, length)` as positions in the scratch buffer, which are valid until it is cleared.
// For n-grams of words, the words are stored consecutively with a space between, so that an n-gram is a contiguous
// range; single words may have arbitrary bytes of the text between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/dictionary.hpp"
#include "suffice/unicode.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace suffice {

struct TokenizerOptions {
    enum class Unit { words, chars, chars_in_words };

    Unit unit = Unit::words;
    std::uint32_t least_ngram = 1, most_ngram = 1;             // 1 ≤ least ≤ most ≤ 64
    std::uint32_t least_length = 2, most_length = UINT32_MAX;  // of words, in characters
    bool lowercase = true, strip_accents = false;
    std::vector<std::u32string> characters;  // groups, of one character each for words; none: \w, or all for chars
    std::vector<std::string> stop_words;
};

// Bytes that grow without being cleared first. At most 2³² − 1, so that positions take 4 bytes; 24 more are readable
// beyond the end.
class TokenBytes final {
  public:
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    const char* data() const { return bytes_.get(); }
    char* end() { return bytes_.get() + size_; }
    void shrink(std::size_t size) { size_ = size; }
    void extend(std::size_t more) { size_ += more; }
    void push_back(char byte) { bytes_[size_++] = byte; }  // requires `ensure`
    void ensure(std::size_t more) {
        if (size_ + more > room_) grow(more);
    }

    static constexpr std::size_t beyond = 24;

  private:
    void grow(std::size_t more);

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, room_ = 0;
};

struct TokenScratch {
    TokenBytes bytes;
    std::vector<std::uint32_t> starts;  // of the previous words, or of the characters of a run
};

class Tokenizer final {
  public:
    explicit Tokenizer(TokenizerOptions options);

    const TokenizerOptions& options() const { return options_; }

    // Passes the tokens of a text to the sink; their bytes are appended to the scratch buffer.
    template <class Sink>
    void operator()(std::string_view text, TokenScratch& scratch, Sink&& sink) const {
        if (options_.unit == TokenizerOptions::Unit::words) Words<Sink>(*this, text, scratch, sink).run();
        else Chars<Sink>(*this, text, scratch, sink).run();
    }

    static constexpr std::size_t longest_character = 4, longest_decomposition = 18;  // in bytes; in characters

  private:
    template <class Sink>
    class Words;
    template <class Sink>
    class Chars;

    bool is_token_character(char32_t c) const {
        if (!own_characters_) return c < 128 ? ascii_word_[c] : (characters_->flags(c) & unicode::word) != 0;
        return c < 128 ? ascii_word_[c] : in_set(c);
    }
    bool in_set(char32_t c) const;
    std::string_view symbol_of(char32_t c) const;  // the spelling of its group; empty if the character is alone
    bool is_stop_word(std::string_view word) const { return stop_words_.size() != 0 && stop_words_.find(word) >= 0; }

    // Calls emit(c) for each character that remains of the one at `at`; returns how many bytes of the text it took.
    template <class Emit>
    std::size_t normalised(std::string_view text, std::size_t at, Emit&& emit) const;
    template <class Emit>
    void without_accents(char32_t c, Emit&& emit) const;

    TokenizerOptions options_;
    const unicode::Characters* characters_;
    bool own_characters_;
    bool ascii_word_[128] = {};
    std::vector<char32_t> set_;                                // all characters of the groups, sorted
    std::vector<std::pair<char32_t, std::uint32_t>> grouped_;  // those of groups of several, and their symbol
    std::vector<std::string> symbols_;
    Dictionary stop_words_;
};

template <class Emit>
std::size_t Tokenizer::normalised(std::string_view text, std::size_t at, Emit&& emit) const {
    const unicode::Decoded decoded = unicode::decode(text, at);
    char32_t c = decoded.character;
    if (options_.lowercase && (characters_->flags(c) & unicode::has_lower) != 0) {
        if (c == 0x130) {  // the only capital whose lower case is two characters
            emit(U'i');
            if (!options_.strip_accents) emit(char32_t{0x307});
            return decoded.bytes;
        }
        c = c == 0x3A3 && unicode::is_final_sigma(text, at) ? char32_t{0x3C2} : characters_->lower(c);
    }
    if (options_.strip_accents && c >= 128) without_accents(c, emit);
    else emit(c);
    return decoded.bytes;
}

template <class Emit>
void Tokenizer::without_accents(char32_t c, Emit&& emit) const {
    if (unicode::is_syllable(c)) {
        const unicode::Letters letters = unicode::letters_of(c);
        for (std::size_t k = 0; k < letters.number; ++k) emit(letters.letter[k]);
    } else if ((characters_->flags(c) & unicode::has_plain) != 0) {
        for (const char32_t left : characters_->plain(c)) emit(left);
    } else {
        emit(c);
    }
}

template <class Sink>
class Tokenizer::Words final {
  public:
    Words(const Tokenizer& tokenizer, std::string_view text, TokenScratch& scratch, Sink& sink)
        : tokenizer_(tokenizer), options_(tokenizer.options_), text_(text), bytes_(scratch.bytes),
          starts_(scratch.starts), sink_(sink) {
        starts_.assign(options_.most_ngram, 0);
    }

    void run() {
        const bool blocks = !tokenizer_.own_characters_;
        for (std::size_t at = 0; at < text_.size();) {
            if (blocks && text_.size() - at >= block && ascii_block(text_.data() + at)) {
                at += block;
                continue;
            }
            const std::size_t end = std::min(text_.size(), at + block);
            if (blocks && end == text_.size() && at + block > end) {  // read the last bytes as a block
                char tail[block] = {};
                std::memcpy(tail, text_.data() + at, end - at);
                if (ascii_block(tail)) break;
            }
            bytes_.ensure(block * longest_decomposition * longest_character + 1);
            while (at < end) at += tokenizer_.normalised(text_, at, [this](char32_t c) { take(c); });
        }
        if (open_) close();
    }

  private:
    static constexpr std::size_t block = 64, slack = 64;

    void take(char32_t c) {
        if (!tokenizer_.is_token_character(c)) {
            if (open_) close();
            return;
        }
        if (!open_) begin();
        bytes_.ensure(slack);
        unicode::append(bytes_, c);
        ++length_;
    }
    void begin() {
        open_ = true;
        start_ = static_cast<std::uint32_t>(bytes_.size());
        length_ = 0;
    }
    void close() {
        open_ = false;
        const std::size_t end = bytes_.size();
        if (options_.most_ngram == 1) {
            single(end);
            return;
        }
        if (!is_wanted(end)) {
            bytes_.shrink(start_);
            return;
        }
        bytes_.ensure(1);
        bytes_.push_back(' ');
        starts_[words_++ % starts_.size()] = start_;
        for (std::size_t n = options_.least_ngram; n <= options_.most_ngram && n <= words_; ++n) {
            const std::uint32_t first = starts_[(words_ - n) % starts_.size()];
            sink_(first, static_cast<std::uint32_t>(end) - first);
        }
    }

    bool is_wanted(std::size_t end) const {
        return length_ >= options_.least_length && length_ <= options_.most_length &&
               !tokenizer_.is_stop_word({bytes_.data() + start_, end - start_});
    }
    void single(std::size_t end) {
        if (is_wanted(end)) sink_(start_, static_cast<std::uint32_t>(end) - start_);
    }

    // Processes 64 bytes at once if all of them are ASCII: one bit per byte that belongs to a word, and letters
    // lower-cased. Single words stay in place between other bytes; n-grams need them contiguous.
    bool ascii_block(const char* text) {
        bytes_.ensure(2 * block + slack);  // at most one space per word, plus the bytes written past the end
        char apart[block + 16];
        char* small = options_.most_ngram == 1 ? bytes_.end() : apart;
        std::uint64_t word = 0;
#if defined(__SSE2__)
        const __m128i a = _mm_set1_epi8('a' - 1), z = _mm_set1_epi8('z' + 1), zero = _mm_set1_epi8('0' - 1),
                      nine = _mm_set1_epi8('9' + 1);
        const __m128i underscore = _mm_set1_epi8('_'), bit = _mm_set1_epi8(0x20);
        for (std::size_t k = 0; k < block / 16; ++k) {
            const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + k);
            if (_mm_movemask_epi8(x) != 0) return false;
            const __m128i lower = _mm_or_si128(x, bit);
            const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(lower, a), _mm_cmplt_epi8(lower, z));
            const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(x, zero), _mm_cmplt_epi8(x, nine));
            const __m128i member = _mm_or_si128(_mm_or_si128(letter, digit), _mm_cmpeq_epi8(x, underscore));
            word |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(member))) << (16 * k);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(small) + k,
                             options_.lowercase ? _mm_or_si128(x, _mm_and_si128(letter, bit)) : x);
        }
#else
        for (std::size_t k = 0; k < block; ++k) {
            const auto c = static_cast<unsigned char>(text[k]);
            if (c >= 128) return false;
            word |= std::uint64_t{tokenizer_.ascii_word_[c]} << k;
            small[k] = static_cast<char>(options_.lowercase && c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
#endif
        if (options_.most_ngram == 1) singles(word);
        else runs(small, word);
        return true;
    }

    void singles(std::uint64_t word) {
        const auto base = static_cast<std::uint32_t>(bytes_.size());
        bytes_.extend(block);
        std::uint32_t from = 0;  // start of the open word in this block
        for (std::uint64_t edges = word ^ (word << 1 | static_cast<std::uint64_t>(open_)); edges != 0;
             edges &= edges - 1) {
            const auto at = static_cast<std::uint32_t>(__builtin_ctzll(edges));
            if (open_) {
                length_ += at - from;
                single(base + at);
            } else {
                start_ = base + at;
                length_ = 0;
            }
            from = at;
            open_ = !open_;
        }
        if (open_) length_ += block - from;
    }

    void runs(const char* small, std::uint64_t word) {
        std::size_t at = 0;
        while (at < block) {
            const std::uint64_t rest = word >> at;
            if (!open_) {
                if (rest == 0) return;
                at += static_cast<std::size_t>(__builtin_ctzll(rest));
                begin();
                continue;
            }
            const std::uint64_t after = ~rest;  // its high bits are set past the end of the block
            const std::size_t run = after == 0 ? block : static_cast<std::size_t>(__builtin_ctzll(after));
            const std::size_t number = std::min(run, block - at);
            // May write past the end
            for (std::size_t k = 0; k < number; k += 16) std::memcpy(bytes_.end() + k, small + at + k, 16);
            bytes_.extend(number);
            length_ += number;
            at += number;
            if (at < block) close();
        }
    }

    const Tokenizer& tokenizer_;
    const TokenizerOptions& options_;
    std::string_view text_;
    TokenBytes& bytes_;
    std::vector<std::uint32_t>& starts_;
    Sink& sink_;
    bool open_ = false;
    std::uint32_t start_ = 0;
    std::size_t length_ = 0, words_ = 0;
};

template <class Sink>
class Tokenizer::Chars final {
  public:
    Chars(const Tokenizer& tokenizer, std::string_view text, TokenScratch& scratch, Sink& sink)
        : tokenizer_(tokenizer), options_(tokenizer.options_), text_(text), bytes_(scratch.bytes),
          starts_(scratch.starts), sink_(sink), in_words_(options_.unit == TokenizerOptions::Unit::chars_in_words) {
        starts_.clear();
    }

    void run() {
        for (std::size_t at = 0; at < text_.size();)
            at += tokenizer_.normalised(text_, at, [this](char32_t c) { take(c); });
        white_space();
        close();
    }

  private:
    void take(char32_t c) {
        if (tokenizer_.own_characters_ && !tokenizer_.is_token_character(c)) {
            white_space();
            close();
            return;
        }
        const bool space = (tokenizer_.characters_->flags(c) & unicode::space) != 0;
        if (in_words_) {
            if (space) close();
            else put(c);
        } else if (space) {
            if (spaces_++ == 0) first_space_ = c;
        } else {
            white_space();
            put(c);
        }
    }
    void white_space() {
        if (spaces_ == 0) return;
        put(spaces_ == 1 ? first_space_ : U' ');
        spaces_ = 0;
    }
    void put(char32_t c) {
        if (in_words_ && starts_.empty()) begin(U' ');
        const std::string_view symbol = tokenizer_.grouped_.empty() ? std::string_view() : tokenizer_.symbol_of(c);
        if (symbol.empty()) begin(c);
        else begin(symbol);
        // The n-grams that end here. Words shorter than n are handled at the end of the word.
        const std::size_t characters = starts_.size();
        if (!in_words_ && characters > options_.most_ngram * 2) forget();
        if (!in_words_) end_here();
    }
    void begin(char32_t c) {
        bytes_.ensure(longest_character);
        starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
        unicode::append(bytes_, c);
    }
    void begin(std::string_view symbol) {
        bytes_.ensure(symbol.size());
        starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
        std::memcpy(bytes_.end(), symbol.data(), symbol.size());
        bytes_.extend(symbol.size());
    }
    void end_here() {
        const auto end = static_cast<std::uint32_t>(bytes_.size());
        for (std::size_t n = options_.least_ngram; n <= options_.most_ngram && n <= starts_.size(); ++n) {
            const std::uint32_t first = starts_[starts_.size() - n];
            sink_(first, end - first);
        }
    }
    // Only the last characters can start an n-gram that ends later.
    void forget() { starts_.erase(starts_.begin(), starts_.end() - options_.most_ngram); }

    void close() {
        if (in_words_ && !starts_.empty()) {
            begin(U' ');
            const std::size_t characters = starts_.size();
            starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
            for (std::size_t n = options_.least_ngram; n <= options_.most_ngram; ++n) {
                if (characters <= n) {
                    sink_(starts_[0], starts_[characters] - starts_[0]);
                    break;
                }
                for (std::size_t at = 0; at + n <= characters; ++at) sink_(starts_[at], starts_[at + n] - starts_[at]);
            }
        }
        starts_.clear();
    }

    const Tokenizer& tokenizer_;
    const TokenizerOptions& options_;
    std::string_view text_;
    TokenBytes& bytes_;
    std::vector<std::uint32_t>& starts_;
    Sink& sink_;
    bool in_words_;
    std::size_t spaces_ = 0;
    char32_t first_space_ = U' ';
};

}  // namespace suffice
