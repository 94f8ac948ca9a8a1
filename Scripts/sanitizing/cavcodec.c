// Ends FFmpeg's handles of CAVCodec at every point of their lives, as the decoder of tiles uses them, and
// feeds them damaged streams: cavcodec SEED COUNT STREAM… (HEVC with start codes of four bytes)
#include <shim.h>
#include <ycbcr.h>

#include "damage.h"

static petspot_avcodec lib;
static size_t ended, shown;

typedef struct {
  petspot_decoder_state state;
  AVCodecContext *context;
  AVFrame *frame;
} decoder_t;

static decoder_t *open_decoder(int64_t pixels) {
  decoder_t *decoder = calloc(1, sizeof *decoder);
  decoder->state.lib = &lib;
  decoder->context = petspot_hevc_open(&decoder->state, pixels);
  expect(decoder->context != NULL, "a decoder");
  decoder->frame = lib.frame_alloc();
  return decoder;
}

static void close_decoder(decoder_t *decoder) {
  lib.free_context(&decoder->context);
  lib.frame_free(&decoder->frame);
  free(decoder);
  ended++;
}

static int send(decoder_t *decoder, file_t stream) {
  AVPacket *packet = lib.packet_alloc();
  expect(packet != NULL && lib.new_packet(packet, (int)stream.count + 1024) == 0, "a packet");
  memcpy(packet->data, stream.bytes, stream.count);
  memset(packet->data + stream.count, 0xFF, 1024);
  lib.shrink_packet(packet, (int)(stream.count + chance(1025)));
  const int result = lib.send_packet(decoder->context, packet);
  lib.packet_free(&packet);
  return result;
}

// Converts every row, into memory of exactly its size.
static void convert(const AVFrame *frame, const petspot_layout *layout) {
  const int width = frame->width - (int)frame->crop_right;
  const int height = frame->height - (int)frame->crop_bottom;
  if (width <= 0 || height <= 0) return;
  const petspot_matrix matrix = {{1, 26345}, {0, -22553}, {-1, 18726}, {2, -14942}};
  const petspot_any_matrix any = {1.402f, -0.344f, -0.714f, 1.772f, 0, 1, (float)(1 << (layout->depth - 1)), 1,
                                  (float)((1 << layout->depth) - 1)};
  uint8_t *bytes = malloc((size_t)width * 3);
  uint16_t *values = malloc((size_t)width * 3 * sizeof *values);
  for (int y = 0; y < height; y++) {
    const uint8_t *luma = frame->data[0] + (ptrdiff_t)y * frame->linesize[0], *blue = NULL, *red = NULL;
    if (!layout->is_gray) {
      blue = frame->data[1] + (ptrdiff_t)(y >> layout->down) * frame->linesize[1];
      red = frame->data[2] + (ptrdiff_t)(y >> layout->down) * frame->linesize[2];
    }
    if (!layout->is_gray && layout->depth == 8 && layout->across == 1)
      petspot_rgb_row(&matrix, luma, blue, red, width, bytes);
    petspot_any_row(&any, luma, blue, red, layout->bytes, layout->across, width, values);
    petspot_bytes_of(values, (ptrdiff_t)width * 3, (1 << layout->depth) - 1, bytes);
    if (!layout->is_gray && layout->across == 0)
      petspot_gbr_row(&any, luma, blue, red, layout->bytes, width, values);
  }
  free(bytes);
  free(values);
  shown++;
}

static void show(decoder_t *decoder) {
  petspot_layout layout;
  if (lib.receive_frame(decoder->context, decoder->frame) != 0 || decoder->frame->data[0] == NULL) return;
  if (petspot_layout_of(&lib, decoder->frame->format, &layout) != 0) return;
  if (petspot_is_painted(decoder->frame, layout.bytes)) convert(decoder->frame, &layout);
}

// Decodes as many times, then stops behind as many steps of the next time.
static void decode(file_t stream, int64_t pixels, int times, int steps) {
  decoder_t *decoder = open_decoder(pixels);
  for (int i = 0; i < times; i++) {
    if (send(decoder, stream) == 0 && lib.send_packet(decoder->context, NULL) == 0) show(decoder);
    lib.flush_buffers(decoder->context);
  }
  if (steps > 0) send(decoder, stream);
  if (steps > 1) lib.send_packet(decoder->context, NULL);
  if (steps > 2) lib.receive_frame(decoder->context, decoder->frame);
  if (steps > 3) lib.receive_frame(decoder->context, decoder->frame);
  if (steps > 4) lib.flush_buffers(decoder->context);
  close_decoder(decoder);
}

int main(int argc, char **argv) {
  expect(argc > 3, "cavcodec SEED COUNT STREAM…");
  chance_state += strtoull(argv[1], NULL, 10);
  const long count = strtol(argv[2], NULL, 10);
  expect(petspot_avcodec_load(&lib) == 0, "the library is there");
  for (int name = 3; name < argc; name++) {
    file_t stream = read_file(argv[name]);
    const size_t before = shown;
    for (int times = 0; times < 3; times++)
      for (int steps = 0; steps < 6; steps++) decode(stream, 1 << 24, times, steps);
    // Some are damaged as they come; the others decode each time.
    expect(shown == before || shown == before + 18, argv[name]);
    decode(stream, 16, 1, 3);
    for (long i = 0; i < count; i++) {
      file_t copy = damaged(stream, 0);
      decode(copy, 1 << 24, 1 + (int)chance(2), (int)chance(6));
      free(copy.bytes);
    }
    free(stream.bytes);
  }
  expect(shown > 18, "pictures are shown");
  printf("%zu handles of CAVCodec ended, %ld damaged streams, %zu pictures shown\n", ended, count * (argc - 3), shown);
  return 0;
}
