#include "suffice/lines.hpp"

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "suffice/bitmap.hpp"

namespace suffice {
namespace {

constexpr char quote = '"';

bool is_blank(char c, char delimiter) { return (c == ' ' || c == '\t') && c != delimiter; }

// At the end of a field carriage returns count as blanks, because parsers drop one there.
bool is_blank_at_end(char c, char delimiter) { return c == '\r' || is_blank(c, delimiter); }

// Reads records one character at a time: the definition with which the fast scan below must agree.
class Records {
  public:
    Records(std::string_view text, Delimited how, bool last) : text_(text), how_(how), last_(last) {}

    struct Field {
        std::size_t begin, end;  // without blanks, and without the quotes that enclose all of it
        bool quoted;             // it opens with a quote: a quote inside is written twice
        bool odd;                // something follows the closing quote: read from `begin` as unquoted text
    };

    std::size_t begin = 0, end = 0;  // the record: `end` is before its line end, `next` after it
    std::size_t next = 0;
    std::size_t line = 0, lines = 0;  // line ends before the record, and before `next`
    std::size_t fields = 0;
    bool blank = false, open = false, untidy = false;

    // Reads the record at `next`; returns false if it is incomplete. Every field is passed to `each`.
    template <class Each>
    bool read(Each&& each) {
        begin = next;
        line = lines;
        fields = 0;
        blank = open = untidy = false;
        const std::size_t size = text_.size();
        if (begin >= size) return false;
        std::size_t at = begin, inner = 0;
        for (;;) {
            std::size_t stop;
            Field field{};
            if (!field_at(at, stop, field, inner)) return false;
            const bool ends = stop >= size || text_[stop] == '\n';
            if (ends && stop >= size && !last_) return false;
            ++fields;
            if (ends) {
                end = stop;
                if (end > begin && text_[end - 1] == '\r') --end;
                blank = fields == 1 && !field.quoted && field.begin == field.end;
                if (!blank) each(field);
                next = stop < size ? stop + 1 : size;
                lines = line + inner + (stop < size ? 1 : 0);
                if (open) fields = 0;
                if (blank) untidy = true;
                return true;
            }
            each(field);
            at = stop + 1;
        }
    }

  private:
    // Reads the field that begins at `at`; `stop` is its delimiter, line end, or the end of the text.
    bool field_at(std::size_t at, std::size_t& stop, Field& field, std::size_t& inner) {
        const std::size_t size = text_.size();
        std::size_t i = at;
        while (i < size && is_blank(text_[i], how_.delimiter)) ++i;
        if (i > at) untidy = true;
        field.begin = i;
        if (how_.quoted && i < size && text_[i] == quote) {
            field.quoted = true;
            field.begin = ++i;
            for (;; ++i) {
                if (i >= size) {  // the quote is never closed
                    if (!last_) return false;
                    open = untidy = true;
                    field.end = stop = size;
                    return true;
                }
                if (text_[i] == '\n') ++inner;
                if (text_[i] != quote) continue;
                if (i + 1 < size && text_[i + 1] == quote) {
                    ++i;
                    continue;
                }
                if (i + 1 >= size && !last_) return false;  // the next character may be a quote too
                break;
            }
            field.end = i++;
            const std::size_t closed = i;
            while (i < size && is_blank_at_end(text_[i], how_.delimiter)) ++i;
            const bool ends = i >= size || text_[i] == '\n';
            if (i > closed && !(ends && i == closed + 1 && text_[closed] == '\r')) untidy = true;
            if (ends || text_[i] == how_.delimiter) {
                stop = i;
                return true;
            }
            field.odd = untidy = true;
            --field.begin;
        }
        while (i < size && text_[i] != how_.delimiter && text_[i] != '\n') {
            if (how_.quoted && text_[i] == quote) untidy = true;
            ++i;
        }
        stop = i;
        const bool ends = i >= size || text_[i] == '\n';
        if (ends && i > field.begin && text_[i - 1] == '\r') --i;
        const std::size_t full = i;
        while (i > field.begin && is_blank_at_end(text_[i - 1], how_.delimiter)) --i;
        if (i < full) untidy = true;
        field.end = i > field.begin ? i : field.begin;
        return true;
    }

    std::string_view text_;
    Delimited how_;
    bool last_;
};

void count(LineScan& scan, std::size_t begin, std::size_t end, std::size_t line, std::size_t n_fields,
           std::size_t fields, std::size_t shown) {
    if (n_fields != 0 && (fields == 0 || n_fields == fields)) {
        ++scan.records;
        return;
    }
    ++scan.bad;
    if (scan.first_bad.size() < shown) scan.first_bad.push_back({begin, end, line, n_fields});
}

// 64 characters at a time: bit i of a mask is character i.
class Characters64 final {
  public:
#if defined(__SSE2__)
    explicit Characters64(const char* text) {
        for (int k = 0; k < 4; ++k) parts_[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * k));
    }
    std::uint64_t equal_to(char c) const {
        const __m128i character = _mm_set1_epi8(c);
        std::uint64_t mask = 0;
        for (int k = 0; k < 4; ++k) {
            const auto part = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(parts_[k], character)));
            mask |= static_cast<std::uint64_t>(part) << (16 * k);
        }
        return mask;
    }

  private:
    __m128i parts_[4];
