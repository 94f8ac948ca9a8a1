// Swift cannot call C functions with variable arguments, so each libvips operation we use has a
// header-only wrapper here with exactly the options we use. Everything else is called directly.
// Written against libvips 8.14: metadata is removed with `strip`.
#pragma once
#include <gmodule.h>
#include <vips/vips.h>

// Pictures are read once, from top to bottom. JPEG, PNG and GIF come row by row then. WebP and HEIC
// libvips decodes whole, and from 100 MB on into a temporary file: a caged worker dies of the
// attempt, and no picture belongs there. "memory" keeps them out of it; the others it would copy.

// Fails on truncated data: libvips accepts it by default and fills the rest with gray.
#define PETSPOT_FAIL_ON VIPS_FAIL_ON_TRUNCATED

static inline int petspot_load_jpeg(
    const void *bytes, size_t count, int shrink, VipsImage **out) {
  return vips_jpegload_buffer(
      (void *)bytes, count, out, "shrink", shrink, "fail_on", PETSPOT_FAIL_ON, "access",
      VIPS_ACCESS_SEQUENTIAL, NULL);
}

static inline int petspot_load_png(const void *bytes, size_t count, VipsImage **out) {
  return vips_pngload_buffer(
      (void *)bytes, count, out, "fail_on", PETSPOT_FAIL_ON, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// All frames, one below the other.
static inline int petspot_load_gif(
    const void *bytes, size_t count, VipsImage **out) {
  return vips_gifload_buffer(
      (void *)bytes, count, out, "n", -1, "fail_on", PETSPOT_FAIL_ON, "access",
      VIPS_ACCESS_SEQUENTIAL, NULL);
}

// All frames; a `shrink` above 1 is for a single one.
static inline int petspot_load_webp(
    const void *bytes, size_t count, int shrink, VipsImage **out) {
  return vips_webpload_buffer(
      (void *)bytes, count, out, "n", -1, "scale", 1.0 / shrink, "memory", TRUE, "fail_on",
      PETSPOT_FAIL_ON, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// `n` must stay unset: with it libvips no longer takes the primary picture.
static inline int petspot_load_heif(const void *bytes, size_t count, VipsImage **out) {
  return vips_heifload_buffer(
      (void *)bytes, count, out, "memory", TRUE, "fail_on", PETSPOT_FAIL_ON, NULL);
}

static inline int petspot_icc_to_srgb(
    VipsImage *in, VipsImage **out, const char *fallback_profile) {
  return vips_icc_transform(
      in, out, "srgb", "embedded", TRUE, "input_profile", fallback_profile, "intent",
      VIPS_INTENT_PERCEPTUAL, "depth", 8, NULL);
}

static inline int petspot_extract_bands(VipsImage *in, VipsImage **out, int first, int count) {
  return vips_extract_band(in, out, first, "n", count, NULL);
}

static inline int petspot_join_bands(VipsImage *a, VipsImage *b, VipsImage **out) {
  return vips_bandjoin2(a, b, out, NULL);
}

static inline int petspot_gray_to_three_bands(VipsImage *in, VipsImage **out) {
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

// To 8 bit; 16-bit samples keep their upper byte.
static inline int petspot_cast_to_8_bit(VipsImage *in, VipsImage **out) {
  return vips_cast(in, out, VIPS_FORMAT_UCHAR, "shift", TRUE, NULL);
}

static inline int petspot_crop(
    VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
  return vips_extract_area(in, out, left, top, width, height, NULL);
}

// At its place on a larger, transparent canvas.
static inline int petspot_place(
    VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
  VipsImage *clear = NULL;
  int result = vips_image_hasalpha(in) ? vips_copy(in, &clear, NULL) : vips_addalpha(in, &clear, NULL);
  if (result == 0)
    result = vips_embed(clear, out, left, top, width, height, "extend", VIPS_EXTEND_BLACK, NULL);
  if (clear != NULL) g_object_unref(clear);
  return result;
}

static inline int petspot_rotate(VipsImage *in, VipsImage **out, VipsAngle angle) {
  return vips_rot(in, out, angle, NULL);
}

static inline int petspot_flip(VipsImage *in, VipsImage **out, VipsDirection direction) {
  return vips_flip(in, out, direction, NULL);
}

// Stacks pictures of one width, the first on top.
static inline int petspot_stack(VipsImage **in, VipsImage **out, int count) {
  return vips_arrayjoin(in, out, count, "across", 1, NULL);
}

static inline int petspot_as_srgb(VipsImage *in, VipsImage **out) {
  return vips_copy(
      in, out, "interpretation",
      in->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
}

// Without the profile that came with it.
static inline int petspot_without_profile(VipsImage *in, VipsImage **out) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_remove(*out, VIPS_META_ICC_NAME);
  return result;
}

static inline int petspot_with_profile(
    VipsImage *in, VipsImage **out, const void *profile, size_t count) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_set_blob_copy(*out, VIPS_META_ICC_NAME, profile, count);
  return result;
}

// A copy whose rows are cut into frames of `page_height` rows.
static inline int petspot_with_page_height(VipsImage *in, VipsImage **out, int page_height) {
  int result = vips_copy(in, out, NULL);
  if (result == 0) vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, page_height);
  return result;
}

// Computes rows of full width and gives where the first of them lies; NULL when that fails. The
// rows stay until the next call.
static inline const void *petspot_rows(VipsRegion *region, int top, int height) {
  VipsRect strip = {0, top, region->im->Xsize, height};
  return vips_region_prepare(region, &strip) ? NULL : VIPS_REGION_ADDR(region, 0, top);
}

static inline size_t petspot_row_stride(VipsRegion *region) { return VIPS_REGION_LSKIP(region); }

static inline int petspot_over(
    const void *pixels, size_t count, int width, int height, int bands, VipsImage **out) {
  *out = vips_image_new_from_memory(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
  if (*out == NULL) return -1;
  (*out)->Type = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  return 0;
}

static inline int petspot_save_jpeg(
    VipsImage *in, void **bytes, size_t *count, int quality, gboolean subsample) {
  return vips_jpegsave_buffer(
      in, bytes, count, "Q", quality, "strip", TRUE, "subsample_mode",
      subsample ? VIPS_FOREIGN_SUBSAMPLE_ON : VIPS_FOREIGN_SUBSAMPLE_OFF, NULL);
}

static inline int petspot_save_png(VipsImage *in, void **bytes, size_t *count) {
  return vips_pngsave_buffer(
      in, bytes, count, "strip", TRUE, "compression", 6, "filter", VIPS_FOREIGN_PNG_FILTER_ALL,
      NULL);
}

// `page-height`, `delay` and `loop` of the picture make an animation.
static inline int petspot_save_webp(
    VipsImage *in, void **bytes, size_t *count, int quality, gboolean lossless, int effort) {
  return vips_webpsave_buffer(
      in, bytes, count, "Q", quality, "lossless", lossless, "effort", effort, "strip", TRUE, NULL);
}

static inline gboolean petspot_can_load_heif(void) {
  return vips_type_find("VipsOperation", "heifload_buffer") != 0;
}

// libvips reports trouble through GLib's log on stderr, which belongs to the host.
static inline void petspot_ignore_log(
    const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}
static inline void petspot_silence_log(void) {
  g_log_set_handler(
      "VIPS", (GLogLevelFlags)(G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION),
      petspot_ignore_log, NULL);
}

// From vips/vector.h, which does not compile by itself.
extern void vips_vector_set_enabled(gboolean enabled);

// Dl_info and dladdr, which are no part of POSIX (dladdr(3)).
typedef struct {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
} petspot_dl_info;
extern int petspot_dladdr(const void *, petspot_dl_info *) __asm__("dladdr");

// Loads one module from the folder beside libvips when libvips itself has not; for processes that
// must not load the others.
static inline int petspot_load_heif_module(void) {
  petspot_dl_info info;
  if (petspot_dladdr((void *)vips_init, &info) == 0) return -1;
  gchar *folder = g_path_get_dirname(info.file);
  gchar *path = g_strdup_printf(
      "%s/vips-modules-%d.%d/vips-heif.so", folder, VIPS_MAJOR_VERSION, VIPS_MINOR_VERSION);
  GModule *module = g_module_open(path, G_MODULE_BIND_LAZY);
  if (module != NULL) g_module_make_resident(module);
  g_free(path);
  g_free(folder);
  return module == NULL ? -1 : 0;
}

// Counts the loaders that may run and whose nickname does not begin with one of `names`.
typedef struct {
  const char *const *names;
  int count;
} petspot_foreign;
static inline void *petspot_count_foreign(GType type, void *a, void *b) {
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
static inline int petspot_foreign_loaders(void) {
  static const char *const names[] = {"jpegload", "pngload", "gifload", "webpload", "heifload", NULL};
  petspot_foreign foreign = {names, 0};
  vips_type_map_all(
      g_type_from_name("VipsForeignLoad"), (VipsTypeMapFn)petspot_count_foreign, &foreign);
  return foreign.count;
}

// Whether libvips finds a loader for these bytes by itself and loads them.
static inline gboolean petspot_loads(const void *bytes, size_t count) {
  VipsImage *image = vips_image_new_from_buffer(bytes, count, "", NULL);
  if (image == NULL) return FALSE;
  g_object_unref(image);
  return TRUE;
}

// Whether a source of these bytes loads with the loader of this name.
static inline gboolean petspot_loads_with(const char *name, const void *bytes, size_t count) {
  VipsSource *source = vips_source_new_from_memory(bytes, count);
  VipsImage *image = NULL;
  int result = vips_call(name, source, &image, NULL);
  g_object_unref(source);
  if (image != NULL) g_object_unref(image);
  return result == 0;
}
