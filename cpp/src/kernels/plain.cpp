#define SUFFICE_KERNELS kernels_plain
#define SUFFICE_KERNELS_NAME "plain"
#include "table.inl"
