// Ends libvips' handles of CVips at every point of their lives, and feeds them damaged files:
// cvips SEED COUNT PICTURE…
#include "CVips.h"

#include "damage.h"

// libvips 8.14 drops its encoder of animations when a frame does not decode.
const char *__lsan_default_suppressions(void) { return "leak:WebPAnimEncoderNewInternal\n"; }

static size_t ended, whole;
enum { operations = 16 };

static int load(const char *path, file_t file, int shrink, VipsImage **out) {
  const char *dot = strrchr(path, '.');
  expect(dot != NULL, path);
  if (strcmp(dot, ".png") == 0) return petspot_load_png(file.bytes, file.count, out);
  if (strcmp(dot, ".gif") == 0) return petspot_load_gif(file.bytes, file.count, out);
  if (strcmp(dot, ".webp") == 0) return petspot_load_webp(file.bytes, file.count, shrink, out);
  if (strcmp(dot, ".heic") == 0) return petspot_load_heif(file.bytes, file.count, out);
  return petspot_load_jpeg(file.bytes, file.count, shrink, out);
}

// Reads as many strips of 64 rows; true when that was all of them.
static int read_rows(VipsImage *image, int strips) {
  VipsRegion *region = petspot_region(image);
  expect(region != NULL, "a region");
  int top = 0;
  for (; top < image->Ysize && strips > 0; top += 64, strips--) {
    const int height = VIPS_MIN(64, image->Ysize - top);
    const uint8_t *rows = petspot_rows(region, top, height);
    if (rows == NULL) break;
    // Rows lie as wide apart as they are, since each strip is as wide as the picture.
    uint8_t *copy = malloc((size_t)height * petspot_row_stride(region));
    memcpy(copy, rows, (size_t)height * petspot_row_stride(region));
    free(copy);
  }
  g_object_unref(region);
  return top >= image->Ysize;
}

// Applies one of the operations; they are lazy, so that damage shows up when its rows are read.
static int operate(int number, VipsImage *in, VipsImage **out) {
  VipsImage *pair[2] = {in, in};
  const uint8_t profile[64] = {0};
  switch (number) {
    case 0: return petspot_icc_to_srgb(in, out, "srgb");
    case 1: return petspot_clear_hidden(in, out);
    case 2: return petspot_extract_bands(in, out, 0, 1);
    case 3: return petspot_join_bands(in, in, out);
    case 4: return petspot_gray_to_three_bands(in, out);
    case 5: return petspot_cast_to_8_bit(in, out);
    case 6: return petspot_crop(in, out, 0, 0, (in->Xsize + 1) / 2, in->Ysize);
    case 7: return petspot_place(in, out, 3, 2, in->Xsize + 5, in->Ysize + 4);
    case 8: return petspot_rotate(in, out, VIPS_ANGLE_D90);
    case 9: return petspot_flip(in, out, VIPS_DIRECTION_HORIZONTAL);
    case 10: return petspot_stack(pair, out, 2);
    case 11: return petspot_as_srgb(in, out);
    case 12: return petspot_without_profile(in, out);
    case 13: return petspot_with_profile(in, out, profile, sizeof profile);
    case 14: return petspot_with_page_height(in, out, in->Ysize);
    default: return (*out = petspot_in_memory(in)) == NULL ? -1 : 0;
  }
}

static void encode(VipsImage *image, int format) {
  void *bytes = NULL;
  size_t count = 0;
  const int result = format == 0   ? petspot_save_jpeg(image, &bytes, &count, 80, TRUE)
                     : format == 1 ? petspot_save_png(image, &bytes, &count)
                                   : petspot_save_webp(image, &bytes, &count, 80, FALSE, 4);
  expect(result != 0 || count > 0, "a file");
  g_free(bytes);
}

