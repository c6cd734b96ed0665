// The kernels that finish scores. See suffice/kernels.hpp for their contracts.
//
//   top = max_c s_c,  e_c = exp(s_c − top),  sum = Σ_c e_c in the order of the classes
//   log posterior = s_c − top − log sum,  posterior = e_c / sum,  density = top + log sum
//
// where s_c is the log prior plus the terms. A row that is impossible under every class has the prior as its posterior.
// A score of NaN or +inf is the result of an overflow: its row is undefined.

namespace suffice {
namespace {

void calibrate_rows(double* scores, size_t rows, size_t classes, double scale, const double* offsets) {
    const Lane8 zero = {};
    for (size_t r = 0; r < rows; r += lanes, scores += lanes) {
        const Lane8 first = load(scores);
        Mask8 same = first - first == zero;  // finite
        for (size_t c = 1; c < classes; ++c) same &= load(scores + c * rows) == first;
        for (size_t c = 0; c < classes; ++c) {
            const Lane8 s = load(scores + c * rows) * scale + offsets[c];
            store(scores + c * rows, same ? zero : s);
        }
    }
}

enum : int { joint, log_posterior, posterior, density };

// Writes the scores of up to eight rows, classes × rows, as consecutive rows of classes, at most up to `end`.
template <size_t n>
inline __attribute__((always_inline)) void put_rows(const double* scores, size_t rows, size_t used, size_t classes, double* out,
                                                    const double* end) {
#if defined(__AVX512F__)
    if (n > 0 && used == lanes) {
        Lane8 x[lanes] = {};
        for (size_t c = 0; c < n; ++c) x[c] = load(scores + c * rows);
        transpose(x);
        // Whole registers are stored: the excess entries of one are overwritten by the next.
        for (size_t k = 0; k < lanes; ++k, out += n)
            if (static_cast<size_t>(end - out) >= lanes) {
                store(out, x[k]);
            } else {
                for (size_t c = 0; c < n; ++c) out[c] = scores[c * rows + k];
            }
        return;
    }
#endif
    (void)end;
    for (size_t k = 0; k < used; ++k)
        for (size_t c = 0; c < classes; ++c) *out++ = scores[c * rows + k];
}

// For `n` classes, or any number of them if n is 0.
template <int wanted, size_t n>
size_t finish(double* scores, size_t rows, size_t used, size_t any_number, const double* log_prior, double* out, size_t* undefined) {
    const size_t classes = n > 0 ? n : any_number, per_row = wanted == density ? 1 : classes;
    const Lane8 zero = {}, minus_infinity = zero - __builtin_inf();
    const double* const end = out + used * per_row;
    size_t impossible = 0;
    for (size_t r = 0; r < used; r += lanes, scores += lanes, out += lanes * per_row) {
        const size_t here = used - r < lanes ? used - r : lanes;
        Lane8 most = minus_infinity;
        Mask8 odd = {};
        for (size_t c = 0; c < classes; ++c) {
            const Lane8 s = load(scores + c * rows) + log_prior[c];
            store(scores + c * rows, s);
            most = s > most ? s : most;
            odd |= ~(s < -minus_infinity);
        }
        const Mask8 none = most == minus_infinity;
        if (any(none | odd))
            for (size_t k = 0; k < here; ++k) {
                impossible += none[k] != 0;
                if (odd[k] != 0 && *undefined == used) *undefined = r + k;
            }
        if (wanted != joint) {
            Lane8 sum = zero;
            const Lane8 top = none ? zero : most;
            for (size_t c = 0; c < classes; ++c) {
                const Lane8 s = none ? zero + log_prior[c] : load(scores + c * rows) - top;
                const Lane8 e = exp8(s);
                sum += e;
                store(scores + c * rows, wanted == posterior ? e : s);
            }
            const Lane8 log_sum = wanted == posterior ? zero : log8(sum);
            if (wanted == density) {
                store(scores, none ? minus_infinity : top + log_sum);
            } else {
                for (size_t c = 0; c < classes; ++c) {
                    const Lane8 s = load(scores + c * rows);
                    store(scores + c * rows, wanted == posterior ? s / sum : s - log_sum);
                }
            }
        }
        if (wanted == density) {
            for (size_t k = 0; k < here; ++k) out[k] = scores[k];
        } else {
            put_rows<n>(scores, rows, here, classes, out, end);
        }
    }
    return impossible;
}

template <int wanted>
size_t finish(double* scores, size_t rows, size_t used, size_t classes, const double* log_prior, double* out, size_t* undefined) {
    switch (classes) {
        case 2: return finish<wanted, 2>(scores, rows, used, classes, log_prior, out, undefined);
        case 3: return finish<wanted, 3>(scores, rows, used, classes, log_prior, out, undefined);
        case 4: return finish<wanted, 4>(scores, rows, used, classes, log_prior, out, undefined);
        case 5: return finish<wanted, 5>(scores, rows, used, classes, log_prior, out, undefined);
        case 6: return finish<wanted, 6>(scores, rows, used, classes, log_prior, out, undefined);
        case 7: return finish<wanted, 7>(scores, rows, used, classes, log_prior, out, undefined);
        case 8: return finish<wanted, 8>(scores, rows, used, classes, log_prior, out, undefined);
        default: return finish<wanted, 0>(scores, rows, used, classes, log_prior, out, undefined);
    }
}

size_t finish_rows(double* scores, size_t rows, size_t used, size_t classes, const double* log_prior, int wanted, double* out,
                   size_t* undefined) {
    *undefined = used;
    switch (wanted) {
        case joint: return finish<joint>(scores, rows, used, classes, log_prior, out, undefined);
        case log_posterior: return finish<log_posterior>(scores, rows, used, classes, log_prior, out, undefined);
        case posterior: return finish<posterior>(scores, rows, used, classes, log_prior, out, undefined);
        default: return finish<density>(scores, rows, used, classes, log_prior, out, undefined);
    }
}

}  // namespace
}  // namespace suffice
