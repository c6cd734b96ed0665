#include "suffice/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "log_factorials.hpp"

namespace suffice {
namespace {

constexpr double most_count = 1e290;  // so that sums of counts and their logs are finite
constexpr double never = std::numeric_limits<double>::infinity();

double log_of(double x) {  // ln x = ln Γ(x + 1) − ln Γ(x)
    alignas(64) double start[lanes], log[lanes];
    std::fill_n(start, lanes, x);
    kernels().log_rising(start, lanes, 1, log);
    return log[0];
}

// ln C(n + k, k) for real n ≥ 0 and integer k.
double log_choose(double n, double k) {
    const LogFactorials& log = LogFactorials::shared();
    return k == 0 ? 0 : log.of(n + k) - log.of(k) - log.of(n);
}

// The counts of the classes that have weight, bins × classes. The classes are sorted by their counts, so that sums over
// classes, and therefore ties, do not depend on the names of the classes.
struct Counts {
    std::size_t bins, classes = 0;
    std::vector<double> values, totals;
    double total = 0;

    explicit Counts(const ClassCounts& given) : bins(given.bins) {
        std::vector<double> sums(given.classes);
        for (std::size_t b = 0; b < bins; ++b)
            for (std::size_t j = 0; j < given.classes; ++j) sums[j] += clipped(given, b, j);
        std::vector<std::size_t> kept;
        for (std::size_t j = 0; j < given.classes; ++j)
            if (sums[j] > 0) kept.push_back(j);
        std::sort(kept.begin(), kept.end(), [&](std::size_t i, std::size_t j) {
            if (sums[i] != sums[j]) return sums[i] < sums[j];
            for (std::size_t b = 0; b < bins; ++b)
                if (clipped(given, b, i) != clipped(given, b, j)) return clipped(given, b, i) < clipped(given, b, j);
            return i < j;
        });
        classes = kept.size();
        values.reserve(bins * classes);
        for (std::size_t b = 0; b < bins; ++b)
            for (const std::size_t j : kept) values.push_back(clipped(given, b, j));
        for (const std::size_t j : kept) totals.push_back(sums[j]);
        for (const double sum : totals) total += sum;
    }
    const double* row(std::size_t b) const { return values.data() + b * classes; }

    // Joins runs of bins of a single common class, or without rows, and returns the first bin of each run. The cost as
    // a function of an edge within such a run is concave, because ψ'(N_i + J) < ψ'(N_ij + 1), so no optimal edge is
    // lost.
    std::vector<std::int64_t> join_pure_runs() {
        std::vector<std::int64_t> starts;
        std::size_t before = classes;  // the class of the last run, or `classes` if it has several
        for (std::size_t b = 0; b < bins; ++b) {
            std::size_t own = before, present = 0;
            for (std::size_t j = 0; j < classes; ++j)
                if (row(b)[j] > 0) {
                    own = j;
                    ++present;
                }
            if (present > 1) own = classes;
            if (starts.empty() || (present > 0 && (own != before || own == classes))) {
                starts.push_back(static_cast<std::int64_t>(b));
                std::copy_n(row(b), classes, values.begin() + static_cast<std::ptrdiff_t>((starts.size() - 1) * classes));
            } else {
                for (std::size_t j = 0; j < classes; ++j) values[(starts.size() - 1) * classes + j] += row(b)[j];
            }
            before = own;
        }
        bins = starts.size();
        values.resize(bins * classes);
        return starts;
    }

  private:
    static double clipped(const ClassCounts& given, std::size_t b, std::size_t j) {
        return std::min(given.values[b * given.classes + j], most_count / 0x1p24);
    }
};

// The summand of F of one cell, updated by rows of counts: only the logs of the classes that change are recomputed.
class Cell {
  public:
    explicit Cell(std::size_t classes)
        : counts_(classes), logs_(classes), pending_(classes), waiting_(classes + 1 + lanes), answers_(classes + 1 + lanes) {}

