#include "CJPEG.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

// Every libjpeg function that is called, once.
#define FUNCTIONS(each)                                                                  \
  each(jpeg_std_error) each(jpeg_CreateCompress) each(jpeg_set_defaults)                 \
  each(jpeg_set_quality) each(jpeg_start_compress) each(jpeg_write_scanlines)            \
  each(jpeg_write_raw_data) each(jpeg_finish_compress) each(jpeg_destroy_compress)       \
  each(jpeg_CreateDecompress) each(jpeg_mem_src) each(jpeg_read_header)                  \
  each(jpeg_start_decompress) each(jpeg_read_raw_data) each(jpeg_destroy_decompress)

#define POINTER(name) __typeof__(name) *name##_;
static struct {
  FUNCTIONS(POINTER)
} lib;

// Debian builds the library with the interface of libjpeg 6b, Ubuntu with that of libjpeg 8.
_Static_assert(JPEG_LIB_VERSION == 62 || JPEG_LIB_VERSION == 80, "the library has another name");
#define SONAME (JPEG_LIB_VERSION == 80 ? "libjpeg.so.8" : "libjpeg.so.62")

#if JPEG_LIB_VERSION >= 70
#define SCALED(part) (part).DCT_h_scaled_size
#define LEAST_SCALED min_DCT_v_scaled_size
#else
#define SCALED(part) (part).DCT_scaled_size
#define LEAST_SCALED min_DCT_scaled_size
#endif

static int is_loaded;

static void find_functions(void) {
  void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name) \
  if ((*(void **)&lib.name##_ = dlsym(library, #name)) == NULL) return;
  FUNCTIONS(FIND)
  is_loaded = 1;
}

static int load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_functions);
  return is_loaded;
}

struct petspot_jpeg {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf failed;
  // The buffer for the file, filled from the start. Freed together with the encoder.
  uint8_t *bytes;
  size_t room;
  // Padded rows of all planes for one row of blocks.
  uint8_t *strip;
};

static void leave(j_common_ptr info) { longjmp(*(jmp_buf *)info->client_data, 1); }

static void ignore(j_common_ptr info) { (void)info; }

// Makes errors jump to the `jmp_buf` in `client_data`, and discards messages.
static struct jpeg_error_mgr *leaving(struct jpeg_error_mgr *errors) {
  lib.jpeg_std_error_(errors);
  errors->error_exit = leave;
  errors->output_message = ignore;
  return errors;
}

static void do_nothing(j_compress_ptr info) { (void)info; }

// Allocates the buffer or doubles it when it's full. `jpeg_mem_dest` isn't used because it frees the buffer that it
// outgrows, and stores the new one only when the file ends.
static boolean grow(j_compress_ptr info) {
  petspot_jpeg *jpeg = (petspot_jpeg *)info;  // the first member of petspot_jpeg
  const size_t count = jpeg->room, more = count == 0 ? 64 << 10 : count;
  uint8_t *bytes = realloc(jpeg->bytes, count + more);
  if (bytes == NULL) leave((j_common_ptr)info);
  jpeg->bytes = bytes;
  jpeg->room = count + more;
  jpeg->destination.next_output_byte = bytes + count;
  jpeg->destination.free_in_buffer = more;
  return TRUE;
}

petspot_jpeg *petspot_jpeg_begin(
    int width, int height, int quality, int is_subsampled, int plane_count) {
  petspot_jpeg *jpeg = load() ? calloc(1, sizeof *jpeg) : NULL;
  if (jpeg == NULL) return NULL;
  jpeg->info.err = leaving(&jpeg->errors);
  jpeg->info.client_data = &jpeg->failed;
  if (setjmp(jpeg->failed) != 0) {
    petspot_jpeg_free(jpeg);
    return NULL;
  }
  lib.jpeg_CreateCompress_(&jpeg->info, JPEG_LIB_VERSION, sizeof jpeg->info);
  jpeg->destination.init_destination = jpeg->destination.term_destination = do_nothing;
  jpeg->destination.empty_output_buffer = grow;
  jpeg->info.dest = &jpeg->destination;
  grow(&jpeg->info);
  jpeg->info.image_width = (JDIMENSION)width;
  jpeg->info.image_height = (JDIMENSION)height;
  jpeg->info.input_components = plane_count == 1 ? 1 : 3;
  jpeg->info.in_color_space = plane_count == 1 ? JCS_GRAYSCALE : plane_count == 3 ? JCS_YCbCr : JCS_RGB;
  lib.jpeg_set_defaults_(&jpeg->info);  // also sets 4:2:0 subsampling
  lib.jpeg_set_quality_(&jpeg->info, quality, TRUE);
  jpeg->info.write_JFIF_header = FALSE;  // like libvips when it removes metadata
  jpeg->info.raw_data_in = plane_count != 0;
  if (!is_subsampled)
    jpeg->info.comp_info[0].h_samp_factor = jpeg->info.comp_info[0].v_samp_factor = 1;
  lib.jpeg_start_compress_(&jpeg->info, TRUE);
  return jpeg;
}

int petspot_jpeg_add(petspot_jpeg *jpeg, const uint8_t *rows, size_t count) {
  if (setjmp(jpeg->failed) != 0) return -1;
  const size_t stride = (size_t)jpeg->info.image_width * 3;
  for (size_t row = 0; row < count; row++) {
    JSAMPROW line = (JSAMPROW)(uintptr_t)(rows + row * stride);
    lib.jpeg_write_scanlines_(&jpeg->info, &line, 1);
  }
  return 0;
}

