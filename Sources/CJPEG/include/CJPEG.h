#pragma once

#include <stddef.h>
#include <stdint.h>

// Access to libjpeg, a few rows at a time. The library is opened on first use. If libvips is loaded, it's already open,
// because libvips links it. On an error, libjpeg ends the process unless the caller leaves with longjmp, which Swift
// can't do. The functions here do it and return an error code.

typedef struct petspot_jpeg petspot_jpeg;

// Begins a picture with quality 1 to 100 and chroma at full or half width and height. `plane_count` is 0 for RGB with
// three bytes per pixel, 1 for a gray plane and 3 for YCbCr planes. Returns NULL if the library is missing, there isn't
// enough memory, or JPEG doesn't support the size.
petspot_jpeg *petspot_jpeg_begin(
    int width, int height, int quality, int is_subsampled, int plane_count);
// Adds the next rows, without gaps between them. Returns -1 if encoding failed.
int petspot_jpeg_add(petspot_jpeg *jpeg, const uint8_t *rows, size_t count);
// Adds all planes, without gaps between their rows. Returns -1 if encoding failed.
int petspot_jpeg_add_planes(petspot_jpeg *jpeg, const uint8_t *const planes[3]);
// Ends the file. Returns -1 if rows are missing or encoding failed. `bytes` is valid until the encoder is freed.
int petspot_jpeg_end(petspot_jpeg *jpeg, const uint8_t **bytes, size_t *count);
void petspot_jpeg_free(petspot_jpeg *jpeg);

// The planes of a JPEG (Y, Cb and Cr, or gray), decoded strip by strip and reduced by a factor of 1, 2, 4 or 8.
typedef struct petspot_planes petspot_planes;

typedef struct {
  const uint8_t *rows;
  size_t stride;
  // The number of rows in a strip. The last strip may have fewer.
  int strip_rows;
  int width, height;
  // The exact size of the picture in samples. The last sample may be partly outside the picture.
  double span_across, span_down;
} petspot_plane;

// Returns NULL for other color spaces, for a different size and for unreadable data. `bytes` must stay valid until the
// planes are freed.
petspot_planes *petspot_planes_begin(
    const uint8_t *bytes, size_t count, int width, int height, int shrink);
// Returns a plane with the strip that was read last. Its width is 0 if the picture doesn't have this plane.
petspot_plane petspot_planes_part(const petspot_planes *planes, int part);
// Reads the next strip of each plane. Returns 1, 0 after the last strip, or -1 if the data is damaged.
int petspot_planes_read(petspot_planes *planes);
void petspot_planes_free(petspot_planes *planes);
