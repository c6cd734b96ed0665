// Some hundred rows at a time: first where their fields end, 64 characters at once, and then column by column, each in a
// loop of its own over text that is still near.
#include "suffice/delimited_cells.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "byte_masks.hpp"
#include "cell_numbers.hpp"
#include "suffice/arrow_made.hpp"
#include "suffice/bitmap.hpp"
#include "suffice/unicode.hpp"

namespace suffice {
namespace {

constexpr char quote = '"';
constexpr std::size_t most_bytes = std::size_t{1} << 31;  // offsets in views have 31 bits

// Where fields end. After a quote and before the next one a delimiter is text; one that is written twice changes nothing.
class FieldEnds final {
  public:
    FieldEnds(std::string_view text, Delimited how) : text_(text), how_(how) {}

    bool quotes = false, no_ascii = false;  // whether any was seen
    bool sound() const { return !stray_ && inside_ == 0; }  // every quote opens a field or closes one, or is written twice
    std::size_t lines = 0;                  // ends of them

    // After so many of them were taken, where the next `wanted` fields end, or all that are left; before the first of them
    // stands where the field before it ends.
    std::span<const std::uint32_t> next(std::size_t taken, std::size_t wanted) {
        first_ += taken;
        if (count_ - first_ < wanted && first_ > 1) {
            const auto place = [this](std::size_t at) { return ends_.begin() + static_cast<std::ptrdiff_t>(at); };
            std::copy(place(first_ - 1), place(count_), place(0));
            count_ -= first_ - 1;
            first_ = 1;
        }
        ends_.resize(std::max(ends_.size(), first_ + wanted + 2 * mask_width), ~std::uint32_t{0});
        while (count_ - first_ < wanted && at_ < text_.size()) read();
        return {ends_.data() + first_, std::min(wanted, count_ - first_)};
    }

  private:
    void read() {
        char padded[mask_width] = {};
        const std::size_t left = text_.size() - at_;
        if (left < mask_width) text_.copy(padded, left, at_);
        const Characters64 all(left < mask_width ? padded : text_.data() + at_);
        std::uint64_t line_ends = all.equal_to('\n'), ends = all.equal_to(how_.delimiter) | line_ends;
        if (how_.quoted) {
            const std::uint64_t written = all.equal_to(quote);
            if ((written | inside_) != 0) {
                quotes = true;
                const std::uint64_t within = to_the_next(written) ^ inside_;
                inside_ = std::uint64_t{0} - (within >> 63);
                ends &= ~within;
                line_ends &= ~within;
                stray_ = stray_ || (written & within & ~((ends | written) << 1 | may_open_)) != 0;
            }
            may_open_ = (ends | written) >> 63;
        }
        no_ascii = no_ascii || all.high() != 0;
        lines += ones(line_ends);
        put(left < mask_width ? ends & ~(~std::uint64_t{0} << left) : ends);  // what is padded may look like a delimiter
        at_ += mask_width;
        if (at_ >= text_.size() && text_.back() != '\n') put_end(text_.size());
    }
    // Every bit from one that is set up to the one before the next that is set.
    static std::uint64_t to_the_next(std::uint64_t bits) {
        for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
        return bits;
    }
    void put(std::uint64_t ends) {
        std::uint32_t* to = ends_.data() + count_;
        const auto at = static_cast<std::uint32_t>(at_);
        const std::size_t number = ones(ends);
        // How many there are cannot be foreseen, so some are put for nothing.
        for (std::size_t done = 0; done < number; done += 8)
            for (int i = 0; i < 8; ++i, ends &= ends - 1) *to++ = at + static_cast<std::uint32_t>(std::countr_zero(ends));
        count_ += number;
    }
    void put_end(std::size_t end) {
        ends_[count_++] = static_cast<std::uint32_t>(end);
        ++lines;
    }

    std::string_view text_;
    Delimited how_;
    std::size_t at_ = 0;
    std::uint64_t inside_ = 0;    // all bits where the next character stands in quotes
    std::uint64_t may_open_ = 1;  // whether a quote may stand next: at the start, after a field, after another
    bool stray_ = false;
    std::vector<std::uint32_t> ends_;
    std::size_t first_ = 1, count_ = 1;
};

struct Cell {
    const char* text;
    std::size_t size;
};

// The cells of some rows, the first of them a multiple of 64. Behind each cell cells::read_beyond bytes may be read.
struct Tile {
    const char* text;  // of the character at `origin`
    std::uint32_t origin;
    const std::uint32_t* ends;  // from −1 on
    std::size_t first, rows, fields;
    bool quotes;