    void clear() {
        std::fill(counts_.begin(), counts_.end(), 0.0);
        std::fill(logs_.begin(), logs_.end(), 0.0);
        total_ = 0;
    }
    // Adds a row, or removes it if `sign` is −1.
    void add(const double* row, double sign = 1) {
        std::size_t number = 0;
        for (std::size_t j = 0; j < counts_.size(); ++j) {
            if (row[j] == 0) continue;
            total_ += sign * row[j];
            const double count = std::max(counts_[j] + sign * row[j], 0.0);
            counts_[j] = count;
            if (!tabled(count, logs_[j])) {
                pending_[number] = j;
                waiting_[number++] = count;
            }
        }
        total_ = std::max(total_, 0.0);
        const std::size_t of_classes = number;
        const double of_total = total_ + static_cast<double>(counts_.size()) - 1;
        if (!tabled(of_total, log_total_)) waiting_[number++] = of_total;
        if (number == 0) return;
        const std::size_t whole = (number + lanes - 1) / lanes * lanes;
        std::fill(waiting_.begin() + static_cast<std::ptrdiff_t>(number), waiting_.begin() + static_cast<std::ptrdiff_t>(whole), 0.0);
        kernels().log_factorials(waiting_.data(), whole, answers_.data());
        for (std::size_t k = 0; k < of_classes; ++k) logs_[pending_[k]] = answers_[k];
        if (number > of_classes) log_total_ = answers_[of_classes];
    }
    double cost() const {
        double sum = 0;
        for (const double log : logs_) sum += log;
        return total_ > 0 ? log_total_ - factorials_->of(static_cast<double>(counts_.size()) - 1) - sum : 0;
    }
    const double* counts() const { return counts_.data(); }
    double total() const { return total_; }

  private:
    bool tabled(double x, double& log) const {
        if (!(x < LogFactorials::size)) return false;
        const auto whole = static_cast<std::size_t>(x);
        if (static_cast<double>(whole) != x) return false;
        log = factorials_->table()[whole];
        return true;
    }

    const LogFactorials* factorials_ = &LogFactorials::shared();
    std::vector<double> counts_, logs_;
    std::vector<std::size_t> pending_;
    std::vector<double> waiting_, answers_;
    double total_ = 0, log_total_ = 0;
};

// The increase of F if two neighbours are merged, valid as long as neither has changed.
struct Merge {
    double added;
    std::size_t left, right;  // slots
    std::uint32_t left_age, right_age;
    bool operator>(const Merge& other) const {
        return std::tie(added, left, right) > std::tie(other.added, other.left, other.right);
    }
};

// A sequence of cells that are merged with their neighbours. Slot k starts as cell k; a merged cell keeps the left
// slot.
class Chain {
  public:
    Chain(std::span<const double> rows, std::size_t classes)
        : classes_(classes), left_(rows.size() / std::max<std::size_t>(classes, 1)), scratch_(classes), rows_(rows.begin(), rows.end()) {
        const std::size_t count = left_;
        next_.resize(count);
        before_.resize(count);
        age_.resize(count);
        cost_.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            next_[k] = k + 1;
            before_[k] = k == 0 ? count : k - 1;
            cost_[k] = cost_of(k, k);
            sum_ += cost_[k];
        }
        std::vector<Merge> merges;
        for (std::size_t k = 0; k + 1 < count; ++k) merges.push_back(merge_of(k, k + 1));
        heap_ = Heap(std::greater<>{}, std::move(merges));
    }
    std::size_t size() const { return left_; }
    double cost() const { return sum_; }  // F

    // Applies the merge that increases F least; returns the slot that is removed.
    std::size_t merge() {
        while (true) {
            const Merge best = heap_.top();
            heap_.pop();
            if (age_[best.left] != best.left_age || age_[best.right] != best.right_age) continue;
            const std::size_t l = best.left, r = best.right, end = next_.size();
            for (std::size_t j = 0; j < classes_; ++j) rows_[l * classes_ + j] += rows_[r * classes_ + j];
            sum_ += best.added;
            cost_[l] += cost_[r] + best.added;
            ++age_[l];
            ++age_[r];
            next_[l] = next_[r];
            if (next_[l] < end) before_[next_[l]] = l;
            --left_;
            if (before_[l] < end) heap_.push(merge_of(before_[l], l));
            if (next_[l] < end) heap_.push(merge_of(l, next_[l]));
            return r;
        }
    }

