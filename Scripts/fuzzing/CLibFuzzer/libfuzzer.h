#pragma once

#include <stddef.h>
#include <stdint.h>

/// What libFuzzer offers to custom mutators: one random change of `data`, which may grow to
/// `maxSize` bytes. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