    Cell at(std::size_t row, std::size_t field) const {
        const std::uint32_t* end = ends + row * fields + field;
        const std::uint32_t begin = end[-1] + 1;
        Cell cell{text + (begin - origin), *end - begin};
        if (field + 1 == fields && cell.size > 0 && cell.text[cell.size - 1] == '\r') --cell.size;
        return cell;
    }
    bool ends_lines() const {
        for (std::size_t row = 1; row <= rows; ++row)
            if (text[ends[row * fields - 1] - origin] != '\n') return false;
        return true;
    }
};

// What is written in a cell that may stand in quotes; false where the quotes are odd.
class Unquoted final {
  public:
    bool operator()(Cell& cell) {
        if (cell.size < 2 || cell.text[cell.size - 1] != quote) return false;
        const std::string_view inner(cell.text + 1, cell.size - 2);
        std::size_t at = inner.find(quote);
        cell = {inner.data(), inner.size()};
        if (at == std::string_view::npos) return true;
        once_.clear();
        std::size_t from = 0;
        for (; at != std::string_view::npos; at = inner.find(quote, from)) {
            if (at + 1 >= inner.size() || inner[at + 1] != quote) return false;
            once_.append(inner, from, at + 1 - from);
            from = at + 2;
        }
        once_.append(inner, from);
        cell.size = once_.size();
        once_.append(cells::read_beyond, '\0');
        cell.text = once_.data();
        return true;
    }

  private:
    std::string once_;
};

class Markers final {
  public:
    explicit Markers(std::span<const std::string> written) : written_(written) {
        double value;
        for (const std::string& marker : written_) {
            const std::string padded = marker + std::string(cells::read_beyond, '\0');
            some_are_numbers_ = some_are_numbers_ || (!marker.empty() && cells::read_real(padded.data(), marker.size(), value));
        }
    }
    bool operator()(std::string_view cell) const {
        return cell.empty() || std::find(written_.begin(), written_.end(), cell) != written_.end();
    }
    bool some_are_numbers() const { return some_are_numbers_; }

  private:
    std::span<const std::string> written_;
    bool some_are_numbers_ = false;
};

struct View {
    std::uint32_t size, start;  // `start` is the first four characters
    std::uint64_t rest;         // the others, or the number of the buffer and where it lies there
};
static_assert(sizeof(View) == 16);

// What texts of up to 24 bytes stood for. Which of them are short and which are missing cannot be foreseen, so one table
// answers for all.
class ViewMemo final {
  public:
    static constexpr std::size_t longest = 24;

    struct Place {
        std::uint64_t key[3] = {};
        std::uint32_t size = ~std::uint32_t{0};
        std::uint32_t missing = 0;
        View view = {};
        bool operator==(const Place& other) const {
            return ((key[0] ^ other.key[0]) | (key[1] ^ other.key[1]) | (key[2] ^ other.key[2]) | (size ^ other.size)) == 0;
        }
    };
    static Place asked(Cell cell) {
        Place place;
        for (std::size_t k = 0; k < 3; ++k) place.key[k] = load<std::uint64_t>(cell.text, k) & kept[k][cell.size];
        place.size = static_cast<std::uint32_t>(cell.size);
        return place;
    }
    Place& of(const Place& asked) {
        const std::uint64_t mixed = asked.key[0] ^ (asked.key[1] * 0xff51afd7ed558ccdu) ^ (asked.key[2] * 0xc4ceb9fe1a85ec53u) ^ asked.size;
        return places_[(mixed * 0x9e3779b97f4a7c15u) >> (64 - bits)];
    }