  private:
    using Heap = std::priority_queue<Merge, std::vector<Merge>, std::greater<>>;

    double cost_of(std::size_t a, std::size_t b) {
        scratch_.clear();
        scratch_.add(rows_.data() + a * classes_);
        if (b != a) scratch_.add(rows_.data() + b * classes_);
        return scratch_.cost();
    }
    Merge merge_of(std::size_t l, std::size_t r) {
        return {cost_of(l, r) - cost_[l] - cost_[r], l, r, age_[l], age_[r]};
    }

    std::size_t classes_, left_;
    Cell scratch_;
    std::vector<double> rows_;
    std::vector<std::size_t> next_, before_;
    std::vector<std::uint32_t> age_;
    std::vector<double> cost_;
    double sum_ = 0;
    Heap heap_;
};

// Differences below this are rounding error.
double rounding(double total) { return 1e-10 + 1e-14 * LogFactorials::shared().of(total); }

class Intervals {
  public:
    explicit Intervals(const Counts& counts) : counts_(counts), cell_(counts.classes), step_(rounding(counts.total)) {}

    std::vector<std::int64_t> choose() {
        merge_all();
        improve();
        return {starts_.begin(), starts_.end() - 1};
    }
    double prior(std::size_t intervals) const {
        return log_choose(counts_.total, static_cast<double>(intervals) - 1);
    }
    double cost_of(std::size_t begin, std::size_t end) {
        cell_.clear();
        for (std::size_t b = begin; b < end; ++b) cell_.add(counts_.row(b));
        return cell_.cost();
    }

  private:
    struct Cut {
        double cost = never;  // F of both sides
        std::size_t at = 0;
    };
    enum class Step { none, split, merge, move, shrink };

    void merge_all() {
        Chain chain(counts_.values, counts_.classes);
        const std::size_t bins = counts_.bins;
        double best = chain.cost() + prior(bins);
        std::size_t made = 0;
        std::vector<std::size_t> ended;
        while (chain.size() > 1) {
            ended.push_back(chain.merge());
            if (const double cost = chain.cost() + prior(chain.size()); cost <= best) {
                best = cost;
                made = ended.size();
            }
        }
        std::vector<bool> starts(bins + 1, true);
        for (std::size_t k = 0; k < made; ++k) starts[ended[k]] = false;
        for (std::size_t b = 0; b <= bins; ++b)
            if (starts[b]) starts_.push_back(static_cast<std::int64_t>(b));
    }

    // The best cut of the bins from `begin` to `end` into two intervals.
    Cut best_cut(std::size_t begin, std::size_t end) {
        Cut best;
        if (end - begin < 2) return best;
        right_.resize(end - begin);
        cell_.clear();
        for (std::size_t b = end - 1; b > begin; --b) {
            cell_.add(counts_.row(b));
            right_[b - begin] = cell_.cost();
        }
        cell_.clear();
        for (std::size_t b = begin + 1; b < end; ++b) {
            cell_.add(counts_.row(b - 1));
            if (const double cost = cell_.cost() + right_[b - begin]; cost < best.cost) best = {cost, b};
        }
        return best;
    }

    std::size_t start(std::size_t i) const { return static_cast<std::size_t>(starts_[i]); }

    // Cached costs of interval i, and of the two and three intervals that start with it.
    struct Known {
        double own = never, both = never;
        Cut one, two, three;
        bool done = false;
    };

    void learn(std::size_t i) {
        Known& known = known_[i];
        if (known.done) return;
        const std::size_t count = starts_.size() - 1;
        known = {};
        known.own = cost_of(start(i), start(i + 1));
        known.one = best_cut(start(i), start(i + 1));
        if (i + 1 < count) {
            known.both = cost_of(start(i), start(i + 2));
            known.two = best_cut(start(i), start(i + 2));
        }
        if (i + 2 < count) known.three = best_cut(start(i), start(i + 3));
        known.done = true;
    }

