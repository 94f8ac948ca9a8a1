#pragma once
#include <vips/vips.h>
static inline int petspot_load_jpeg(const void *bytes, size_t count, int shrink, VipsImage **out) {
  return vips_jpegload_buffer((void *)bytes, count, out, "shrink", shrink, "fail_on", VIPS_FAIL_ON_TRUNCATED, NULL);
}
