#pragma once

#include <stddef.h>
#include <stdint.h>

// libjpeg's encoder, fed a few rows at a time. The library is opened when it is first needed; libvips,
// which links it, has it open already. Libjpeg ends the process on an error unless it is left by a
// jump, which is why this is C: each function here returns instead.

typedef struct petspot_jpeg petspot_jpeg;

// A picture of RGB with three bytes a pixel, coded with these settings (quality 1 to 100, chroma of half
// the width and height or whole). NULL when there is no library or memory, or the size is none of JPEG's.
petspot_jpeg *petspot_jpeg_begin(int width, int height, int quality, int is_subsampled);
// Adds the next rows, without gaps between them; -1 when encoding failed.
int petspot_jpeg_add(petspot_jpeg *jpeg, const uint8_t *rows, size_t count);
// Ends the file; -1 when rows are missing or encoding failed. `bytes` live as long as the encoder.
int petspot_jpeg_end(petspot_jpeg *jpeg, const uint8_t **bytes, size_t *count);
void petspot_jpeg_free(petspot_jpeg *jpeg);
