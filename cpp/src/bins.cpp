#include "suffice/bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "moment_strip.hpp"
#include "suffice/hash_slots.hpp"

namespace suffice {

unsigned shift_for(std::span<const std::uint64_t> sorted_keys, std::size_t limit) {
    if (sorted_keys.size() <= limit) return 0;
    // Neighbours are in different bins at every shift up to the highest bit in which they differ.
    std::size_t parted[64] = {};
    for (std::size_t k = 1; k < sorted_keys.size(); ++k)
        ++parted[63 - std::countl_zero(sorted_keys[k - 1] ^ sorted_keys[k])];
    std::size_t bins = 1;
    for (unsigned shift = 64; shift > 0; --shift) {
        bins += parted[shift - 1];
        if (bins > limit) return shift;
    }
    return 0;
}

namespace {

// The histogram of one column under construction: an open-addressing table from bin id to a row of class counts.
class Histogram {
  public:
    Histogram(std::size_t classes, std::size_t limit)
        : classes_(classes), limit_(limit), below_(classes), above_(classes) {}

    // The shift required by a part of the data is a lower bound for all of it: start there instead of coarsening step
    // by step.
    void start_at_least(const std::vector<double>& some) {
        std::vector<std::uint64_t> keys;
        keys.reserve(some.size());
        for (const double value : some)
            if (std::isfinite(value)) keys.push_back(key_of(value));
        coarsen(std::max(shift_, shift_for(distinct(keys), limit_)));
    }

    void add(double value, std::size_t cls, double weight) {
        if (!(std::fabs(value) <= std::numeric_limits<double>::max())) {
            if (!std::isnan(value)) (value < 0 ? below_ : above_)[cls] += weight;
            return;
        }
        counts_[find(key_of(value)) * classes_ + cls] += weight;
    }

    void merge(const Histogram& other) {
        if (other.shift_ > shift_) coarsen(other.shift_);
        for (std::size_t id = 0; id < other.keys_.size(); ++id) {
            const std::size_t to = find(other.shift_ < 64 ? other.keys_[id] << other.shift_ : 0);
            for (std::size_t c = 0; c < classes_; ++c) counts_[to * classes_ + c] += other.counts_[id * classes_ + c];
        }
        for (std::size_t c = 0; c < classes_; ++c) {
            below_[c] += other.below_[c];
            above_[c] += other.above_[c];
        }
    }