  private:
    using Masks = std::array<std::array<std::uint64_t, longest + 1>, 3>;
    static constexpr Masks kept = [] {
        Masks masks{};
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t size = 0; size <= longest; ++size) {
                const std::size_t here = size <= 8 * k ? 0 : std::min<std::size_t>(8, size - 8 * k);
                const std::uint64_t all = ~std::uint64_t{0};
                const bool big = std::endian::native == std::endian::big;
                masks[k][size] = here == 0 ? 0 : big ? all << (64 - 8 * here) : all >> (64 - 8 * here);
            }
        return masks;
    }();
    static constexpr int bits = 8;
    Place places_[std::size_t{1} << bits];
};

class ColumnMaker final {
  public:
    ColumnMaker(const CellColumn& column, std::size_t rows, const Markers& markers)
        : kind_(column.kind), markers_(markers), made_{column.name, format_of(column.kind), rows, 0, {}, {}, {}} {
        made_.valid.resize((rows + 63) / 64);
        made_.values = RawBytes(kind_ == CellKind::boolean ? (rows + 7) / 8 : rows * (kind_ == CellKind::text ? sizeof(View) : 8));
        if (kind_ == CellKind::boolean) std::memset(made_.values.data(), 0, made_.values.size());
        if (kind_ == CellKind::text && rows >= enough_to_remember) memo_ = std::make_unique<ViewMemo>();
    }

    // False where a cell is written in a way that is not read here.
    bool read(const Tile& tile, std::size_t field) {
        switch (kind_) {
            case CellKind::integer: return read_numbers<std::int64_t>(tile, field, cells::read_whole);
            case CellKind::real: return read_numbers<double>(tile, field, cells::read_real);
            case CellKind::boolean: return read_booleans(tile, field);
            default: return read_texts(tile, field);
        }
    }
    MadeColumn made() {
        if (!long_ones_.empty()) made_.texts.push_back(std::move(long_ones_));
        return std::move(made_);
    }

  private:
    static constexpr std::size_t enough_to_remember = 1024;  // a text of ten thousand columns has few rows, and many tables

    static const char* format_of(CellKind kind) {
        switch (kind) {
            case CellKind::integer: return "l";
            case CellKind::real: return "g";
            case CellKind::boolean: return "b";
            default: return "vu";
        }
    }
    // Asks about each row whether its cell is missing, and notes 64 answers at a time; false where one is "no idea".
    enum Answer { there, missing, odd };
    template <class Ask>
    bool each_row(const Tile& tile, Ask&& ask) {
        for (std::size_t begin = 0; begin < tile.rows; begin += 64) {
            std::uint64_t gone = 0;
            const std::size_t end = std::min(tile.rows, begin + 64);
            for (std::size_t row = begin; row < end; ++row) {
                const Answer answer = ask(row);
                if (answer == odd) return false;
                gone |= std::uint64_t{answer == missing} << (row - begin);
            }
            made_.missing += ones(gone);
            made_.valid[(tile.first + begin) / 64] = little(~gone);
        }
        return true;
    }
    static std::uint64_t little(std::uint64_t word) {
        if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(word);
        return word;
    }
    bool cell_at(const Tile& tile, std::size_t row, std::size_t field, Cell& cell) {
        cell = tile.at(row, field);
        return !tile.quotes || cell.size == 0 || *cell.text != quote || unquoted_(cell);
    }
    bool is_missing(Cell cell) const { return markers_({cell.text, cell.size}); }

