// Access to libvips. The library is opened for the first photo that is decoded in this process, because it loads ninety
// other libraries. A process that leaves decoding to workers never loads it.
//
// Swift can't call variadic C functions. Each libvips operation that is used therefore has a function here with exactly
// the options that are needed. Written for libvips 8.14, where `strip` removes metadata.
#pragma once
#include <vips/vips.h>

// Opens the library and finds its functions. Call it before any other function. Returns 0 on success.
int petspot_vips_open(void);

// A function with an `out` parameter returns 0 and a new picture, which the caller releases with g_object_unref, or
// returns a nonzero value. The `save` functions return 0 and bytes, which the caller releases with g_free.
int petspot_load_jpeg(const void *bytes, size_t count, int shrink, VipsImage **out);
int petspot_load_png(const void *bytes, size_t count, VipsImage **out);
int petspot_load_gif(const void *bytes, size_t count, VipsImage **out);
int petspot_load_webp(const void *bytes, size_t count, int shrink, VipsImage **out);
int petspot_load_heif(const void *bytes, size_t count, VipsImage **out);
int petspot_icc_to_srgb(VipsImage *in, VipsImage **out, const char *fallback_profile);
int petspot_clear_hidden(VipsImage *in, VipsImage **out);
int petspot_extract_bands(VipsImage *in, VipsImage **out, int first, int count);
int petspot_join_bands(VipsImage *a, VipsImage *b, VipsImage **out);
int petspot_gray_to_three_bands(VipsImage *in, VipsImage **out);
int petspot_cast_to_8_bit(VipsImage *in, VipsImage **out);
int petspot_crop(VipsImage *in, VipsImage **out, int left, int top, int width, int height);
int petspot_place(VipsImage *in, VipsImage **out, int left, int top, int width, int height);
int petspot_rotate(VipsImage *in, VipsImage **out, VipsAngle angle);
int petspot_flip(VipsImage *in, VipsImage **out, VipsDirection direction);
int petspot_stack(VipsImage **in, VipsImage **out, int count);
int petspot_as_srgb(VipsImage *in, VipsImage **out);
int petspot_without_profile(VipsImage *in, VipsImage **out);
int petspot_with_profile(VipsImage *in, VipsImage **out, const void *profile, size_t count);
int petspot_with_page_height(VipsImage *in, VipsImage **out, int page_height);
const void *petspot_rows(VipsRegion *region, int top, int height);
size_t petspot_row_stride(VipsRegion *region);
int petspot_over(
    const void *pixels, size_t count, int width, int height, int bands, VipsImage **out);
int petspot_copied(
    const void *pixels, size_t count, int width, int height, int bands, VipsImage **out);
int petspot_save_jpeg(VipsImage *in, void **bytes, size_t *count, int quality, gboolean subsample);
int petspot_save_png(VipsImage *in, void **bytes, size_t *count);
int petspot_save_webp(
    VipsImage *in, void **bytes, size_t *count, int quality, gboolean lossless, int effort);

gboolean petspot_can_load_heif(void);
int petspot_heif_decodes(void);
void petspot_silence_log(void);
int petspot_load_heif_module(void);
int petspot_foreign_loaders(void);
gboolean petspot_loads(const void *bytes, size_t count);
gboolean petspot_loads_with(const char *name, const void *bytes, size_t count);

// Each of these calls one libvips function.
int petspot_init(const char *name);
const char *petspot_version(void);
void petspot_set_threads(int count);
void petspot_without_cache(void);
void petspot_without_vector_code(void);
void petspot_block(const char *family, int is_blocked);
char *petspot_error_text(void);
VipsImage *petspot_in_memory(VipsImage *in);
int petspot_page_height(VipsImage *in);
int petspot_has_alpha(VipsImage *in);
void *petspot_pixels(VipsImage *in, size_t *count);
VipsRegion *petspot_region(VipsImage *in);