    void improve() {
        known_.assign(starts_.size() - 1, {});
        while (true) {
            const std::size_t count = starts_.size() - 1;
            for (std::size_t i = 0; i < count; ++i) learn(i);
            const double more = prior(count + 1) - prior(count), fewer = count > 1 ? prior(count - 1) - prior(count) : 0;
            double best = -step_;
            Step step = Step::none;
            std::size_t at = 0, cut = 0;
            const auto offer = [&](double change, Step kind, std::size_t i, std::size_t to) {
                if (change < best) {
                    best = change;
                    step = kind;
                    at = i;
                    cut = to;
                }
            };
            for (std::size_t i = 0; i < count; ++i) {
                const Known& known = known_[i];
                offer(known.one.cost - known.own + more, Step::split, i, known.one.at);
                if (i + 1 >= count) continue;
                const double two = known.own + known_[i + 1].own;
                offer(known.both - two + fewer, Step::merge, i, 0);
                if (known.two.at != start(i + 1)) offer(known.two.cost - two, Step::move, i, known.two.at);
                if (i + 2 < count) offer(known.three.cost - (two + known_[i + 2].own) + fewer, Step::shrink, i, known.three.at);
            }
            if (step == Step::none) return;
            make(step, at, cut);
        }
    }

    void make(Step step, std::size_t i, std::size_t cut) {
        const auto place = [](auto& of, std::size_t k) { return of.begin() + static_cast<std::ptrdiff_t>(k); };
        if (step == Step::split) {
            starts_.insert(place(starts_, i + 1), static_cast<std::int64_t>(cut));
            known_.insert(place(known_, i + 1), Known{});
        } else if (step == Step::move) {
            starts_[i + 1] = static_cast<std::int64_t>(cut);
        } else {
            if (step == Step::shrink) starts_[i + 1] = static_cast<std::int64_t>(cut);
            const std::size_t gone = step == Step::shrink ? i + 2 : i + 1;
            starts_.erase(place(starts_, gone));
            known_.erase(place(known_, gone));
        }
        // The cached costs of an interval depend on the two intervals to its right.
        const std::size_t last = std::min(i + 2, known_.size());
        for (std::size_t k = i < 2 ? 0 : i - 2; k < last; ++k) known_[k].done = false;
    }

    const Counts& counts_;
    Cell cell_;
    double step_;
    std::vector<double> right_;
    std::vector<std::int64_t> starts_;  // and the end
    std::vector<Known> known_;
};

// ln B(v, i) for i = 1 … most, at i − 1.
//
// With T(v, k) = S(v, k) k!/kᵛ, the probability that v balls leave none of k boxes empty, and q_k = B(v, k)/S(v, k):
//   T(v, k) = T(v − 1, k) + T(v − 1, k − 1) ((k − 1)/k)^(v − 1)
//   q_k     = 1 + q_{k−1} k ((k − 1)/k)ᵛ T(v, k − 1)/T(v, k)
// These are sums of positive numbers that neither overflow nor cancel: T(k, k) = k!/kᵏ > e⁻ᵏ.
std::vector<double> log_partitions(std::size_t v, std::size_t most) {
    std::vector<double> covered(most + 1, 0.0), power(most + 1, 1.0);  // T(u, k) and ((k − 1)/k)ᵘ, initially for u = 0
    covered[0] = 1;
    for (std::size_t u = 1; u <= v; ++u) {
        for (std::size_t k = std::min(u, most); k >= 1; --k) covered[k] += covered[k - 1] * power[k];
        covered[0] = 0;
        for (std::size_t k = 1; k <= most; ++k) power[k] *= static_cast<double>(k - 1) / static_cast<double>(k);
    }
    std::vector<double> logs;
    double q = 0;
    for (std::size_t k = 1; k <= most; ++k) {
        const auto boxes = static_cast<double>(k);
        q = 1 + (k > 1 ? q * boxes * power[k] * covered[k - 1] / covered[k] : 0);
        const double stirling = log_of(covered[k]) + static_cast<double>(v) * log_of(boxes) - LogFactorials::shared().of(boxes);
        logs.push_back(stirling + log_of(q));
    }
    return logs;
}

class Groups {
  public:
    explicit Groups(const Counts& counts) : counts_(counts), step_(rounding(counts.total)) {
        for (std::size_t v = 0; v < counts.bins; ++v)
            if (std::any_of(counts.row(v), counts.row(v) + counts.classes, [](double n) { return n > 0; })) levels_.push_back(v);
        prior_ = log_partitions(levels_.size(), std::min(levels_.size(), most_groups));
    }
    double prior(std::size_t groups) const { return groups == 0 ? 0 : groups <= prior_.size() ? prior_[groups - 1] : never; }

