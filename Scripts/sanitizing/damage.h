// Files, and copies of them that are damaged by chance; for the programs beside it.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t *bytes;
  size_t count;
} file_t;

static uint64_t chance_state = 1;

// A number below `most`, the same in each run with the same seed (xorshift64*).
static inline size_t chance(size_t most) {
  chance_state ^= chance_state >> 12;
  chance_state ^= chance_state << 25;
  chance_state ^= chance_state >> 27;
  return most == 0 ? 0 : (size_t)((chance_state * 2685821657736338717u) >> 11) % most;
}

static inline void expect(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

static inline file_t read_file(const char *path) {
  FILE *stream = fopen(path, "rb");
  expect(stream != NULL, path);
  file_t file = {NULL, 0};
  uint8_t piece[65536];
  for (size_t got; (got = fread(piece, 1, sizeof piece, stream)) > 0; file.count += got) {
    file.bytes = realloc(file.bytes, file.count + got);
    memcpy(file.bytes + file.count, piece, got);
  }
  fclose(stream);
  expect(file.count > 0, path);
  return file;
}

// A copy in memory of exactly its size, with a few bytes, bits or a run changed behind its first ones, or its
// end missing. More often than not the damage is late, where most of a picture is decoded already.
static inline file_t damaged(file_t file, size_t first) {
  const size_t from = chance(3) && file.count / 2 > first ? file.count / 2 : first, span = file.count - from;
  const size_t kind = chance(5);
  file_t copy = {NULL, kind == 0 ? 1 + from + chance(span) : file.count};
  if (copy.count > file.count) copy.count = file.count;
  copy.bytes = malloc(copy.count);
  memcpy(copy.bytes, file.bytes, copy.count);
  const size_t changes = kind == 0 ? 0 : kind == 1 ? 64 : 1 + chance(8);
  size_t place = from + chance(span);
  for (size_t i = 0; i < changes; i++) {
    if (kind != 1) place = from + chance(span);
    if (place + i >= copy.count) break;
    uint8_t *byte = copy.bytes + (kind == 1 ? place + i : place);
    *byte = kind == 2 ? *byte ^ (1 << chance(8)) : (uint8_t)chance(256);
  }
  return copy;
}
