// Ends libjpeg's handles of CJPEG at every point of their lives, and feeds them damaged files:
// cjpeg SEED COUNT JPEG…
#include "CJPEG.h"
#include "damage.h"

static size_t ended;

static uint8_t *noise(size_t count) {
  uint8_t *bytes = malloc(count + 1);
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)chance(256);
  return bytes;
}

// Adds this many rows, in pieces, then ends the file or not, then goes on where nothing may be added.
static void encode_rows(int width, int height, int rows, int quality, int subsampled, int ends) {
  petspot_jpeg *jpeg = petspot_jpeg_begin(width, height, quality, subsampled, 0);
  expect(jpeg != NULL, "an encoder of rows");
  uint8_t *pixels = noise((size_t)width * 3 * (size_t)(rows + 1));
  for (int row = 0; row < rows;) {
    const int piece = 1 + (int)chance((size_t)(rows - row));
    const int result = petspot_jpeg_add(jpeg, pixels + (size_t)row * (size_t)width * 3, (size_t)piece);
    expect(result == 0 || rows > height, "rows are added");
    row += piece;
  }
  int has_ended = 0;
  for (int i = 0; i < ends; i++) {
    const uint8_t *bytes = NULL;
    size_t count = 0;
    const int result = petspot_jpeg_end(jpeg, &bytes, &count);
    // A row is added after each attempt.
    expect((result == 0) == (!has_ended && rows + i >= height), "a file ends once, with all of its rows");
    has_ended |= result == 0;
    if (result == 0) {
      expect(count > 100 && bytes[0] == 0xFF && bytes[count - 1] == 0xD9, "a whole file");
      petspot_planes *planes = petspot_planes_begin(bytes, count, width, height, 1);
      expect(planes != NULL, "what was encoded decodes");
      petspot_planes_free(planes);
    }
    petspot_jpeg_add(jpeg, pixels, 1);
  }
  petspot_jpeg_free(jpeg);
  free(pixels);
  ended++;
}

static void encode_planes(int width, int height, int count, int times, int ends) {
  petspot_jpeg *jpeg = petspot_jpeg_begin(width, height, 90, 1, count);
  expect(jpeg != NULL, "an encoder of planes");
  const size_t half = (size_t)((width + 1) / 2) * (size_t)((height + 1) / 2);
  uint8_t *luma = noise((size_t)width * (size_t)height), *blue = noise(half), *red = noise(half);
  const uint8_t *const planes[3] = {luma, blue, red};
  for (int i = 0; i < times; i++) petspot_jpeg_add_planes(jpeg, planes);
  const uint8_t *bytes;
  size_t size;
  for (int i = 0; i < ends; i++)
    expect((petspot_jpeg_end(jpeg, &bytes, &size) == 0) == (i == 0 && times > 0), "planes end once");
  petspot_jpeg_free(jpeg);
  free(luma);
  free(blue);
  free(red);
  ended++;
}

// Reads at most `strips` strips of a file.
static void decode(file_t file, int width, int height, int shrink, int strips) {
  petspot_planes *planes = petspot_planes_begin(file.bytes, file.count, width, height, shrink);
  if (planes == NULL) return;
  int result = 1;
  for (int strip = 0; strip < strips && result == 1; strip++) {
    result = petspot_planes_read(planes);
    for (int part = 0; part < 4; part++) {
      const petspot_plane plane = petspot_planes_part(planes, part);
      volatile uint8_t sum = 0;
      for (int row = 0; result == 1 && row < plane.strip_rows && plane.width > 0; row++)
        for (int x = 0; x < plane.width; x++) sum ^= plane.rows[(size_t)row * plane.stride + (size_t)x];
    }
  }
  if (result != 1) petspot_planes_read(planes);
  petspot_planes_free(planes);
  ended++;
}

// Pixels that the header says, which a caller knows already.
static void size_of(file_t file, int *width, int *height) {
  *width = *height = 0;
  for (size_t at = 2; at + 9 < file.count && file.bytes[at] == 0xFF;) {
    const uint8_t *marker = file.bytes + at;
    if (marker[1] >= 0xC0 && marker[1] <= 0xCF && marker[1] != 0xC4 && marker[1] != 0xC8 && marker[1] != 0xCC) {
      *height = marker[5] << 8 | marker[6];
      *width = marker[7] << 8 | marker[8];
      return;
    }
    at += 2 + (size_t)(marker[2] << 8 | marker[3]);
  }
}

int main(int argc, char **argv) {
  expect(argc > 3, "cjpeg SEED COUNT JPEG…");
  chance_state += strtoull(argv[1], NULL, 10);
  const long count = strtol(argv[2], NULL, 10);
  const int bad[][4] =
      {{0, 1, 90, 0}, {1, 0, 90, 0}, {-1, -1, 90, 0}, {65536, 1, 90, 0}, {1, 70000, 90, 3}, {0, 0, 0, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    expect(petspot_jpeg_begin(bad[i][0], bad[i][1], bad[i][2], 1, bad[i][3]) == NULL, "no such JPEG");
  // Its file is four times as large as the first buffer; each number of rows is where one is given up.
  for (int rows = 0; rows <= 321; rows += rows < 20 ? 1 : 15)
    for (int ends = 0; ends < 3; ends++) encode_rows(320, 320, rows, 95, rows & 1, ends);
  for (int side = 1; side < 40; side++)
    for (int ends = 0; ends < 3; ends++) {
      encode_rows(side, 41 - side, (int)chance((size_t)(43 - side)), 1 + (int)chance(100), side & 1, ends);
      for (int times = 0; times < 3; times++) {
        encode_planes(side, 41 - side, 1, times, ends);
        encode_planes(side, 41 - side, 3, times, ends);
      }
    }
  encode_planes(640, 480, 3, 2, 2);
  for (int name = 3; name < argc; name++) {
    file_t file = read_file(argv[name]);
    int width, height;
    size_of(file, &width, &height);
    decode(file, width + 1, height, 1, 1);
    for (int shrink = 1; shrink <= 8; shrink *= 2)
      for (int strips = 0; strips < 4; strips++) decode(file, width, height, shrink, strips);
    for (long i = 0; i < count; i++) {
      file_t copy = damaged(file, 0);
      size_of(copy, &width, &height);
      if ((long)width * height < 4000000)
        decode(copy, width, height, 1 << chance(4), chance(4) ? 1 << 20 : (int)chance(9));
      free(copy.bytes);
    }
    free(file.bytes);
  }
  printf("%zu handles of CJPEG ended, %ld damaged files\n", ended, count * (argc - 3));
  return 0;
}
