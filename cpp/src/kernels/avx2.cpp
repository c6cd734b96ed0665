#define SUFFICE_KERNELS kernels_avx2
#define SUFFICE_KERNELS_NAME "avx2"
#include "table.inl"