int petspot_jpeg_add_planes(petspot_jpeg *jpeg, const uint8_t *const planes[3]) {
  const jpeg_component_info *parts = jpeg->info.comp_info;
  const int lines = jpeg->info.max_v_samp_factor * DCTSIZE;
  JSAMPROW rows[3][2 * DCTSIZE];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  size_t lengths[3] = {0}, bytes = 0;
  for (int part = 0; part < jpeg->info.num_components; part++) {
    lengths[part] = (size_t)parts[part].width_in_blocks * DCTSIZE;
    bytes += lengths[part] * (size_t)lines;
  }
  free(jpeg->strip);
  uint8_t *strip = jpeg->strip = malloc(bytes);
  if (strip == NULL) return -1;
  for (int part = 0; part < jpeg->info.num_components; part++)
    for (int row = 0; row < lines; row++, strip += lengths[part]) rows[part][row] = strip;
  if (setjmp(jpeg->failed) != 0) return -1;
  while (jpeg->info.next_scanline < jpeg->info.image_height) {
    for (int part = 0; part < jpeg->info.num_components; part++) {
      const int count = parts[part].v_samp_factor * DCTSIZE;
      const int first = (int)jpeg->info.next_scanline / lines * count;
      const size_t width = parts[part].downsampled_width;
      for (int row = 0; row < count; row++) {
        // Repeat the last column and row to fill the blocks at the edges.
        const int last = (int)parts[part].downsampled_height - 1;
        const size_t line = (size_t)(first + row < last ? first + row : last);
        memcpy(rows[part][row], planes[part] + line * width, width);
        memset(rows[part][row] + width, rows[part][row][width - 1], lengths[part] - width);
      }
    }
    lib.jpeg_write_raw_data_(&jpeg->info, arrays, (JDIMENSION)lines);
  }
  return 0;
}

int petspot_jpeg_end(petspot_jpeg *jpeg, const uint8_t **bytes, size_t *count) {
  if (setjmp(jpeg->failed) != 0) return -1;
  lib.jpeg_finish_compress_(&jpeg->info);
  *bytes = jpeg->bytes;
  *count = jpeg->room - jpeg->destination.free_in_buffer;
  return 0;
}

void petspot_jpeg_free(petspot_jpeg *jpeg) {
  lib.jpeg_destroy_compress_(&jpeg->info);
  free(jpeg->bytes);
  free(jpeg->strip);
  free(jpeg);
}

struct petspot_planes {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf failed;
  uint8_t *strips[3];
  JSAMPROW rows[3][4 * DCTSIZE];
};

petspot_planes *petspot_planes_begin(
    const uint8_t *bytes, size_t count, int width, int height, int shrink) {
  petspot_planes *planes = load() ? calloc(1, sizeof *planes) : NULL;
  if (planes == NULL) return NULL;
  planes->info.err = leaving(&planes->errors);
  planes->info.client_data = &planes->failed;
  if (setjmp(planes->failed) != 0) {
    petspot_planes_free(planes);
    return NULL;
  }
  lib.jpeg_CreateDecompress_(&planes->info, JPEG_LIB_VERSION, sizeof planes->info);
  lib.jpeg_mem_src_(&planes->info, bytes, count);
  lib.jpeg_read_header_(&planes->info, TRUE);
  const J_COLOR_SPACE colors = planes->info.jpeg_color_space;
  if (colors != JCS_YCbCr && colors != JCS_GRAYSCALE) longjmp(planes->failed, 1);
  if (planes->info.image_width != (JDIMENSION)width || planes->info.image_height != (JDIMENSION)height)
    longjmp(planes->failed, 1);
  planes->info.out_color_space = colors;
  planes->info.raw_data_out = TRUE;
  planes->info.scale_num = 1;
  planes->info.scale_denom = (unsigned)shrink;
  lib.jpeg_start_decompress_(&planes->info);
  for (int part = 0; part < planes->info.num_components; part++) {
    const petspot_plane plane = petspot_planes_part(planes, part);
    planes->strips[part] = malloc(plane.stride * (size_t)plane.strip_rows);
    if (planes->strips[part] == NULL) longjmp(planes->failed, 1);
    for (int row = 0; row < plane.strip_rows; row++)
      planes->rows[part][row] = planes->strips[part] + (size_t)row * plane.stride;
  }
  return planes;
}

petspot_plane petspot_planes_part(const petspot_planes *planes, int part) {
  const struct jpeg_decompress_struct *info = &planes->info;
  if (part >= info->num_components) return (petspot_plane){0};
  const jpeg_component_info *component = &info->comp_info[part];
  const double scale = (double)SCALED(*component) / DCTSIZE;
  return (petspot_plane){
      .rows = planes->strips[part],
      .stride = (size_t)component->width_in_blocks * (size_t)SCALED(*component),
      .strip_rows = component->v_samp_factor * SCALED(*component),
      .width = (int)component->downsampled_width,
      .height = (int)component->downsampled_height,
      .span_across = info->image_width * scale * component->h_samp_factor / info->max_h_samp_factor,
      .span_down = info->image_height * scale * component->v_samp_factor / info->max_v_samp_factor};
}

int petspot_planes_read(petspot_planes *planes) {
  if (setjmp(planes->failed) != 0) return -1;
  if (planes->info.output_scanline >= planes->info.output_height) return 0;
  JSAMPARRAY arrays[3] = {planes->rows[0], planes->rows[1], planes->rows[2]};
  const int lines = planes->info.max_v_samp_factor * planes->info.LEAST_SCALED;
  lib.jpeg_read_raw_data_(&planes->info, arrays, (JDIMENSION)lines);
  return planes->errors.num_warnings == 0 ? 1 : -1;
}

void petspot_planes_free(petspot_planes *planes) {
  lib.jpeg_destroy_decompress_(&planes->info);
  for (int part = 0; part < 3; part++) free(planes->strips[part]);
  free(planes);
}