#else
    explicit Characters64(const char* text) : text_(text) {}
    std::uint64_t equal_to(char c) const {
        std::uint64_t mask = 0;
        for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(text_[i] == c) << i;
        return mask;
    }

  private:
    const char* text_;
#endif
};

struct Masks {
    std::uint64_t ends, delimiters, blanks, returns, quotes;
};

Masks masks_of(const char* text, Delimited how) {
    const Characters64 all(text);
    std::uint64_t blanks = 0;
    if (how.delimiter != ' ') blanks |= all.equal_to(' ');
    if (how.delimiter != '\t') blanks |= all.equal_to('\t');
    return {all.equal_to('\n'), all.equal_to(how.delimiter), blanks, all.equal_to('\r'),
            how.quoted ? all.equal_to(quote) : 0};
}

// Scans 64 characters at a time from the start of a record as long as none of them is a quote. Returns the start of the
// first record that was not scanned completely.
std::size_t scan_plain(std::string_view text, Delimited how, std::size_t fields, std::size_t from, LineScan& scan,
                       std::size_t shown) {
    std::size_t begin = from, n_fields = 1;
    // Whether the previous character is blank, a carriage return, or the end of a field.
    std::uint64_t blank_before = 0, return_before = 0, edge_before = 1;
    for (std::size_t at = from; at + 64 <= text.size(); at += 64) {
        const Masks m = masks_of(text.data() + at, how);
        if (m.quotes != 0) break;
        const std::uint64_t edges = m.ends | m.delimiters;
        const std::uint64_t leading = m.blanks & (edges << 1 | edge_before);
        const std::uint64_t trailing = edges & (m.blanks << 1 | blank_before);
        const std::uint64_t returned = m.delimiters & (m.returns << 1 | return_before);
        if ((leading | trailing | returned) != 0) scan.untidy = true;
        blank_before = m.blanks >> 63;
        return_before = m.returns >> 63;
        edge_before = edges >> 63;
        std::uint64_t left = m.delimiters;
        for (std::uint64_t ends = m.ends; ends != 0; ends &= ends - 1) {
            const std::uint64_t before = (ends & (~ends + 1)) - 1;
            n_fields += ones(left & before);
            left &= ~before;
            const std::size_t stop = at + static_cast<std::size_t>(std::countr_zero(ends));
            const std::size_t end = stop > begin && text[stop - 1] == '\r' ? stop - 1 : stop;
            if (end < stop && end > begin && is_blank_at_end(text[end - 1], how.delimiter)) scan.untidy = true;
            bool blank = n_fields == 1;  // and contains only blanks
            for (std::size_t i = begin; blank && i < end; ++i) blank = is_blank_at_end(text[i], how.delimiter);
            if (blank) scan.untidy = true;
            else count(scan, begin, end, scan.lines, n_fields, fields, shown);
            ++scan.lines;
            begin = stop + 1;
            n_fields = 1;
        }
        n_fields += ones(left);
    }
    return begin;
}

void append_field(std::string& out, std::string_view text, const Records::Field& field, Delimited how) {
    const std::string_view body = text.substr(field.begin, field.end - field.begin);
    if (field.quoted && !field.odd) {
        out += quote;
        out += body;
        out += quote;
        return;
    }
    if (!how.quoted || body.find(quote) == std::string_view::npos) {
        out += body;
        return;
    }
    out += quote;
    for (const char c : body) {
        if (c == quote) out += quote;
        out += c;
    }
    out += quote;
}

}  // namespace

LineScan scan_lines(std::string_view text, Delimited how, std::size_t fields, bool last, std::size_t shown) {
    LineScan scan;
    Records records(text, how, last);
    for (;;) {
        const std::size_t from = records.next;
        records.next = scan_plain(text, how, fields, from, scan, shown);
        records.lines = scan.lines;
        // A quote, or the last characters: read one record with the slow scan, then continue with the fast one.
        if (!records.read([](const Records::Field&) {})) break;
        scan.lines = records.lines;
        scan.untidy = scan.untidy || records.untidy;
        if (!records.blank) count(scan, records.begin, records.end, records.line, records.fields, fields, shown);
    }
    scan.end = records.begin;
    return scan;
}

std::string tidy_lines(std::string_view text, Delimited how, std::size_t fields) {
    std::string out;
    out.reserve(text.size() + 1);
    Records records(text, how, true);
    for (;;) {
        const std::size_t start = out.size();
        const bool more = records.read([&](const Records::Field& field) {
            if (records.fields > 1) out += how.delimiter;
            append_field(out, text, field, how);
        });
        if (!more) return out;
        if (records.blank || records.fields == 0 || (fields != 0 && records.fields != fields)) out.resize(start);
        else out += '\n';
    }
}

RecordPlace place_of_record(std::string_view text, Delimited how, std::size_t fields, std::size_t record) {
    Records records(text, how, true);
    while (records.read([](const Records::Field&) {})) {
        if (records.blank || records.fields == 0 || (fields != 0 && records.fields != fields)) continue;
        if (record-- == 0) return {records.begin, records.line};
    }
    return {text.size(), records.lines};
}

}  // namespace suffice
