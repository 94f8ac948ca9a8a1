#define _GNU_SOURCE
#include "CVips.h"

#include <dlfcn.h>
#include <gmodule.h>

// Declared in vips/vector.h, which doesn't compile on its own.
extern void vips_vector_set_enabled(gboolean enabled);

// Every libvips function that is called, once.
#define FUNCTIONS(each)                                                                           \
  each(vips_addalpha) each(vips_arrayjoin) each(vips_bandjoin) each(vips_bandjoin2)               \
  each(vips_cache_set_max) each(vips_call) each(vips_cast) each(vips_concurrency_set)             \
  each(vips_copy) each(vips_embed) each(vips_error_buffer_copy) each(vips_extract_area)           \
  each(vips_extract_band) each(vips_flip) each(vips_gifload_buffer) each(vips_heifload_buffer)    \
  each(vips_icc_transform) each(vips_ifthenelse) each(vips_image_copy_memory)                     \
  each(vips_image_get_page_height) each(vips_linear1)                                             \
  each(vips_image_hasalpha) each(vips_image_new_from_buffer) each(vips_image_new_from_memory)     \
  each(vips_image_new_from_memory_copy)                                                           \
  each(vips_image_remove) each(vips_image_set_blob_copy) each(vips_image_set_int)                 \
  each(vips_image_write_to_memory) each(vips_init) each(vips_jpegload_buffer)                     \
  each(vips_jpegsave_buffer) each(vips_object_get_type) each(vips_operation_block_set)            \
  each(vips_operation_get_type) each(vips_pngload_buffer) each(vips_pngsave_buffer)               \
  each(vips_region_new) each(vips_region_prepare) each(vips_rot)                                  \
  each(vips_source_new_from_memory) each(vips_type_find) each(vips_type_map_all)                  \
  each(vips_vector_set_enabled) each(vips_version) each(vips_version_string)                      \
  each(vips_webpload_buffer) each(vips_webpsave_buffer)

#define POINTER(name) __typeof__(name) *name##_;
static struct {
  FUNCTIONS(POINTER)
} vips;

_Static_assert(VIPS_LIBRARY_CURRENT - VIPS_LIBRARY_AGE == 42, "the library has another name");

