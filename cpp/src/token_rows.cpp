#include "suffice/token_rows.hpp"

#include <algorithm>
#include <utility>

#include "document_values.hpp"

namespace suffice {
namespace {

// The known tokens of one document after the other.
class Reader final {
  public:
    Reader(const Tokenizer& tokenizer, const TokenIndex& index, const TokenValues& values)
        : tokenizer_(tokenizer), index_(index), values_(values) {}

    // Calls sink(column, x) for the known tokens of a document; x is 1 for each occurrence where values are plain.
    template <class Sink>
    void operator()(std::string_view document, Sink&& sink) {
        scratch_.bytes.clear();
        if (!values_.plain()) {
            by_values(document, sink);
            return;
        }
        found_.clear();
        tokenizer_(document, scratch_, [&](std::uint32_t start, std::uint32_t length) {
            const std::uint64_t hash = index_.hash({scratch_.bytes.data() + start, length});
            index_.prefetch(hash);
            found_.push_back({hash, start, length});
            if (found_.size() == most_found) look_up(sink);
        });
        look_up(sink);
    }

  private:
    struct Found {
        std::uint64_t hash;
        std::uint32_t start, length;
    };
    static constexpr std::size_t most_found = 64;

    // Step by step for all of them, so that what the next step needs is on its way.
    template <class Sink>
    void look_up(Sink&& sink) {
        for (const Found& each : found_) index_.prefetch_token(each.hash);
        columns_.clear();
        for (const Found& each : found_) {
            const std::int32_t column = index_.find(scratch_.bytes.data() + each.start, each.length, each.hash);
            if (column >= 0) {
                columns_.push_back(column);
                sink.prefetch(column);
            }
        }
        for (const std::int32_t column : columns_) sink(column, 1.0);
        found_.clear();
    }
    template <class Sink>
    void by_values(std::string_view document, Sink&& sink) {
        document_.clear();
        tokenizer_(document, scratch_, [&](std::uint32_t start, std::uint32_t length) {
            const char* bytes = scratch_.bytes.data();
            document_.add(bytes, index_.hash({bytes + start, length}), start, length);
        });
        document_.finish(values_);
        for (const DocumentValues::Token& token : document_.tokens()) {
            const std::int32_t column = index_.find(scratch_.bytes.data() + token.start, token.length, token.hash);
            if (column >= 0) sink(column, token.value);
        }
    }

    const Tokenizer& tokenizer_;
    const TokenIndex& index_;
    TokenValues values_;
    TokenScratch scratch_;
    DocumentValues document_;
    std::vector<Found> found_;
    std::vector<std::int32_t> columns_;
};

// What is done with a known token, and what is asked for some time before.
template <class Add, class Prefetch>
struct Sink {
    Add add;
    Prefetch prefetch;
    void operator()(std::int32_t column, double x) { add(column, x); }
};
template <class Add, class Prefetch>
Sink(Add, Prefetch) -> Sink<Add, Prefetch>;


struct MatrixWorker {
    Documents documents;
    const std::vector<std::size_t>& units;
    TokenMatrix& matrix;
    Reader reader;
    std::vector<std::pair<std::int32_t, double>> row = {};
    std::vector<std::int32_t> columns = {};
    std::vector<double> values = {};
    std::vector<std::size_t> lengths = {};

    void work(std::size_t unit, Checkpoint& checkpoint) {
        columns.clear();
        values.clear();
        lengths.clear();
        for (std::size_t k = units[unit]; k < units[unit + 1]; ++k) {
            row.clear();
            if (!is_missing(documents[k])) reader(documents[k], Sink{[&](std::int32_t column, double x) { row.emplace_back(column, x); }, [](std::int32_t) {}});
            std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            const std::size_t before = columns.size();
            for (const auto& [column, x] : row) {
                if (columns.size() > before && columns.back() == column) {
                    values.back() += x;
                } else {
                    columns.push_back(column);
                    values.push_back(x);
                }
            }
            lengths.push_back(columns.size() - before);
        }
        checkpoint();
    }
    void merge(std::size_t) {
        for (const std::size_t length : lengths) matrix.starts.push_back(matrix.starts.back() + static_cast<std::int64_t>(length));
        matrix.columns.insert(matrix.columns.end(), columns.begin(), columns.end());
        matrix.values.insert(matrix.values.end(), values.begin(), values.end());
    }
};

struct ScoreWorker {
    Documents documents;
    const std::vector<std::size_t>& units;
    const TokenWeights& weights;
    double* out;
    double* lengths;
    Reader reader;
    std::vector<std::uint32_t> last = {};  // the document in which a column was last found, where presence counts

    void work(std::size_t unit, Checkpoint& checkpoint) {
        const std::size_t classes = weights.classes;
        for (std::size_t k = units[unit]; k < units[unit + 1]; ++k) {
            if (is_missing(documents[k])) continue;
            double* scores = out + k * classes;
            double length = 0.0;
            const auto add = [&](std::int32_t column, double x) {
                const double* weight = weights.table + static_cast<std::size_t>(column) * classes;
                length += x;
                if (x == 1.0) {
                    for (std::size_t c = 0; c < classes; ++c) scores[c] += weight[c];
                } else {
                    for (std::size_t c = 0; c < classes; ++c) scores[c] += x * weight[c];
                }
            };
            const auto prefetch = [&](std::int32_t column) {
                const double* weight = weights.table + static_cast<std::size_t>(column) * classes;
                for (std::size_t c = 0; c < std::min<std::size_t>(classes, 32); c += 8) __builtin_prefetch(weight + c);
            };
            if (weights.presence) {
                const auto once = [&](std::int32_t column, double) {
                    std::uint32_t& row = last[static_cast<std::size_t>(column)];
                    if (row == k) return;
                    row = static_cast<std::uint32_t>(k);
                    add(column, 1.0);
                };
                reader(documents[k], Sink{once, prefetch});
            } else {
                reader(documents[k], Sink{add, prefetch});
            }
            if (lengths != nullptr) lengths[k] = length;
        }
        checkpoint();
    }
    void merge(std::size_t) const {}
};

}  // namespace

TokenMatrix token_matrix(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                         std::size_t threads, const Interrupt& interrupt) {
    const std::vector<std::size_t> units = document_units(documents);
    TokenMatrix matrix;
    matrix.starts.reserve(documents.size() + 1);
    matrix.starts.push_back(0);
    run_in_order(units.size() - 1, threads, interrupt, [&] { return MatrixWorker{documents, units, matrix, Reader(tokenizer, index, values)}; });
    return matrix;
}

void score_tokens(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                  const TokenWeights& weights, double* out, double* lengths, std::size_t threads, const Interrupt& interrupt) {
    const std::vector<std::size_t> units = document_units(documents);
    run_in_order(units.size() - 1, threads, interrupt, [&] {
        ScoreWorker worker{documents, units, weights, out, lengths, Reader(tokenizer, index, values)};
        if (weights.presence) worker.last.assign(index.columns(), UINT32_MAX);
        return worker;
    });
}

}  // namespace suffice