    template <class Number, class Read>
    bool read_numbers(const Tile& tile, std::size_t field, Read&& read) {
        auto* values = static_cast<Number*>(made_.values.data()) + tile.first;
        const bool ask_first = markers_.some_are_numbers();
        return each_row(tile, [&, values](std::size_t row) {
            Cell cell;
            Number value = 0;
            if (!cell_at(tile, row, field, cell)) return odd;
            const bool known = cell.size > 0 && !(ask_first && is_missing(cell)) && read(cell.text, cell.size, value);
            values[row] = value;
            return known ? there : is_missing(cell) ? missing : odd;
        });
    }
    bool read_booleans(const Tile& tile, std::size_t field) {
        auto* bits = static_cast<std::uint8_t*>(made_.values.data()) + tile.first / 8;
        return each_row(tile, [&, bits](std::size_t row) {
            Cell cell;
            if (!cell_at(tile, row, field, cell)) return odd;
            const std::string_view text(cell.text, cell.size);
            const bool yes = text == "true";
            bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | static_cast<unsigned>(yes) << (row % 8));
            return markers_(text) ? missing : yes || text == "false" ? there : odd;
        });
    }
    bool read_texts(const Tile& tile, std::size_t field) {
        auto* views = static_cast<View*>(made_.values.data()) + tile.first;
        return each_row(tile, [&, views](std::size_t row) {
            Cell cell;
            if (!cell_at(tile, row, field, cell)) return odd;
            if (memo_ == nullptr || cell.size > ViewMemo::longest) {
                views[row] = view_of(cell);
                return is_missing(cell) ? missing : there;
            }
            const ViewMemo::Place asked = ViewMemo::asked(cell);
            ViewMemo::Place& place = memo_->of(asked);
            if (!(place == asked)) {
                place = asked;
                place.missing = is_missing(cell);
                place.view = view_of(cell);
            }
            views[row] = place.view;
            return place.missing != 0 ? missing : there;
        });
    }
    View view_of(Cell cell) {
        View view{};
        auto* bytes = reinterpret_cast<char*>(&view);
        const auto size = static_cast<std::uint32_t>(cell.size);
        std::memcpy(bytes, &size, 4);
        if (cell.size <= ViewTexts::inline_bytes) {
            std::memcpy(bytes + 4, cell.text, cell.size);
            return view;
        }
        const auto place = static_cast<std::uint32_t>(long_ones_.size());
        std::memcpy(bytes + 4, cell.text, 4);
        std::memcpy(bytes + 12, &place, 4);  // in the buffer 0
        long_ones_.append(cell.text, cell.size);
        return view;
    }

    CellKind kind_;
    const Markers& markers_;
    MadeColumn made_;
    Unquoted unquoted_;
    std::string long_ones_;
    std::unique_ptr<ViewMemo> memo_;
};

bool is_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (text.size() - at >= 8 && (load<std::uint64_t>(text.data() + at, 0) & cells::high_bits) == 0) {
            at += 8;
        } else if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
        } else {
            const unicode::Decoded one = unicode::decode(text, at);
            if (one.character == unicode::replacement && text.substr(at, one.bytes) != "\xef\xbf\xbd") return false;
            at += one.bytes;
        }
    }
    return true;
}

}  // namespace

std::optional<RecordBatch> parse_cells(std::string_view text, Delimited how, std::span<const CellColumn> columns, std::size_t rows,
                                       std::span<const std::string> markers) {
    const std::size_t fields = columns.size();
    if (fields == 0 || text.size() >= most_bytes || text.size() < rows) return std::nullopt;
    const Markers missing(markers);
    std::vector<ColumnMaker> makers;
    std::vector<std::size_t> wanted;
    for (std::size_t field = 0; field < fields; ++field) {
        if (columns[field].kind == CellKind::skipped) continue;
        makers.emplace_back(columns[field], rows, missing);
        wanted.push_back(field);
    }
    const std::size_t most_rows = 64 * std::clamp<std::size_t>(64 / fields, 1, 16);
    FieldEnds ends(text, how);
    std::string padded;
    std::size_t done = 0, taken = 0;
    while (done < rows) {
        const std::size_t some = std::min(most_rows, rows - done);
        const std::span<const std::uint32_t> found = ends.next(std::exchange(taken, some * fields), some * fields);
        if (found.size() < some * fields) return std::nullopt;
        Tile tile{text.data(), 0, found.data(), done, some, fields, ends.quotes};
        if (found.back() + cells::read_beyond >= text.size()) {
            tile.origin = tile.ends[-1] + 1;
            padded.assign(text.substr(tile.origin)).append(1, '\n').append(cells::read_beyond, '\0');
            tile.text = padded.data();
        }
        if (!tile.ends_lines()) return std::nullopt;
        for (std::size_t k = 0; k < makers.size(); ++k)
            if (!makers[k].read(tile, wanted[k])) return std::nullopt;
        done += some;
    }
    if (!ends.next(taken, 1).empty() || ends.lines != rows || !ends.sound()) return std::nullopt;
    if (ends.no_ascii && !is_utf8(text)) return std::nullopt;
    std::vector<MadeColumn> made;
    for (ColumnMaker& maker : makers) made.push_back(maker.made());
    Owned<ArrowSchema> schema = schema_of(made);
    return RecordBatch{std::move(schema), array_of(std::move(made), rows)};
}

}  // namespace suffice
