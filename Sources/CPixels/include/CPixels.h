#pragma once

#include <stddef.h>
#include <stdint.h>

// Weighted sums of samples. The weights of a sum add up to 16384. This is C because it gives access to an instruction
// that multiplies eight numbers and adds them in pairs, which Swift can't express. Integer arithmetic gives the same
// result on every processor.

// Computes the rounded weighted sums of all rows of a ring buffer, sample by sample. `weights` begins with the weight
// of the row at index `first`, followed by those of the rows after it.
void petspot_blend(
    const int16_t *ring, size_t first, const int16_t *weights, size_t row_count, size_t samples,
    int16_t *sums);

// Computes the rounded weighted sum of the samples from each place in a row on. `weights` contains `taps` weights for
// each place, a multiple of eight, and `taps` samples are read for each.
void petspot_narrow(
    const int16_t *row, const int32_t *places, const int16_t *weights, size_t taps, size_t count,
    int16_t *sums);