    std::vector<std::int64_t> choose() {
        std::vector<std::int64_t> of_level(counts_.bins, 0);
        if (levels_.empty()) return of_level;
        merge_neighbours();
        merge_pairs();
        while (move_levels() || merge_pair()) {}
        return numbered();
    }

  private:
    struct Group {
        Cell cell;
        double cost;
        std::vector<std::size_t> levels;
    };

    // Forms at most most_groups groups of levels that are neighbours in the order of their class distributions.
    void merge_neighbours() {
        const std::size_t classes = counts_.classes;
        struct Place {
            std::size_t top;
            double share;
            std::size_t level;
        };
        std::vector<Place> order;
        for (const std::size_t v : levels_) {
            const double* row = counts_.row(v);
            const double n = std::accumulate(row, row + classes, 0.0);
            const auto share = [&](std::size_t j) { return (row[j] + counts_.totals[j] / counts_.total) / (n + 1); };
            std::size_t top = classes == 2 ? 1 : 0;
            if (classes > 2)
                for (std::size_t j = 1; j < classes; ++j)
                    if (share(j) / counts_.totals[j] > share(top) / counts_.totals[top]) top = j;
            order.push_back({top, share(top), v});
        }
        std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
            return std::tie(a.top, b.share, a.level) < std::tie(b.top, a.share, b.level);
        });
        std::vector<double> rows;
        for (const Place& place : order) rows.insert(rows.end(), counts_.row(place.level), counts_.row(place.level) + classes);
        std::vector<bool> starts(order.size(), true);
        if (order.size() > most_groups) {
            Chain chain(rows, classes);
            while (chain.size() > most_groups) starts[chain.merge()] = false;
        }
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (starts[k]) groups_.push_back({Cell(classes), 0, {}});
            put(groups_.back(), order[k].level);
        }
    }

    void put(Group& group, std::size_t level) {
        group.levels.push_back(level);
        group.cell.add(counts_.row(level));
        group.cost = group.cell.cost();
    }
    double together(const Group& a, const Group& b) {
        scratch_ = a.cell;
        scratch_.add(b.cell.counts());
        return scratch_.cost() - a.cost - b.cost;
    }

    // Merges the pair that increases F least, down to one group, and keeps the best partition on the way.
    void merge_pairs() {
        const std::size_t count = groups_.size();
        std::vector<std::vector<double>> added(count, std::vector<double>(count, never));
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b) added[a][b] = together(groups_[a], groups_[b]);
        double cost = prior(count);
        for (const Group& group : groups_) cost += group.cost;
        double best = cost;
        std::vector<std::pair<std::size_t, std::size_t>> merges;
        std::size_t made = 0;
        std::vector<Group> work = groups_;
        std::vector<std::size_t> alive(count);
        std::iota(alive.begin(), alive.end(), 0);
        while (alive.size() > 1) {
            std::size_t a = 0, b = 0;
            double least = never;
            for (std::size_t k = 0; k < alive.size(); ++k)
                for (std::size_t m = k + 1; m < alive.size(); ++m)
                    if (added[alive[k]][alive[m]] < least) {
                        least = added[alive[k]][alive[m]];
                        a = alive[k];
                        b = alive[m];
                    }
            cost += least + prior(alive.size() - 1) - prior(alive.size());
            work[a].cell.add(work[b].cell.counts());
            work[a].cost = work[a].cell.cost();
            alive.erase(std::find(alive.begin(), alive.end(), b));
            for (const std::size_t other : alive)
                if (other != a) added[std::min(a, other)][std::max(a, other)] = together(work[std::min(a, other)], work[std::max(a, other)]);
            merges.emplace_back(a, b);
            if (cost <= best) {
                best = cost;
                made = merges.size();
            }
        }
        std::vector<bool> gone(count, false);
        for (std::size_t k = 0; k < made; ++k) {
            const auto [a, b] = merges[k];
            for (const std::size_t v : groups_[b].levels) groups_[a].levels.push_back(v);
            gone[b] = true;
        }
        std::vector<Group> kept;
        for (std::size_t k = 0; k < count; ++k)
            if (!gone[k]) kept.push_back(made_of(groups_[k].levels));
        groups_ = std::move(kept);
    }

    Group made_of(std::vector<std::size_t> levels) {
        std::sort(levels.begin(), levels.end());
        Group group{Cell(counts_.classes), 0, {}};
        for (const std::size_t v : levels) put(group, v);
        return group;
    }
    double cost() const {
        double sum = prior(groups_.size());
        for (const Group& group : groups_) sum += group.cost;
        return sum;
    }

    // Moves levels to another group, or to a new one, if that lowers the cost. Returns whether any was moved.
    bool move_levels() {
        const std::vector<Group> before = groups_;
        const double cost_before = cost();
        std::vector<std::size_t> place(counts_.bins);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (const std::size_t v : groups_[g].levels) place[v] = g;
        std::vector<std::size_t> sizes;
        for (const Group& group : groups_) sizes.push_back(group.levels.size());
        std::size_t count = groups_.size();  // number of non-empty groups
        bool any = false;
        for (const std::size_t v : levels_) {
            const std::size_t from = place[v], none = groups_.size();
            const bool alone = sizes[from] == 1;
            const double removed = changed(groups_[from], v, -1) + (alone ? prior(count - 1) - prior(count) : 0);
            double best = -step_;
            std::size_t to = none;
            for (std::size_t g = 0; g < none; ++g) {
                if (g == from || sizes[g] == 0) continue;
                if (const double change = removed + changed(groups_[g], v, 1); change < best) {
                    best = change;
                    to = g;
                }
            }
            const Group empty{Cell(counts_.classes), 0, {}};
            if (!alone && removed + changed(empty, v, 1) + prior(count + 1) - prior(count) < best) {
                groups_.push_back(empty);
                sizes.push_back(0);
                to = none;
            } else if (to == none) {
                continue;
            }
            for (const auto& [g, sign] : {std::pair{from, -1.0}, std::pair{to, 1.0}}) {
                groups_[g].cell.add(counts_.row(v), sign);
                groups_[g].cost = groups_[g].cell.cost();
            }
            count += (sizes[to] == 0) - alone;
            --sizes[from];
            ++sizes[to];
            place[v] = to;
            any = true;
        }
        if (!any) return false;
        // The groups are summed again, level by level, so that their cost depends only on the partition.
        std::vector<std::vector<std::size_t>> levels(groups_.size());
        for (const std::size_t v : levels_) levels[place[v]].push_back(v);
        groups_.clear();
        for (auto& own : levels)
            if (!own.empty()) groups_.push_back(made_of(std::move(own)));
        if (cost() < cost_before - step_) return true;
        groups_ = before;
        return false;
    }

    // The change of F when a level is added to a group or removed from it.
    double changed(const Group& group, std::size_t level, double sign) {
        scratch_ = group.cell;
        scratch_.add(counts_.row(level), sign);
        return scratch_.cost() - group.cost;
    }

    bool merge_pair() {
        double best = -step_;
        std::size_t a = 0, b = 0;
        if (groups_.size() < 2) return false;
        const double fewer = prior(groups_.size() - 1) - prior(groups_.size());
        for (std::size_t k = 0; k < groups_.size(); ++k)
            for (std::size_t m = k + 1; m < groups_.size(); ++m)
                if (const double change = together(groups_[k], groups_[m]) + fewer; change < best) {
                    best = change;
                    a = k;
                    b = m;
                }
        if (b == 0) return false;
        std::vector<std::size_t> levels = groups_[a].levels;
        levels.insert(levels.end(), groups_[b].levels.begin(), groups_[b].levels.end());
        groups_[a] = made_of(levels);
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(b));
        return true;
    }

    std::vector<std::int64_t> numbered() const {
        std::size_t largest = 0;
        for (std::size_t g = 1; g < groups_.size(); ++g)
            if (groups_[g].cell.total() > groups_[largest].cell.total()) largest = g;
        std::vector<std::size_t> group(counts_.bins, largest);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (const std::size_t v : groups_[g].levels) group[v] = g;
        std::vector<std::int64_t> number(groups_.size(), -1), out;
        std::int64_t next = 0;
        for (const std::size_t g : group) {
            if (number[g] < 0) number[g] = next++;
            out.push_back(number[g]);
        }
        return out;
    }

    const Counts& counts_;
    double step_;
    Cell scratch_{counts_.classes};
    std::vector<std::size_t> levels_;  // with weight
    std::vector<double> prior_;
    std::vector<Group> groups_;
};

}  // namespace

