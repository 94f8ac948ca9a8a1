#include "CPixels.h"

#ifdef __SSE2__
#include <emmintrin.h>

static __m128i load(const int16_t *samples) { return _mm_loadu_si128((const __m128i *)samples); }

// Rounds eight sums, shifts them back and saturates them to 16 bits.
static __m128i rounded(__m128i first, __m128i second) {
  const __m128i half = _mm_set1_epi32(1 << 13);
  return _mm_packs_epi32(
      _mm_srai_epi32(_mm_add_epi32(first, half), 14), _mm_srai_epi32(_mm_add_epi32(second, half), 14));
}
#endif

static int16_t shifted(int32_t sum) {
  sum = (sum + (1 << 13)) >> 14;
  return (int16_t)(sum < INT16_MIN ? INT16_MIN : sum > INT16_MAX ? INT16_MAX : sum);
}

void petspot_blend(
    const int16_t *ring, size_t first, const int16_t *weights, size_t row_count, size_t samples,
    int16_t *sums) {
#define ROW(row) (ring + (first + (row)) % row_count * samples)
  size_t x = 0;
#ifdef __SSE2__
  // Process a few samples at a time, so that their sums stay in registers.
  for (; x + 8 <= samples; x += 8) {
    __m128i low = _mm_setzero_si128(), high = low;
    const int16_t *place = ROW(0) + x, *end = ring + row_count * samples;
    for (size_t row = 0; row < row_count; row += 2) {
      const __m128i upper = load(place);
      if ((place += samples) >= end) place -= row_count * samples;
      const int has_next = row + 1 < row_count;
      const __m128i lower = load(place);
      if ((place += samples) >= end) place -= row_count * samples;
      const __m128i pair = _mm_set1_epi32(
          (int32_t)((uint16_t)weights[row] | (uint32_t)(uint16_t)(has_next ? weights[row + 1] : 0) << 16));
      low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(upper, lower), pair));
      high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(upper, lower), pair));
    }
    _mm_storeu_si128((__m128i *)(sums + x), rounded(low, high));
  }
#endif
  for (; x < samples; x++) {
    int32_t sum = 0;
    for (size_t row = 0; row < row_count; row++) sum += ROW(row)[x] * weights[row];
    sums[x] = shifted(sum);
  }
#undef ROW
}

void petspot_narrow(
    const int16_t *row, const int32_t *places, const int16_t *weights, size_t taps, size_t count,
    int16_t *sums) {
  size_t x = 0;
#ifdef __SSE2__
  for (; x + 4 <= count; x += 4) {
    __m128i four[4];
    for (size_t lane = 0; lane < 4; lane++) {
      four[lane] = _mm_setzero_si128();
      for (size_t tap = 0; tap < taps; tap += 8) {
        const __m128i products =
            _mm_madd_epi16(load(row + places[x + lane] + tap), load(weights + (x + lane) * taps + tap));
        four[lane] = _mm_add_epi32(four[lane], products);
      }
    }
    // Each vector contains four partial sums of one place. Add them so that the four totals are side by side.
    const __m128i two = _mm_add_epi32(
        _mm_unpacklo_epi32(four[0], four[1]), _mm_unpackhi_epi32(four[0], four[1]));
    const __m128i others = _mm_add_epi32(
        _mm_unpacklo_epi32(four[2], four[3]), _mm_unpackhi_epi32(four[2], four[3]));
    const __m128i all =
        _mm_add_epi32(_mm_unpacklo_epi64(two, others), _mm_unpackhi_epi64(two, others));
    _mm_storel_epi64((__m128i *)(sums + x), rounded(all, all));
  }
#endif
  for (; x < count; x++) {
    int32_t sum = 0;
    for (size_t tap = 0; tap < taps; tap++) sum += row[places[x] + (int32_t)tap] * weights[x * taps + tap];
    sums[x] = shifted(sum);
  }
}