int petspot_vips_open(void) {
  void *library = dlopen("libvips.so.42", RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) return -1;
#define FIND(name) \
  if ((*(void **)&vips.name##_ = dlsym(library, #name)) == NULL) return -1;
  FUNCTIONS(FIND)
  return 0;
}

// From here on, each name refers to the loaded function.
#define vips_addalpha vips.vips_addalpha_
#define vips_arrayjoin vips.vips_arrayjoin_
#define vips_bandjoin vips.vips_bandjoin_
#define vips_bandjoin2 vips.vips_bandjoin2_
#define vips_cache_set_max vips.vips_cache_set_max_
#define vips_call vips.vips_call_
#define vips_cast vips.vips_cast_
#define vips_concurrency_set vips.vips_concurrency_set_
#define vips_copy vips.vips_copy_
#define vips_embed vips.vips_embed_
#define vips_error_buffer_copy vips.vips_error_buffer_copy_
#define vips_extract_area vips.vips_extract_area_
#define vips_extract_band vips.vips_extract_band_
#define vips_flip vips.vips_flip_
#define vips_gifload_buffer vips.vips_gifload_buffer_
#define vips_heifload_buffer vips.vips_heifload_buffer_
#define vips_icc_transform vips.vips_icc_transform_
#define vips_ifthenelse vips.vips_ifthenelse_
#define vips_image_copy_memory vips.vips_image_copy_memory_
#define vips_image_get_page_height vips.vips_image_get_page_height_
#define vips_image_hasalpha vips.vips_image_hasalpha_
#define vips_image_new_from_buffer vips.vips_image_new_from_buffer_
#define vips_image_new_from_memory vips.vips_image_new_from_memory_
#define vips_image_new_from_memory_copy vips.vips_image_new_from_memory_copy_
#define vips_image_remove vips.vips_image_remove_
#define vips_image_set_blob_copy vips.vips_image_set_blob_copy_
#define vips_image_set_int vips.vips_image_set_int_
#define vips_image_write_to_memory vips.vips_image_write_to_memory_
#define vips_init vips.vips_init_
#define vips_jpegload_buffer vips.vips_jpegload_buffer_
#define vips_jpegsave_buffer vips.vips_jpegsave_buffer_
#define vips_linear1 vips.vips_linear1_
#define vips_object_get_type vips.vips_object_get_type_
#define vips_operation_block_set vips.vips_operation_block_set_
#define vips_operation_get_type vips.vips_operation_get_type_
#define vips_pngload_buffer vips.vips_pngload_buffer_
#define vips_pngsave_buffer vips.vips_pngsave_buffer_
#define vips_region_new vips.vips_region_new_
#define vips_region_prepare vips.vips_region_prepare_
#define vips_rot vips.vips_rot_
#define vips_source_new_from_memory vips.vips_source_new_from_memory_
#define vips_type_find vips.vips_type_find_
#define vips_type_map_all vips.vips_type_map_all_
#define vips_vector_set_enabled vips.vips_vector_set_enabled_
#define vips_version vips.vips_version_
#define vips_version_string vips.vips_version_string_
#define vips_webpload_buffer vips.vips_webpload_buffer_
#define vips_webpsave_buffer vips.vips_webpsave_buffer_

// Pictures are read once, from top to bottom, so libvips decodes JPEG, PNG and GIF row by row. It decodes WebP and HEIC
// as a whole, and from 100 MB on into a temporary file. The sandbox would kill a worker for that, and no picture
// belongs in a temporary file. "memory" prevents the file. For the other formats it would cause a copy.

// Reports truncated data as an error. By default, libvips accepts it and fills the missing part with gray.
#define PETSPOT_FAIL_ON VIPS_FAIL_ON_TRUNCATED

int petspot_load_jpeg(const void *bytes, size_t count, int shrink, VipsImage **out) {
  return vips_jpegload_buffer(
      (void *)bytes, count, out, "shrink", shrink, "fail_on", PETSPOT_FAIL_ON, "access",
      VIPS_ACCESS_SEQUENTIAL, NULL);
}

int petspot_load_png(const void *bytes, size_t count, VipsImage **out) {
  return vips_pngload_buffer(
      (void *)bytes, count, out, "fail_on", PETSPOT_FAIL_ON, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// Loads all frames, one below the other.
int petspot_load_gif(const void *bytes, size_t count, VipsImage **out) {
  return vips_gifload_buffer(
      (void *)bytes, count, out, "n", -1, "fail_on", PETSPOT_FAIL_ON, "access",
      VIPS_ACCESS_SEQUENTIAL, NULL);
}

// Loads all frames. A `shrink` above 1 is only for a single frame.
int petspot_load_webp(
    const void *bytes, size_t count, int shrink, VipsImage **out) {
  return vips_webpload_buffer(
      (void *)bytes, count, out, "n", -1, "scale", 1.0 / shrink, "memory", TRUE, "fail_on",
      PETSPOT_FAIL_ON, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// `n` must stay unset, because with it libvips doesn't load the primary picture.
int petspot_load_heif(const void *bytes, size_t count, VipsImage **out) {
  return vips_heifload_buffer(
      (void *)bytes, count, out, "memory", TRUE, "fail_on", PETSPOT_FAIL_ON, NULL);
}

int petspot_icc_to_srgb(
    VipsImage *in, VipsImage **out, const char *fallback_profile) {
  return vips_icc_transform(
      in, out, "srgb", "embedded", TRUE, "input_profile", fallback_profile, "intent",
      VIPS_INTENT_PERCEPTUAL, "depth", 8, NULL);
}

// Sets all bands to zero where the last band, alpha, is zero.
int petspot_clear_hidden(VipsImage *in, VipsImage **out) {
  VipsImage *alpha = NULL, *zero = NULL;
  int result = vips_extract_band(in, &alpha, in->Bands - 1, NULL)
      || vips_linear1(in, &zero, 0, 0, "uchar", TRUE, NULL)
      || vips_ifthenelse(alpha, in, zero, out, NULL);
  if (alpha) g_object_unref(alpha);
  if (zero) g_object_unref(zero);
  return result ? -1 : 0;
}

int petspot_extract_bands(VipsImage *in, VipsImage **out, int first, int count) {
  return vips_extract_band(in, out, first, "n", count, NULL);
}

int petspot_join_bands(VipsImage *a, VipsImage *b, VipsImage **out) {
  return vips_bandjoin2(a, b, out, NULL);
}

int petspot_gray_to_three_bands(VipsImage *in, VipsImage **out) {
  VipsImage *bands[3] = {in, in, in};
  VipsImage *joined;
  if (vips_bandjoin(bands, &joined, 3, NULL)) return -1;
  int result = vips_copy(
      joined, out, "interpretation",
      in->BandFmt == VIPS_FORMAT_USHORT ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB,
      NULL);
  g_object_unref(joined);
  return result;
}

// Converts samples to 8 bits. 16-bit samples keep their upper byte.
int petspot_cast_to_8_bit(VipsImage *in, VipsImage **out) {
  return vips_cast(in, out, VIPS_FORMAT_UCHAR, "shift", TRUE, NULL);
}

int petspot_crop(
    VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
  return vips_extract_area(in, out, left, top, width, height, NULL);
}

// Places a picture at a position on a larger, transparent canvas.
int petspot_place(
    VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
  VipsImage *clear = NULL;
  int result = vips_image_hasalpha(in) ? vips_copy(in, &clear, NULL) : vips_addalpha(in, &clear, NULL);
  if (result == 0)
    result = vips_embed(clear, out, left, top, width, height, "extend", VIPS_EXTEND_BLACK, NULL);
  if (clear != NULL) g_object_unref(clear);
  return result;
}

int petspot_rotate(VipsImage *in, VipsImage **out, VipsAngle angle) {
  return vips_rot(in, out, angle, NULL);
}

int petspot_flip(VipsImage *in, VipsImage **out, VipsDirection direction) {
  return vips_flip(in, out, direction, NULL);
}

// Stacks pictures of the same width, the first on top.
int petspot_stack(VipsImage **in, VipsImage **out, int count) {
  return vips_arrayjoin(in, out, count, "across", 1, NULL);
}

int petspot_as_srgb(VipsImage *in, VipsImage **out) {
  return vips_copy(
      in, out, "interpretation",
      in->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
}

// Returns a copy without the embedded profile.
int petspot_without_profile(VipsImage *in, VipsImage **out) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_remove(*out, VIPS_META_ICC_NAME);
  return result;
}

int petspot_with_profile(
    VipsImage *in, VipsImage **out, const void *profile, size_t count) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_set_blob_copy(*out, VIPS_META_ICC_NAME, profile, count);
  return result;
}

// Returns a copy whose rows are divided into frames of `page_height` rows.
int petspot_with_page_height(VipsImage *in, VipsImage **out, int page_height) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, page_height);
  return result;
}

// Computes rows of the full width. Returns a pointer to the first one, or NULL on failure. The rows stay valid until
// the next call.
const void *petspot_rows(VipsRegion *region, int top, int height) {
  VipsRect strip = {0, top, region->im->Xsize, height};
  if (vips_region_prepare(region, &strip)) return NULL;
  // The strip is as wide as the picture, so its rows start where those of the region do.
  return region->data + (size_t)(top - region->valid.top) * VIPS_REGION_LSKIP(region);
}

size_t petspot_row_stride(VipsRegion *region) { return VIPS_REGION_LSKIP(region); }

int petspot_over(
    const void *pixels, size_t count, int width, int height, int bands, VipsImage **out) {
  *out = vips_image_new_from_memory(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
  if (*out == NULL) return -1;
  (*out)->Type = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  return 0;
}

// Like petspot_over, but copies the pixels, so that they may be freed before the picture.
int petspot_copied(
    const void *pixels, size_t count, int width, int height, int bands, VipsImage **out) {
  *out = vips_image_new_from_memory_copy(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
  if (*out == NULL) return -1;
  (*out)->Type = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  return 0;
}

int petspot_save_jpeg(
    VipsImage *in, void **bytes, size_t *count, int quality, gboolean subsample) {
  return vips_jpegsave_buffer(
      in, bytes, count, "Q", quality, "strip", TRUE, "subsample_mode",
      subsample ? VIPS_FOREIGN_SUBSAMPLE_ON : VIPS_FOREIGN_SUBSAMPLE_OFF, NULL);
}

int petspot_save_png(VipsImage *in, void **bytes, size_t *count) {
  return vips_pngsave_buffer(
      in, bytes, count, "strip", TRUE, "compression", 6, "filter", VIPS_FOREIGN_PNG_FILTER_ALL,
      NULL);
}

// The picture's `page-height`, `delay` and `loop` make it an animation.
int petspot_save_webp(
    VipsImage *in, void **bytes, size_t *count, int quality, gboolean lossless, int effort) {
  return vips_webpsave_buffer(
      in, bytes, count, "Q", quality, "lossless", lossless, "effort", effort, "strip", TRUE, NULL);
}

gboolean petspot_can_load_heif(void) {
  return vips_type_find("VipsOperation", "heifload_buffer") != 0;
}

// Discards libvips' messages, which it would write to the host's stderr through GLib's log.
static void petspot_ignore_log(
    const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}
void petspot_silence_log(void) {
  g_log_set_handler(
      "VIPS", (GLogLevelFlags)(G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION),
      petspot_ignore_log, NULL);
}

// Dl_info and dladdr, which aren't part of POSIX (dladdr(3)).
typedef struct {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
} petspot_dl_info;
extern int petspot_dladdr(const void *, petspot_dl_info *) __asm__("dladdr");

// Loads the HEIF module from the folder beside libvips, unless libvips has done so. For processes that must not load
// the other modules.
int petspot_load_heif_module(void) {
  petspot_dl_info info;
  if (petspot_dladdr((void *)vips_init, &info) == 0) return -1;
  gchar *folder = g_path_get_dirname(info.file);
  gchar *path = g_strdup_printf(
      "%s/vips-modules-%d.%d/vips-heif.so", folder, vips_version(0), vips_version(1));
  GModule *module = g_module_open(path, G_MODULE_BIND_LAZY);
  if (module != NULL) g_module_make_resident(module);
  g_free(path);
  g_free(folder);
  return module == NULL ? -1 : 0;
}

// Returns 1 if libheif, which the module above loads, has an HEVC decoder, 2 if libde265 is also loaded, which libheif
// prefers, and 0 otherwise. From version 1.16 on, a decoder may be a plugin. All plugins are opened now, because a
// sandbox prevents it later.
int petspot_heif_decodes(void) {
  void *library = dlopen("libheif.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return FALSE;
  struct heif_error {
    int code, subcode;
    const char *message;
  } (*init)(void *) = (__typeof__(init))dlsym(library, "heif_init");
  int (*has_decoder)(int) = (__typeof__(has_decoder))dlsym(library, "heif_have_decoder_for_format");
  if (init != NULL) init(NULL);
  if (has_decoder == NULL || has_decoder(1) == 0) return 0;  // heif_compression_HEVC
  return dlopen("libde265.so.0", RTLD_LAZY | RTLD_NOLOAD) == NULL ? 1 : 2;
}

// Counts the enabled loaders whose nickname doesn't begin with one of `names`.
typedef struct {
  const char *const *names;
  int count;
} petspot_foreign;
static void *petspot_count_foreign(GType type, void *a, void *b) {
  petspot_foreign *foreign = (petspot_foreign *)a;
  if (G_TYPE_IS_ABSTRACT(type)) return NULL;
  gpointer type_class = g_type_class_ref(type);
  gboolean known = VIPS_OPERATION_CLASS(type_class)->flags & VIPS_OPERATION_BLOCKED;
  for (int i = 0; !known && foreign->names[i] != NULL; i++)
    known = g_str_has_prefix(VIPS_OBJECT_CLASS(type_class)->nickname, foreign->names[i]);
  if (!known) foreign->count++;
  g_type_class_unref(type_class);
  return NULL;
}
int petspot_foreign_loaders(void) {
  static const char *const names[] = {"jpegload", "pngload", "gifload", "webpload", "heifload", NULL};
  petspot_foreign foreign = {names, 0};
  vips_type_map_all(
      g_type_from_name("VipsForeignLoad"), (VipsTypeMapFn)petspot_count_foreign, &foreign);
  return foreign.count;
}

// Returns TRUE if libvips detects the format of these bytes and loads them.
gboolean petspot_loads(const void *bytes, size_t count) {
  VipsImage *image = vips_image_new_from_buffer(bytes, count, "", NULL);
  if (image == NULL) return FALSE;
  g_object_unref(image);
  return TRUE;
}

// Returns TRUE if the loader with this name loads these bytes.
gboolean petspot_loads_with(const char *name, const void *bytes, size_t count) {
  VipsSource *source = vips_source_new_from_memory(bytes, count);
  VipsImage *image = NULL;
  int result = vips_call(name, source, &image, NULL);
  g_object_unref(source);
  if (image != NULL) g_object_unref(image);
  return result == 0;
}

int petspot_init(const char *name) { return vips_init(name); }

const char *petspot_version(void) { return vips_version_string(); }

void petspot_set_threads(int count) { vips_concurrency_set(count); }

void petspot_without_cache(void) { vips_cache_set_max(0); }

void petspot_without_vector_code(void) { vips_vector_set_enabled(FALSE); }

void petspot_block(const char *family, int is_blocked) {
  vips_operation_block_set(family, is_blocked);
}

char *petspot_error_text(void) { return vips_error_buffer_copy(); }

VipsImage *petspot_in_memory(VipsImage *in) { return vips_image_copy_memory(in); }

int petspot_page_height(VipsImage *in) { return vips_image_get_page_height(in); }

int petspot_has_alpha(VipsImage *in) { return vips_image_hasalpha(in); }

void *petspot_pixels(VipsImage *in, size_t *count) { return vips_image_write_to_memory(in, count); }

VipsRegion *petspot_region(VipsImage *in) { return vips_region_new(in); }