    ColumnBins sorted() && {
        slots_ = {};
        std::vector<std::size_t> order(keys_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
        ColumnBins bins{shift_, {}, {}, std::move(below_), std::move(above_)};
        bins.keys.reserve(order.size());
        bins.counts.reserve(counts_.size());
        for (const std::size_t id : order) {
            bins.keys.push_back(keys_[id]);
            bins.counts.insert(bins.counts.end(), counts_.begin() + static_cast<std::ptrdiff_t>(id * classes_),
                               counts_.begin() + static_cast<std::ptrdiff_t>((id + 1) * classes_));
        }
        return bins;
    }

  private:
    static constexpr std::uint32_t nobody = 0xffffffff;

    struct Slot {
        std::uint64_t bin = 0;
        std::uint32_t id = nobody;
        bool taken() const { return id != nobody; }
    };

    // A shift by 64, the coarsest, must give 0.
    std::uint64_t bin_of(std::uint64_t key) const { return shift_ < 64 ? key >> shift_ : 0; }

    static std::span<const std::uint64_t> distinct(std::vector<std::uint64_t>& keys) {
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return keys;
    }

    std::size_t place(std::uint64_t bin) const {
        return slots_.find(bin * 0x9e3779b97f4a7c15u, [bin](const Slot& slot) { return slot.bin == bin; });
    }

    // The id of a key's bin. A new bin is inserted, after coarsening if the limit is reached.
    std::size_t find(std::uint64_t key) {
        if (slots_.size() > 0) {
            const Slot& slot = slots_[place(bin_of(key))];
            if (slot.taken()) [[likely]] return slot.id;
        }
        if (keys_.size() == limit_) {
            std::vector<std::uint64_t> keys(keys_);
            keys.push_back(bin_of(key));
            coarsen(shift_ + shift_for(distinct(keys), limit_));
            return find(key);
        }
        if (!slots_.room_for(keys_.size() + 1)) resize(std::max<std::size_t>(64, 4 * slots_.size()));
        return insert(bin_of(key));
    }

    std::size_t insert(std::uint64_t bin) {
        slots_[place(bin)] = {bin, static_cast<std::uint32_t>(keys_.size())};
        keys_.push_back(bin);
        counts_.resize(counts_.size() + classes_);
        return keys_.size() - 1;
    }

    void resize(std::size_t slots) {
        slots_.reset(slots);
        for (std::size_t id = 0; id < keys_.size(); ++id)
            slots_[place(keys_[id])] = {keys_[id], static_cast<std::uint32_t>(id)};
    }

    void coarsen(unsigned shift) {
        const unsigned by = shift - shift_;
        shift_ = shift;
        if (by == 0 || keys_.empty()) return;
        const std::vector<std::uint64_t> keys = std::move(keys_);
        const std::vector<double> counts = std::move(counts_);
        keys_.clear();
        counts_.clear();
        resize(slots_.size());
        for (std::size_t k = 0; k < keys.size(); ++k) {
            const std::uint64_t bin = by < 64 ? keys[k] >> by : 0;
            const Slot& slot = slots_[place(bin)];
            const std::size_t id = slot.taken() ? slot.id : insert(bin);
            for (std::size_t c = 0; c < classes_; ++c) counts_[id * classes_ + c] += counts[k * classes_ + c];
        }
    }

    std::size_t classes_, limit_;
    unsigned shift_ = 0;
    HashSlots<Slot, std::allocator<Slot>, HashBits::highest> slots_;  // by Fibonacci hashing
    std::vector<std::uint64_t> keys_;  // bin ids in order of first occurrence
    std::vector<double> counts_;       // bins × classes
    std::vector<double> below_, above_;
};

// Units are strips of columns, so that each histogram has one owner. If there are few columns, they are also cut into
// long runs of rows, which consist of whole blocks of moments.
constexpr std::size_t strip_cols = 4, run_rows = std::size_t{1} << 18, tile_rows = 2048, many_columns = 32,
                      look_ahead_rows = std::size_t{1} << 16;

struct Runs {
    std::size_t block_rows, rows, number;  // of each run but the last

    Runs(const Table& x, std::size_t classes) : block_rows(cut(x.rows, x.cols, classes).block_rows) {
        rows = x.cols >= many_columns ? std::max<std::size_t>(x.rows, 1) : (run_rows + block_rows - 1) / block_rows * block_rows;
        number = (x.rows + rows - 1) / rows;
    }
};

// The work of one thread. `moments` is null if they are not requested.
class BinWorker {
  public:
    BinWorker(const Table& x, const Labels& labels, std::size_t limit, const Runs& runs, std::vector<Histogram>& whole,
              std::vector<ColumnBins>& result, CollectedMoments* moments)
        : x_(x), labels_(labels), limit_(limit), runs_(runs), whole_(whole), result_(result), moments_(moments) {}

    void work(std::size_t unit, Checkpoint& checkpoint) {
        const std::size_t from = first_col(unit), cols = std::min(strip_cols, x_.cols - from);
        const std::size_t begin = unit % runs_.number * runs_.rows, end = std::min(x_.rows, begin + runs_.rows);
        TileReader reader(x_, from, cols);
        std::optional<MomentStrip> strip;
        if (moments_ != nullptr) strip.emplace(x_, labels_, from, cols);
        part_.assign(cols, Histogram(labels_.classes, limit_));
        blocks_.clear();
        columns_.assign(cols, std::vector<double>(tile_rows));
        look_ahead(reader, begin, std::min(end, begin + std::min(4 * limit_, look_ahead_rows)));
        for (std::size_t first = begin; first < end; first += runs_.block_rows) {
            const std::size_t rows = std::min(runs_.block_rows, end - first);
            if (strip) add_moments(*strip, first, rows, cols);
            for (std::size_t done = 0; done < rows; done += tile_rows) {
                checkpoint();
                add_bins(reader, first + done, std::min(tile_rows, rows - done));
            }
        }
    }

    void merge(std::size_t unit) {
        for (const CollectedMoments& block : blocks_) moments_->merge(first_col(unit), block);
        for (std::size_t j = 0; j < part_.size(); ++j) {
            const std::size_t column = first_col(unit) + j;
            if (runs_.number > 1) whole_[column].merge(part_[j]);
            // The hash table of a finished column is freed immediately: the tables of all columns would exceed the
            // result in size.
            if (unit % runs_.number == runs_.number - 1)
                result_[column] = std::move(runs_.number > 1 ? whole_[column] : part_[j]).sorted();
        }
    }

