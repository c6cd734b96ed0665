// One instruction set's table of kernels: its source file names it and is compiled for it.

#include "lane8.inl"
#include "turn.inl"
#include "collect.inl"
#include "score.inl"
#include "finish.inl"
#include "log_gamma.inl"
#include "score_counts.inl"
#include "score_steps.inl"
#include "score_ellipses.inl"

namespace suffice {

extern const Kernels SUFFICE_KERNELS;
const Kernels SUFFICE_KERNELS = {
    SUFFICE_KERNELS_NAME, load_rows,      load_column,    load_eight_columns, turn_rows, row_slots,   column_slots,  moments_clean,
    moments_masked,       sums_clean,     sums_masked,    presence_clean,     presence_masked, outer_products, sum,
    quadratic_terms,      student_terms,  uniform_terms,  level_terms,    presence_terms,     tabled_terms, linear_terms, calibrate_rows, finish_rows,   any_missing,  all_finite,
    log_rising,           log_factorials, count_slots,    gather_terms,       rising_terms, count_logs,
    tile_logs,            split_logs,
    step_slots,           observed_slots, slot_terms,
    ellipse_terms,        affine_terms,
};

}  // namespace suffice
