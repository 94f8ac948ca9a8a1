#pragma once

#include <stddef.h>
#include <stdint.h>

// libjpeg, fed a few rows at a time. The library is opened when it is first needed; libvips,
// which links it, has it open already. Libjpeg ends the process on an error unless it is left by a
// jump, which is why this is C: each function here returns instead.

typedef struct petspot_jpeg petspot_jpeg;

// A picture that is coded with these settings (quality 1 to 100, chroma of half the width and height or
// whole): RGB with three bytes a pixel, or one plane of gray, or three of YCbCr. NULL when there is no library
// or memory, or the size is none of JPEG's.
petspot_jpeg *petspot_jpeg_begin(
    int width, int height, int quality, int is_subsampled, int plane_count);
// Adds the next rows, without gaps between them; -1 when encoding failed.
int petspot_jpeg_add(petspot_jpeg *jpeg, const uint8_t *rows, size_t count);
// Adds all of the planes, without gaps between their rows; -1 when encoding failed.
int petspot_jpeg_add_planes(petspot_jpeg *jpeg, const uint8_t *const planes[3]);
// Ends the file; -1 when rows are missing or encoding failed. `bytes` live as long as the encoder.
int petspot_jpeg_end(petspot_jpeg *jpeg, const uint8_t **bytes, size_t *count);
void petspot_jpeg_free(petspot_jpeg *jpeg);

// The planes of a JPEG, Y, Cb and Cr or gray, decoded a strip at a time and shrunk by 1, 2, 4 or 8.
typedef struct petspot_planes petspot_planes;

typedef struct {
  const uint8_t *rows;
  size_t stride;
  // Rows of a strip; the last one has fewer.
  int strip_rows;
  int width, height;
  // How many samples the picture is wide and high, whose last one may be cut.
  double span_across, span_down;
} petspot_plane;

// NULL for other colors, other sizes and for what can't be read. `bytes` are read until the end.
petspot_planes *petspot_planes_begin(
    const uint8_t *bytes, size_t count, int width, int height, int shrink);
// One of the planes, with the strip that was read last; without width when there is none.
petspot_plane petspot_planes_part(const petspot_planes *planes, int part);
// Reads the next strip of each: 1, 0 behind the last one, -1 for damaged data.
int petspot_planes_read(petspot_planes *planes);
void petspot_planes_free(petspot_planes *planes);
