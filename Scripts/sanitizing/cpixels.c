// Compares the vectors of CPixels with plain sums, in memory of exactly the size they may touch:
// cpixels SEED COUNT
#include "CPixels.h"
#include "damage.h"

static int16_t *numbers(size_t count, int most) {
  int16_t *made = malloc(count * sizeof *made);
  for (size_t i = 0; i < count; i++) made[i] = (int16_t)((int)chance((size_t)(2 * most + 1)) - most);
  return made;
}

static int16_t shifted(int64_t sum) {
  sum = (sum + (1 << 13)) >> 14;
  return (int16_t)(sum < INT16_MIN ? INT16_MIN : sum > INT16_MAX ? INT16_MAX : sum);
}

static void blend(void) {
  const size_t rows = 1 + chance(20), samples = 1 + chance(70), first = chance(rows);
  int16_t *ring = numbers(rows * samples, 4000), *weights = numbers(rows, 16384 / (int)rows);
  int16_t *sums = malloc(samples * sizeof *sums);
  petspot_blend(ring, first, weights, rows, samples, sums);
  for (size_t x = 0; x < samples; x++) {
    int64_t sum = 0;
    for (size_t row = 0; row < rows; row++) sum += ring[(first + row) % rows * samples + x] * weights[row];
    expect(sums[x] == shifted(sum), "a blended sample");
  }
  free(ring);
  free(weights);
  free(sums);
}

static void narrow(void) {
  const size_t taps = 8 * (1 + chance(4)), count = 1 + chance(40), length = taps + chance(200);
  int16_t *row = numbers(length, 4000), *weights = numbers(taps * count, 16384 / (int)taps);
  int32_t *places = malloc(count * sizeof *places);
  int16_t *sums = malloc(count * sizeof *sums);
  for (size_t x = 0; x < count; x++) places[x] = (int32_t)chance(length - taps + 1);
  petspot_narrow(row, places, weights, taps, count, sums);
  for (size_t x = 0; x < count; x++) {
    int64_t sum = 0;
    for (size_t tap = 0; tap < taps; tap++) sum += row[places[x] + (int32_t)tap] * weights[x * taps + tap];
    expect(sums[x] == shifted(sum), "a narrowed sample");
  }
  free(row);
  free(weights);
  free(places);
  free(sums);
}

int main(int argc, char **argv) {
  expect(argc == 3, "cpixels SEED COUNT");
  chance_state += strtoull(argv[1], NULL, 10);
  const long count = strtol(argv[2], NULL, 10);
  for (long i = 0; i < count; i++) {
    blend();
    narrow();
  }
  printf("%ld sums of CPixels alike\n", 2 * count);
  return 0;
}