std::vector<std::int64_t> choose_intervals(const ClassCounts& given) {
    if (given.bins == 0) return {};
    Counts counts(given);
    if (counts.classes < 2) return {0};
    const std::vector<std::int64_t> runs = counts.join_pure_runs();
    std::vector<std::int64_t> starts = Intervals(counts).choose();
    for (std::int64_t& start : starts) start = runs[static_cast<std::size_t>(start)];
    return starts;
}

double interval_cost(const ClassCounts& given, std::span<const std::int64_t> starts) {
    const Counts counts(given);
    if (!(counts.total > 0)) return 0;
    Intervals intervals(counts);
    double cost = log_of(counts.total) + intervals.prior(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i)
        cost += intervals.cost_of(static_cast<std::size_t>(starts[i]),
                                  i + 1 < starts.size() ? static_cast<std::size_t>(starts[i + 1]) : counts.bins);
    return cost;
}

std::vector<std::int64_t> choose_groups(const ClassCounts& given) {
    const Counts counts(given);
    if (counts.classes < 2) return std::vector<std::int64_t>(given.bins, 0);
    return Groups(counts).choose();
}

double group_cost(const ClassCounts& given, std::span<const std::int64_t> groups) {
    const Counts counts(given);
    std::size_t number = 0, levels = 0;
    for (const std::int64_t group : groups) number = std::max(number, static_cast<std::size_t>(group) + 1);
    std::vector<Cell> cells(number, Cell(counts.classes));
    for (std::size_t v = 0; v < counts.bins; ++v) {
        cells[static_cast<std::size_t>(groups[v])].add(counts.row(v));
        levels += std::any_of(counts.row(v), counts.row(v) + counts.classes, [](double n) { return n > 0; });
    }
    const auto used = static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.total() > 0; }));
    if (levels == 0) return 0;
    double cost = log_of(static_cast<double>(levels)) + Groups(counts).prior(used);
    for (const Cell& cell : cells) cost += cell.cost();
    return cost;
}

