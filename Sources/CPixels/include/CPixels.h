#pragma once

#include <stddef.h>
#include <stdint.h>

// Sums of samples, each times a weight, which are 16384 together: in C, because of it compilers make
// instructions that multiply eight numbers and add them in pairs, and Swift has no word for these. Whole
// numbers, so that every processor gives the same.

// The sums of all rows of a ring, sample by sample, rounded: `weights` has that of the row in place `first`,
// then those of the rows behind it.
void petspot_blend(
    const int16_t *ring, size_t first, const int16_t *weights, size_t row_count, size_t samples,
    int16_t *sums);

// For each place in a row the sum of the samples from there on, rounded. `weights` has `taps` of each place,
// a multiple of eight; so many samples are read.
void petspot_narrow(
    const int16_t *row, const int32_t *places, const int16_t *weights, size_t taps, size_t count,
    int16_t *sums);
