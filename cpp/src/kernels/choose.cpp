#include "suffice/kernels.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace suffice {
namespace {

const Kernels* named(const char* name) {
    if (std::strcmp(name, "plain") == 0) return &kernels_plain;
#if defined(SUFFICE_X86_KERNELS)
    if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return &kernels_avx2;
    if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &kernels_avx512;
#endif
    return nullptr;
}

const Kernels* choose() {
#if defined(SUFFICE_X86_KERNELS)
    __builtin_cpu_init();
#endif
    if (const char* forced = std::getenv("SUFFICE_ISA"); forced != nullptr && *forced != '\0')
        if (const Kernels* kernels_found = named(forced)) return kernels_found;
    for (const char* name : {"avx512", "avx2"})
        if (const Kernels* kernels_found = named(name)) return kernels_found;
    return &kernels_plain;
}

std::atomic<const Kernels*> in_use{choose()};

}  // namespace

const Kernels& kernels() { return *in_use.load(std::memory_order_relaxed); }

bool can_run(const char* name) { return named(name) != nullptr; }

bool use_kernels(const char* name) {
    const Kernels* kernels_found = named(name);
    if (kernels_found != nullptr) in_use.store(kernels_found, std::memory_order_relaxed);
    return kernels_found != nullptr;
}

}  // namespace suffice