std::vector<std::vector<std::int64_t>> choose_cells(CellKind kind, const ClassCounts& counts,
                                                    std::span<const std::int64_t> offsets, std::size_t threads,
                                                    const Interrupt& interrupt) {
    struct Worker {
        CellKind kind;
        const ClassCounts& counts;
        std::span<const std::int64_t> offsets;
        std::vector<std::vector<std::int64_t>>& out;
        std::vector<std::int64_t> chosen = {};

        void work(std::size_t column, Checkpoint&) {
            const auto begin = static_cast<std::size_t>(offsets[column]), end = static_cast<std::size_t>(offsets[column + 1]);
            const ClassCounts own{counts.values + begin * counts.classes, end - begin, counts.classes};
            chosen = kind == CellKind::intervals ? choose_intervals(own) : choose_groups(own);
        }
        void merge(std::size_t column) { out[column] = std::move(chosen); }
    };
    std::vector<std::vector<std::int64_t>> out(offsets.empty() ? 0 : offsets.size() - 1);
    // Each cell is visited many times, so a thread pays off for fewer cells than in a pass over rows.
    run_in_order(out.size(), threads_for(64 * counts.bins * counts.classes, threads), interrupt,
                 [&] { return Worker{kind, counts, offsets, out}; });
    return out;
}

}  // namespace suffice
