#include "CJPEG.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

// Each function of libjpeg that is called, once.
#define FUNCTIONS(each)                                                                  \
  each(jpeg_std_error) each(jpeg_CreateCompress) each(jpeg_mem_dest) each(jpeg_set_defaults) \
  each(jpeg_set_quality) each(jpeg_start_compress) each(jpeg_write_scanlines)            \
  each(jpeg_finish_compress) each(jpeg_destroy_compress)

#define POINTER(name) __typeof__(name) *name##_;
static struct {
  FUNCTIONS(POINTER)
} lib;

// Debian builds it with the interface of libjpeg 6b, Ubuntu with that of 8.
_Static_assert(JPEG_LIB_VERSION == 62 || JPEG_LIB_VERSION == 80, "the library has another name");
#define SONAME (JPEG_LIB_VERSION == 80 ? "libjpeg.so.8" : "libjpeg.so.62")

static int is_loaded;

static void load(void) {
  void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name) \
  if ((*(void **)&lib.name##_ = dlsym(library, #name)) == NULL) return;
  FUNCTIONS(FIND)
  is_loaded = 1;
}

struct petspot_jpeg {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf failed;
  unsigned char *bytes;
  unsigned long count;
};

static void leave(j_common_ptr info) { longjmp(((petspot_jpeg *)info->client_data)->failed, 1); }

static void ignore(j_common_ptr info) { (void)info; }

petspot_jpeg *petspot_jpeg_begin(int width, int height, int quality, int is_subsampled) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  petspot_jpeg *jpeg = is_loaded ? calloc(1, sizeof *jpeg) : NULL;
  if (jpeg == NULL) return NULL;
  jpeg->info.err = lib.jpeg_std_error_(&jpeg->errors);
  jpeg->errors.error_exit = leave;
  jpeg->errors.output_message = ignore;
  jpeg->info.client_data = jpeg;
  if (setjmp(jpeg->failed) != 0) {
    petspot_jpeg_free(jpeg);
    return NULL;
  }
  lib.jpeg_CreateCompress_(&jpeg->info, JPEG_LIB_VERSION, sizeof jpeg->info);
  lib.jpeg_mem_dest_(&jpeg->info, &jpeg->bytes, &jpeg->count);
  jpeg->info.image_width = (JDIMENSION)width;
  jpeg->info.image_height = (JDIMENSION)height;
  jpeg->info.input_components = 3;
  jpeg->info.in_color_space = JCS_RGB;
  lib.jpeg_set_defaults_(&jpeg->info);  // 4:2:0
  lib.jpeg_set_quality_(&jpeg->info, quality, TRUE);
  jpeg->info.write_JFIF_header = FALSE;  // as libvips without metadata
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

int petspot_jpeg_end(petspot_jpeg *jpeg, const uint8_t **bytes, size_t *count) {
  if (setjmp(jpeg->failed) != 0) return -1;
  lib.jpeg_finish_compress_(&jpeg->info);
  *bytes = jpeg->bytes;
  *count = jpeg->count;
  return 0;
}

void petspot_jpeg_free(petspot_jpeg *jpeg) {
  lib.jpeg_destroy_compress_(&jpeg->info);
  free(jpeg->bytes);
  free(jpeg);
}