// Loads a file and goes as many steps before all that was made is given back.
static void use(const char *path, file_t file, int shrink, int steps) {
  VipsImage *image = NULL;
  if (load(path, file, 1, &image) == 0) {
    // libvips aborts where no pixel would be left; callers know the size when they ask for less.
    if (shrink > 1 && image->Xsize >= shrink && image->Ysize >= shrink) {
      g_object_unref(image);
      image = NULL;
      load(path, file, shrink, &image);
    }
    if (image != NULL && (long)image->Xsize * image->Ysize < 3000000) {
      if (steps == 1) read_rows(image, 1);
      if (steps == 2) whole += (size_t)read_rows(image, 1 << 20);
      if (steps == 3) {
        size_t count;
        g_free(petspot_pixels(image, &count));
      }
      if (steps > 3 && steps < 7) encode(image, steps - 4);
      if (steps >= 7 && steps < 7 + 2 * operations) {
        VipsImage *made = NULL;
        if (operate((steps - 7) / 2, image, &made) == 0 && steps % 2) read_rows(made, 1 << 20);
        if (made != NULL) g_object_unref(made);
      }
    }
    if (image != NULL) g_object_unref(image);
  }
  g_free(petspot_error_text());
  ended++;
}

// Where the coded data of a HEIC begins: libheif is given boxes that we wrote, and stops the process where some
// of them are missing. 0 for the other formats.
static size_t start_of_data(const char *path, file_t file) {
  size_t at = 0;
  if (strcmp(strrchr(path, '.'), ".heic") == 0)
    while (at + 4 < file.count && memcmp(file.bytes + at, "mdat", 4) != 0) at++;
  return at;
}

// Pictures over memory of ours: one that must outlive them, and one that need not.
static void over_memory(void) {
  for (int bands = 1; bands <= 4; bands++)
    for (int copies = 0; copies < 2; copies++) {
      const size_t count = (size_t)(31 * 17 * bands);
      uint8_t *pixels = malloc(count);
      memset(pixels, 127, count);
      VipsImage *image = NULL;
      const int result = copies ? petspot_copied(pixels, count, 31, 17, bands, &image)
                                : petspot_over(pixels, count, 31, 17, bands, &image);
      expect(result == 0, "a picture over memory");
      if (copies) free(pixels);
      for (int format = 0; format < 3; format++) encode(image, format);
      for (int number = 0; number < operations; number++) {
        VipsImage *made = NULL;
        if (operate(number, image, &made) == 0) read_rows(made, 1);
        if (made != NULL) g_object_unref(made);
      }
      g_object_unref(image);
      if (!copies) free(pixels);
      ended++;
    }
  VipsImage *image = NULL;
  expect(petspot_copied("", 1, 31, 17, 3, &image) != 0 && image == NULL, "too few pixels are refused");
}

int main(int argc, char **argv) {
  expect(argc > 3, "cvips SEED COUNT PICTURE…");
  chance_state += strtoull(argv[1], NULL, 10);
  const long count = strtol(argv[2], NULL, 10);
  expect(petspot_vips_open() == 0 && petspot_init("cvips") == 0, "libvips starts");
  petspot_silence_log();
  petspot_without_vector_code();
  if (!petspot_can_load_heif()) petspot_load_heif_module();
  expect(petspot_heif_decodes(), "libheif decodes");
  static const char *const families[] = {"Jpeg", "Png", "Nsgif", "Webp", "Heif"};
  petspot_block("VipsForeignLoad", 1);
  for (int i = 0; i < 5; i++) {
    char family[32];
    snprintf(family, sizeof family, "VipsForeignLoad%s", families[i]);
    petspot_block(family, 0);
  }
  expect(petspot_foreign_loaders() == 0, "no other loader");
  petspot_without_cache();
  petspot_set_threads(1);
  over_memory();
  for (int name = 3; name < argc; name++) {
    file_t file = read_file(argv[name]);
    const int last = 7 + 2 * operations;
    const size_t first = start_of_data(argv[name], file);
    for (int steps = 0; steps < last; steps++)
      if (count == 0 || steps < 3 || chance(8) == 0) use(argv[name], file, 1, steps);
    use(argv[name], file, 2, 2);
    for (long i = 0; i < count; i++) {
      file_t copy = damaged(file, first);
      use(argv[name], copy, chance(4) ? 1 : 2, chance(2) ? 2 : (int)chance((size_t)last));
      free(copy.bytes);
    }
    petspot_loads(file.bytes, file.count);
    petspot_loads_with("pngload_source", file.bytes, file.count);
    free(file.bytes);
  }
  printf("%zu handles of CVips ended, %ld damaged files, %zu read to their end\n", ended, count * (argc - 3), whole);
  return 0;
}
