// What the filter and the attempts to escape it share.
#pragma once
#include <sched.h>
#include <stdint.h>

// The flags that the C library starts a thread with.
#define PETSPOT_THREAD_FLAGS                                                        \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
   CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

struct petspot_limit {
  uint64_t soft, hard;
};

