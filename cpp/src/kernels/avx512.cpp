#define SUFFICE_KERNELS kernels_avx512
#define SUFFICE_KERNELS_NAME "avx512"
#include "table.inl"
