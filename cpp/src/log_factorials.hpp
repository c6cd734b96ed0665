// ln x! = ln Γ(1 + x) of counts, with a table for small integer x.
#pragma once

#include <array>
#include <cstddef>

#include "suffice/kernels.hpp"

namespace suffice {

class LogFactorials {
  public:
    static constexpr std::size_t size = 1024;  // of the table

    LogFactorials() {
        for (std::size_t x = 0; x < table_.size(); ++x) table_[x] = computed(static_cast<double>(x));
    }
    // One table for the process; its bits are the same on every instruction set.
    static const LogFactorials& shared() {
        static const LogFactorials table;
        return table;
    }

    const double* table() const { return table_.data(); }
    double of(double x) const {
        if (x < static_cast<double>(table_.size()))
            if (const auto whole = static_cast<std::size_t>(x); static_cast<double>(whole) == x) return table_[whole];
        return computed(x);
    }

  private:
    static double computed(double x) {
        alignas(64) double one[lanes], log[lanes];
        for (double& start : one) start = 1;
        kernels().log_rising(one, lanes, x, log);
        return log[0];
    }

    std::array<double, size> table_;
};

}  // namespace suffice
