// Access to FFmpeg's HEVC decoder. The library is opened for the first decoder, because it loads forty others. Programs
// that decode no HEIC start without them.
#pragma once
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
#include <stdarg.h>
#include <string.h>

typedef struct {
  const AVCodec *(*find_decoder)(enum AVCodecID);
  AVCodecContext *(*alloc_context3)(const AVCodec *);
  int (*open2)(AVCodecContext *, const AVCodec *, AVDictionary **);
  void (*free_context)(AVCodecContext **);
  int (*send_packet)(AVCodecContext *, const AVPacket *);
  int (*receive_frame)(AVCodecContext *, AVFrame *);
  void (*flush_buffers)(AVCodecContext *);
  int (*default_get_buffer2)(AVCodecContext *, AVFrame *, int);
  AVPacket *(*packet_alloc)(void);
  int (*new_packet)(AVPacket *, int);
  void (*shrink_packet)(AVPacket *, int);
  void (*packet_free)(AVPacket **);
  AVFrame *(*frame_alloc)(void);
  void (*frame_free)(AVFrame **);
  const AVPixFmtDescriptor *(*pix_fmt_desc_get)(enum AVPixelFormat);
  void (*log_set_callback)(void (*)(void *, int, const char *, va_list));
  unsigned (*version)(void);
} petspot_avcodec;

// The value of a decoder's `opaque`.
typedef struct {
  const petspot_avcodec *lib;
  int errors;  // the number of error messages
} petspot_decoder_state;

// Counts the errors that a decoder logs. It doesn't return all of them, for example a coefficient with too many bits,
// which is a typical sign of lost data.
static inline void petspot_count_error(
    void *sender, int level, const char *format, va_list arguments) {
  if (sender == NULL || (level & 255) > AV_LOG_ERROR) return;
  if (strcmp((*(const AVClass **)sender)->class_name, "AVCodecContext") != 0) return;
  petspot_decoder_state *state = (petspot_decoder_state *)((AVCodecContext *)sender)->opaque;
  if (state != NULL) state->errors += 1;
}

#define PETSPOT_TEXT(x) #x
#define PETSPOT_SONAME(major) "libavcodec.so." PETSPOT_TEXT(major)