  private:
    std::size_t first_col(std::size_t unit) const { return unit / runs_.number * strip_cols; }

    // Blocks are merged one by one in their order. If there are several runs, the blocks of a run wait for the runs
    // before it.
    void add_moments(MomentStrip& strip, std::size_t first, std::size_t rows, std::size_t cols) {
        if (blocks_.empty() || runs_.number > 1) blocks_.push_back({cols, MomentTable(labels_.classes * cols)});
        strip.add_block(first, rows);
        strip.merge_into(blocks_.back());
    }

    void add_bins(TileReader& reader, std::size_t first, std::size_t rows) {
        block_.read(labels_, first, rows);
        reader.each(first, rows, [&](const double* tile, std::size_t stride, std::size_t at, std::size_t some) {
            for (std::size_t r = 0; r < some; ++r)
                for (std::size_t j = 0; j < part_.size(); ++j) columns_[j][at + r] = tile[r * stride + j];
        });
        for (std::size_t j = 0; j < part_.size(); ++j)
            for (std::size_t r = 0; r < rows; ++r)
                if (const std::int32_t code = block_.codes()[r]; code >= 0)
                    part_[j].add(columns_[j][r], static_cast<std::size_t>(code), block_.weight(r));
    }

    void look_ahead(TileReader& reader, std::size_t begin, std::size_t end) {
        const std::size_t rows = end - begin;
        block_.read(labels_, begin, rows);
        std::vector<std::vector<double>> seen(part_.size());
        reader.each(begin, rows, [&](const double* tile, std::size_t stride, std::size_t at, std::size_t some) {
            for (std::size_t r = 0; r < some; ++r)
                for (std::size_t j = 0; j < part_.size() && block_.codes()[at + r] >= 0; ++j)
                    seen[j].push_back(tile[r * stride + j]);
        });
        for (std::size_t j = 0; j < part_.size(); ++j) part_[j].start_at_least(seen[j]);
    }

    const Table& x_;
    const Labels& labels_;
    std::size_t limit_;
    const Runs& runs_;
    std::vector<Histogram>& whole_;
    std::vector<ColumnBins>& result_;
    CollectedMoments* moments_;
    std::vector<Histogram> part_;
    std::vector<CollectedMoments> blocks_;
    std::vector<std::vector<double>> columns_;
    LabelBlock block_;
};

std::vector<ColumnBins> collect_bins(const Table& x, const Labels& labels, std::size_t limit, std::size_t threads,
                                     const Interrupt& interrupt, CollectedMoments* moments) {
    const Runs runs(x, labels.classes);
    std::vector<Histogram> whole(runs.number > 1 ? x.cols : 0, Histogram(labels.classes, limit));
    std::vector<ColumnBins> result(x.cols, ColumnBins{0, {}, {}, std::vector<double>(labels.classes), std::vector<double>(labels.classes)});
    const std::size_t strips = (x.cols + strip_cols - 1) / strip_cols;
    run_in_order(strips * runs.number, threads_for(x.rows * x.cols, threads), interrupt,
                 [&] { return BinWorker(x, labels, limit, runs, whole, result, moments); });
    return result;
}

}  // namespace

std::vector<ColumnBins> bins(const Table& x, const Labels& labels, std::size_t limit, std::size_t threads,
                             const Interrupt& interrupt) {
    return collect_bins(x, labels, limit, threads, interrupt, nullptr);
}

NumericColumns moments_and_bins(const Table& x, const Labels& labels, std::size_t limit, std::size_t threads,
                                const Interrupt& interrupt) {
    // For contiguous rows, moments are computed at memory bandwidth: strips of columns would take longer.
    if (x.columns.empty() && x.cols > strip_cols && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype))) {
        MomentTable by_rows = moments(x, labels, threads, interrupt);
        return {std::move(by_rows), bins(x, labels, limit, threads, interrupt)};
    }
    CollectedMoments collected{x.cols, MomentTable(labels.classes * x.cols)};
    std::vector<ColumnBins> found = collect_bins(x, labels, limit, threads, interrupt, &collected);
    collected.throw_if_overflown();
    return {std::move(collected.table), std::move(found)};
}

}  // namespace suffice
