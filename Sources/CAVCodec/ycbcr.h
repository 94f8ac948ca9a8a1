// Converts rows of luma and chroma to RGB with vectors of 16 bytes, which every processor of these platforms supports.
// All processors run the same operations and give the same pixels. This is C because Swift compiles some vector
// operations to function calls.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "pixels are put together from the low end");

typedef uint8_t petspot_bytes __attribute__((vector_size(8)));
typedef int16_t petspot_words __attribute__((vector_size(16)));
typedef int32_t petspot_sums __attribute__((vector_size(16)));
typedef uint64_t petspot_pairs __attribute__((vector_size(16)));

// The contribution of one chroma step, as a fixed-point number: `whole` + `rest` / 65,536. The split makes 16-bit
// products sufficient, which have an instruction.
typedef struct {
  int16_t whole, rest;
} petspot_share;

typedef struct {
  petspot_share red_from_red, green_from_blue, green_from_red, blue_from_blue;
} petspot_matrix;

static inline petspot_words petspot_samples(const uint8_t *from) {
  petspot_bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, petspot_words);
}

#define PETSPOT_HALF(words, from) \
  __builtin_convertvector( \
      __builtin_shufflevector(words, words, from, from + 1, from + 2, from + 3), petspot_sums)

// Returns (first * a + second * b + 32,768) >> 16, exactly.
static inline petspot_words petspot_rests(
    petspot_words first, int16_t a, petspot_words second, int16_t b) {
  const petspot_words as = (petspot_words){0} + a, bs = (petspot_words){0} + b;
  petspot_sums low = PETSPOT_HALF(first, 0) * PETSPOT_HALF(as, 0) +
                     PETSPOT_HALF(second, 0) * PETSPOT_HALF(bs, 0);
  petspot_sums high = PETSPOT_HALF(first, 4) * PETSPOT_HALF(as, 0) +
                      PETSPOT_HALF(second, 4) * PETSPOT_HALF(bs, 0);
  low = (low + 32768) >> 16;
  high = (high + 32768) >> 16;
  return __builtin_convertvector(
      __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7), petspot_words);
}

static inline petspot_words petspot_clipped(petspot_words sum) {
  return __builtin_elementwise_min(
      __builtin_elementwise_max(sum, (petspot_words){0}), (petspot_words){0} + 255);
}

// Writes eight pixels and two bytes more.
static inline void petspot_put(
    const uint8_t *luma, petspot_words red, petspot_words green, petspot_words blue, uint8_t *rgb) {
  const petspot_words y = petspot_samples(luma);
  const petspot_words rg = petspot_clipped(y + red) | petspot_clipped(y + green) << 8;
  const petspot_words b = petspot_clipped(y + blue);
  petspot_pairs pairs[2] = {
      (petspot_pairs)__builtin_shufflevector(rg, b, 0, 8, 1, 9, 2, 10, 3, 11),
      (petspot_pairs)__builtin_shufflevector(rg, b, 4, 12, 5, 13, 6, 14, 7, 15),
  };
  for (int i = 0; i < 2; i++) {
    // Join two pixels of four bytes each to six bytes.
    const petspot_pairs both = (pairs[i] & 0xFFFFFF) | (pairs[i] >> 8 & 0xFFFFFF000000);
    const uint64_t first = both[0], second = both[1];
    memcpy(rgb + 12 * i, &first, 8);
    memcpy(rgb + 12 * i + 6, &second, 8);
  }
}

#define PETSPOT_TWICE(words, from) \
  __builtin_shufflevector( \
      words, words, from, from, from + 1, from + 1, from + 2, from + 2, from + 3, from + 3)

// Writes sixteen pixels and two bytes more.
static inline void petspot_put_sixteen(
    const petspot_matrix *matrix, const uint8_t *luma, const uint8_t *blue, const uint8_t *red,
    uint8_t *rgb) {
  const petspot_words cb = petspot_samples(blue) - 128, cr = petspot_samples(red) - 128;
  const petspot_words r = cr * matrix->red_from_red.whole +
                          petspot_rests(cr, matrix->red_from_red.rest, cr, 0);
  const petspot_words g =
      cb * matrix->green_from_blue.whole + cr * matrix->green_from_red.whole +
      petspot_rests(cb, matrix->green_from_blue.rest, cr, matrix->green_from_red.rest);
  const petspot_words b = cb * matrix->blue_from_blue.whole +
                          petspot_rests(cb, matrix->blue_from_blue.rest, cb, 0);
  petspot_put(luma, PETSPOT_TWICE(r, 0), PETSPOT_TWICE(g, 0), PETSPOT_TWICE(b, 0), rgb);
  petspot_put(luma + 8, PETSPOT_TWICE(r, 4), PETSPOT_TWICE(g, 4), PETSPOT_TWICE(b, 4), rgb + 24);
}