// Returns 0 if the library of these headers' version is installed and has all functions.
static inline int petspot_avcodec_load(petspot_avcodec *lib) {
  void *handle = dlopen(PETSPOT_SONAME(LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) return -1;
#define PETSPOT_FIND(field, name) \
  if ((*(void **)&lib->field = dlsym(handle, name)) == NULL) return -1
  PETSPOT_FIND(find_decoder, "avcodec_find_decoder");
  PETSPOT_FIND(alloc_context3, "avcodec_alloc_context3");
  PETSPOT_FIND(open2, "avcodec_open2");
  PETSPOT_FIND(free_context, "avcodec_free_context");
  PETSPOT_FIND(send_packet, "avcodec_send_packet");
  PETSPOT_FIND(receive_frame, "avcodec_receive_frame");
  PETSPOT_FIND(flush_buffers, "avcodec_flush_buffers");
  PETSPOT_FIND(default_get_buffer2, "avcodec_default_get_buffer2");
  PETSPOT_FIND(packet_alloc, "av_packet_alloc");
  PETSPOT_FIND(new_packet, "av_new_packet");
  PETSPOT_FIND(shrink_packet, "av_shrink_packet");
  PETSPOT_FIND(packet_free, "av_packet_free");
  PETSPOT_FIND(frame_alloc, "av_frame_alloc");
  PETSPOT_FIND(frame_free, "av_frame_free");
  PETSPOT_FIND(pix_fmt_desc_get, "av_pix_fmt_desc_get");
  PETSPOT_FIND(log_set_callback, "av_log_set_callback");
  PETSPOT_FIND(version, "avcodec_version");
#undef PETSPOT_FIND
  lib->log_set_callback(petspot_count_error);
  return 0;
}

// Returns nonzero if a decoder doesn't support this kind of stream, whether it's damaged or not.
static inline int petspot_is_beyond(int error) {
  return error == AVERROR_PATCHWELCOME || error == AVERROR(ENOSYS);
}

// The layout of a frame's samples.
typedef struct {
  int depth;         // bits per sample
  int bytes;         // bytes per luma sample; samples are adjacent
  int across, down;  // log2 of the chroma subsampling
  int is_gray;       // no chroma planes
} petspot_layout;

// Returns 0 for luma with two chroma planes or none, and for green, blue and red in their place (matrix 0). Returns -1
// for other formats.
static inline int petspot_layout_of(
    const petspot_avcodec *lib, int format, petspot_layout *layout) {
  const AVPixFmtDescriptor *found = lib->pix_fmt_desc_get((enum AVPixelFormat)format);
  const uint64_t other = AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                         AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT;
  if (found == NULL || (found->flags & other) != 0) return -1;
  if (found->nb_components != 1 && found->nb_components != 3) return -1;
  const int first = (found->flags & AV_PIX_FMT_FLAG_RGB) != 0 ? 2 : 0;
  for (int i = 0; i < found->nb_components; i++)
    if (found->comp[i].plane != (i + first) % 3 || found->comp[i].step != found->comp[0].step ||
        found->comp[i].depth != found->comp[0].depth || found->comp[i].shift != 0)
      return -1;
  layout->depth = found->comp[0].depth;
  layout->bytes = found->comp[0].step;
  layout->across = found->log2_chroma_w;
  layout->down = found->log2_chroma_h;
  layout->is_gray = found->nb_components == 1;
  return 0;
}

// The pattern that fills a picture's luma before it's decoded. The decoder doesn't report blocks that it never reached.
// A picture that still contains the pattern is incomplete and would otherwise show old memory. Samples of 10 and 12
// bits never have such values.
static const uint8_t petspot_unpainted[8] = {0xA7, 0x1C, 0xE3, 0x58, 0x92, 0x1D, 0xF6, 0x6B};

static inline int petspot_unpainted_buffer(AVCodecContext *context, AVFrame *frame, int flags) {
  const petspot_avcodec *lib = ((const petspot_decoder_state *)context->opaque)->lib;
  petspot_layout layout;
  int result = lib->default_get_buffer2(context, frame, flags);
  if (result < 0 || frame->data[0] == NULL) return result;
  if (petspot_layout_of(lib, frame->format, &layout) != 0) return result;
  for (int y = 0; y < frame->height; y++)
    for (int x = 0; x + 8 <= frame->width * layout.bytes; x += 8)
      memcpy(frame->data[0] + (ptrdiff_t)y * frame->linesize[0] + x, petspot_unpainted, 8);
  return result;
}

// Returns 1 if every block of 8 x 8 luma samples was overwritten.
static inline int petspot_is_painted(const AVFrame *frame, int bytes) {
  for (int y = 0; y < frame->height; y += 4)
    for (int x = 0; x + 8 <= frame->width * bytes; x += 8)
      if (memcmp(frame->data[0] + (ptrdiff_t)y * frame->linesize[0] + x, petspot_unpainted, 8) == 0)
        return 0;
  return 1;
}

// Opens an HEVC decoder that stops at the first error that it detects and rejects pictures with more than `pixels`
// pixels. Returns NULL if there is no decoder. `state` must outlive the decoder.
static inline AVCodecContext *petspot_hevc_open(petspot_decoder_state *state, int64_t pixels) {
  const petspot_avcodec *lib = state->lib;
  const AVCodec *codec = lib->find_decoder(AV_CODEC_ID_HEVC);
  AVCodecContext *context = codec == NULL ? NULL : lib->alloc_context3(codec);
  if (context == NULL) return NULL;
  context->thread_count = 1;
  context->err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_CRCCHECK;
  context->apply_cropping = 0;  // the check for overwritten samples needs whole blocks
  context->max_pixels = pixels;
  context->opaque = state;
  context->get_buffer2 = petspot_unpainted_buffer;
  if (lib->open2(context, codec, NULL) < 0) lib->free_context(&context);
  return context;
}
