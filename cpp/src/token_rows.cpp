#include "suffice/token_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "document_values.hpp"

namespace suffice {
namespace {

// Reads the known tokens of one document after the other, in batches.
class Reader final {
  public:
    static constexpr std::size_t most = 64;

    struct Known {
        std::array<std::int32_t, most> columns;
        std::array<double, most> values;  // only if values are not plain; otherwise each occurrence counts 1
        std::size_t number = 0;
    };

    Reader(const Tokenizer& tokenizer, const TokenIndex& index, const TokenValues& values)
        : tokenizer_(tokenizer), index_(index), values_(values) {}

    bool plain() const { return values_.plain(); }

    // Calls sink.prefetch(column) for each known token of a document, and sink(known) later.
    template <class Sink>
    void operator()(std::string_view document, Sink&& sink) {
        scratch_.bytes.clear();
        number_ = 0;
        if (plain()) {
            tokenizer_(document, scratch_, [&](std::uint32_t start, std::uint32_t length) {
                take({hash_of(start, length), start, length, 1.0}, sink);
            });
        } else {
            document_.clear();
            tokenizer_(document, scratch_, [&](std::uint32_t start, std::uint32_t length) {
                document_.add(scratch_.bytes.data(), hash_of(start, length), start, length);
            });
            document_.finish(values_);
            for (const DocumentValues::Token& token : document_.tokens()) take(token, sink);
        }
        look_up(sink);
    }

  private:
    std::uint64_t hash_of(std::uint32_t start, std::uint32_t length) const {
        return index_.hash(scratch_.bytes.data() + start, length);
    }

    template <class Sink>
    void take(const DocumentValues::Token& token, Sink&& sink) {
        index_.prefetch(token.hash);
        found_[number_++] = token;
        if (number_ == most) look_up(sink);
    }
    // Each step runs over the whole batch, so that the memory needed by the next step is already being fetched.
    template <class Sink>
    void look_up(Sink&& sink) {
        known_.number = 0;
        for (std::size_t k = 0; k < number_; ++k) {
            const std::int32_t column =
                index_.find(scratch_.bytes.data() + found_[k].start, found_[k].length, found_[k].hash);
            if (column < 0) continue;
            known_.columns[known_.number] = column;
            known_.values[known_.number++] = found_[k].value;
            sink.prefetch(column);
        }
        sink(known_);
        number_ = 0;
    }

    const Tokenizer& tokenizer_;
    const TokenIndex& index_;
    TokenValues values_;
    TokenScratch scratch_;
    DocumentValues document_;
    std::array<DocumentValues::Token, most> found_;
    std::size_t number_ = 0;
    Known known_;
};

// A consumer of known tokens, and its prefetch.
template <class Add, class Prefetch>
struct Sink {
    Add add;
    Prefetch prefetch;
    void operator()(Reader::Known& known) { add(known); }
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
            const auto add = [&](const Reader::Known& known) {
                for (std::size_t i = 0; i < known.number; ++i) row.emplace_back(known.columns[i], known.values[i]);
            };
            if (!is_missing(documents[k])) reader(documents[k], Sink{add, [](std::int32_t) {}});
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
        for (const std::size_t length : lengths)
            matrix.starts.push_back(matrix.starts.back() + static_cast<std::int64_t>(length));
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
    std::vector<std::uint32_t> last = {};  // the last document that contained a column, for presence

    void work(std::size_t unit, Checkpoint& checkpoint) {
        for (std::size_t k = units[unit]; k < units[unit + 1]; ++k)
            if (!is_missing(documents[k])) score(k);
        checkpoint();
    }

    void score(std::size_t k) {
        double length = 0.0;
        const auto take = [&](Reader::Known& known) {
            if (weights.presence) keep_new(known, static_cast<std::uint32_t>(k));
            for (std::size_t i = 0; i < known.number; ++i) length += known.values[i];
            add(known, out + k * weights.classes);
        };
        const auto prefetch = [&](std::int32_t column) {
            for (std::size_t c = 0; c < std::min<std::size_t>(weights.classes, 32); c += 8)
                __builtin_prefetch(row(column) + c);
        };
        reader(documents[k], Sink{take, prefetch});
        if (lengths != nullptr) lengths[k] = length;
    }

    // Keeps the tokens that the document did not contain before, once each.
    void keep_new(Reader::Known& known, std::uint32_t document) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < known.number; ++i) {
            const std::int32_t column = known.columns[i];
            if (std::exchange(last[static_cast<std::size_t>(column)], document) != document)
                known.columns[kept++] = column;
        }
        known.number = kept;
        std::fill_n(known.values.begin(), kept, 1.0);
    }

    // A few classes at a time, so that the sums stay in registers.
    void add(const Reader::Known& known, double* scores) const {
        constexpr std::size_t n = 8;
        const std::size_t classes = weights.classes;
        std::size_t c = 0;
        for (; c + n <= classes; c += n) add_classes<n>(known, scores + c, c);
        if (c + 4 <= classes) {
            add_classes<4>(known, scores + c, c);
            c += 4;
        }
        for (; c < classes; ++c) add_classes<1>(known, scores + c, c);
    }
    template <std::size_t n>
    void add_classes(const Reader::Known& known, double* scores, std::size_t from) const {
        std::array<double, n> sums;
        std::copy_n(scores, n, sums.begin());
        if (reader.plain() || weights.presence) {
            for (std::size_t i = 0; i < known.number; ++i) {
                const double* weight = row(known.columns[i]) + from;
                for (std::size_t j = 0; j < n; ++j) sums[j] += weight[j];
            }
        } else {
            for (std::size_t i = 0; i < known.number; ++i) {
                const double* weight = row(known.columns[i]) + from;
                for (std::size_t j = 0; j < n; ++j) sums[j] += known.values[i] * weight[j];
            }
        }
        std::copy_n(sums.begin(), n, scores);
    }
    const double* row(std::int32_t column) const {
        return weights.table + static_cast<std::size_t>(column) * weights.classes;
    }
    void merge(std::size_t) const {}
};

}  // namespace

TokenMatrix token_matrix(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents,
                         const TokenValues& values, std::size_t threads, const Interrupt& interrupt) {
    const std::vector<std::size_t> units = document_units(documents);
    TokenMatrix matrix;
    matrix.starts.reserve(documents.size() + 1);
    matrix.starts.push_back(0);
    run_in_order(units.size() - 1, threads, interrupt,
                 [&] { return MatrixWorker{documents, units, matrix, Reader(tokenizer, index, values)}; });
    return matrix;
}

void score_tokens(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                  const TokenWeights& weights, double* out, double* lengths, std::size_t threads,
                  const Interrupt& interrupt) {
    const std::vector<std::size_t> units = document_units(documents);
    run_in_order(units.size() - 1, threads, interrupt, [&] {
        ScoreWorker worker{documents, units, weights, out, lengths, Reader(tokenizer, index, values)};
        if (weights.presence) worker.last.assign(index.columns(), UINT32_MAX);
        return worker;
    });
}

}  // namespace suffice
