#include "suffice/token_union.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace suffice {
namespace {

class Cursor final {
  public:
    Cursor(const SortedTokens& tokens, const char* side) : tokens_(tokens), side_(side) { read(); }

    bool done() const { return done_; }
    std::string_view token() const { return token_; }
    void next() {
        const std::string_view before = token_;
        ++at_;
        read();
        if (!done_ && token_ <= before)
            throw std::invalid_argument(std::string("the tokens of the ") + side_ + " side must increase: token " +
                                        std::to_string(at_) + " does not.");
    }

  private:
    void read() {
        done_ = at_ + 1 >= tokens_.ends.size();
        if (done_) return;
        const std::int64_t start = tokens_.ends[at_], end = tokens_.ends[at_ + 1];
        if (start < 0 || end < start || static_cast<std::size_t>(end) > tokens_.bytes.size())
            throw std::invalid_argument(std::string("the ends of the ") + side_ +
                                        " side must increase from 0 to the number of bytes: token " +
                                        std::to_string(at_) + " does not end there.");
        token_ = tokens_.bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
    }

    SortedTokens tokens_;
    const char* side_;
    std::size_t at_ = 0;
    bool done_ = false;
    std::string_view token_;
};

}  // namespace

TokenUnion unite_tokens(const SortedTokens& left, const SortedTokens& right) {
    TokenUnion united;
    united.bytes.reserve(std::max(left.bytes.size(), right.bytes.size()));
    united.ends.reserve(std::max(left.ends.size(), right.ends.size()) + 1);
    united.ends.push_back(0);
    Cursor a(left, "left"), b(right, "right");
    while (!a.done() || !b.done()) {
        const int order = a.done() ? 1 : b.done() ? -1 : a.token().compare(b.token());
        const auto number = static_cast<std::int64_t>(united.ends.size()) - 1;
        const std::string_view token = order <= 0 ? a.token() : b.token();
        united.bytes.insert(united.bytes.end(), token.begin(), token.end());
        united.ends.push_back(static_cast<std::int64_t>(united.bytes.size()));
        if (order <= 0) {
            united.left.push_back(number);
            a.next();
        }
        if (order >= 0) {
            united.right.push_back(number);
            b.next();
        }
    }
    return united;
}

}  // namespace suffice