// Converts a row of `count` pixels. `blue` and `red` have one sample for every two pixels.
static inline void petspot_rgb_row(
    const petspot_matrix *matrix, const uint8_t *luma, const uint8_t *blue, const uint8_t *red,
    ptrdiff_t count, uint8_t *rgb) {
  ptrdiff_t x = 0;
  for (; x + 16 < count; x += 16)
    petspot_put_sixteen(matrix, luma + x, blue + x / 2, red + x / 2, rgb + 3 * x);
  uint8_t last[32] = {0}, pixels[50];
  const ptrdiff_t left = count - x;
  memcpy(last, luma + x, left);
  memcpy(last + 16, blue + x / 2, (left + 1) / 2);
  memcpy(last + 24, red + x / 2, (left + 1) / 2);
  petspot_put_sixteen(matrix, last, last + 16, last + 24, pixels);
  memcpy(rgb + 3 * x, pixels, 3 * left);
}

// The factors that convert samples of any depth to RGB.
typedef struct {
  float red_from_red, green_from_blue, green_from_red, blue_from_blue;
  float black, luma_stretch;      // subtracted from luma; then its factor
  float middle, chroma_stretch;
  float full;                     // the highest sample value
} petspot_any_matrix;

enum { petspot_block = 64 };

// Converts samples of one or two bytes to floats and repeats each `1 << halved` times.
static inline void petspot_floats(
    const void *plane, int bytes, int halved, ptrdiff_t first, int count, float *out) {
  const uint8_t *narrow = (const uint8_t *)plane + (first >> halved);
  const uint16_t *wide = (const uint16_t *)plane + (first >> halved);
  if (bytes == 1)
    for (int x = 0; x < count; x++) out[x] = narrow[x >> halved];
  else
    for (int x = 0; x < count; x++) out[x] = wide[x >> halved];
}

static inline int32_t petspot_sample(float value, float full) {
  value += 0.5f;
  value = value < 0 ? 0 : value;
  return (int32_t)(value > full ? full : value);
}

// Converts a row of `count` pixels to RGB of the same depth. Without `blue` and `red`, the result is gray. Compilers
// can vectorize the loops over a block.
static inline void petspot_any_row(
    const petspot_any_matrix *m, const void *luma, const void *blue, const void *red, int bytes,
    int halved, ptrdiff_t count, uint16_t *rgb) {
#pragma clang fp contract(off)
  float y[petspot_block] = {0}, cb[petspot_block] = {0}, cr[petspot_block] = {0};
  int32_t r[petspot_block], g[petspot_block], b[petspot_block];
  for (ptrdiff_t first = 0; first < count; first += petspot_block, rgb += 3 * petspot_block) {
    const int here = count - first < petspot_block ? (int)(count - first) : petspot_block;
    petspot_floats(luma, bytes, 0, first, here, y);
    if (blue == NULL) {
      for (int x = 0; x < here; x++)
        rgb[3 * x] = rgb[3 * x + 1] = rgb[3 * x + 2] = (uint16_t)petspot_sample(y[x], m->full);
      continue;
    }
    petspot_floats(blue, bytes, halved, first, here, cb);
    petspot_floats(red, bytes, halved, first, here, cr);
    for (int x = 0; x < petspot_block; x++) {
      const float light = (y[x] - m->black) * m->luma_stretch;
      const float u = (cb[x] - m->middle) * m->chroma_stretch;
      const float v = (cr[x] - m->middle) * m->chroma_stretch;
      r[x] = petspot_sample(light + m->red_from_red * v, m->full);
      g[x] = petspot_sample(light + m->green_from_blue * u + m->green_from_red * v, m->full);
      b[x] = petspot_sample(light + m->blue_from_blue * u, m->full);
    }
    for (int x = 0; x < here; x++) {
      rgb[3 * x] = (uint16_t)r[x];
      rgb[3 * x + 1] = (uint16_t)g[x];
      rgb[3 * x + 2] = (uint16_t)b[x];
    }
  }
}

// Converts a row of `count` pixels with green, blue and red planes. In the limited range, blue and red have the range
// of chroma, as libheif writes and reads them. H.273 specifies the range of luma, but no other encoder is known to
// write such files.
static inline void petspot_gbr_row(
    const petspot_any_matrix *m, const void *green, const void *blue, const void *red, int bytes,
    ptrdiff_t count, uint16_t *rgb) {
  const void *planes[3] = {red, green, blue};
  for (int band = 0; band < 3; band++)
    for (ptrdiff_t x = 0; x < count; x++) {
      const float value = bytes == 1 ? ((const uint8_t *)planes[band])[x]
                                     : ((const uint16_t *)planes[band])[x];
      const float stretch = band == 1 ? m->luma_stretch : m->chroma_stretch;
      rgb[3 * x + band] = (uint16_t)petspot_sample((value - m->black) * stretch, m->full);
    }
}

// Converts values of up to 16 bits to bytes. `full` is the highest value.
static inline void petspot_bytes_of(
    const uint16_t *values, ptrdiff_t count, int full, uint8_t *bytes) {
  const float scale = 255.0f / (float)full;
  for (ptrdiff_t i = 0; i < count; i++)
    bytes[i] = (uint8_t)(int32_t)((float)values[i] * scale + 0.5f);
}
