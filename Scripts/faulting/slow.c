/* Sleeps in the calls that take an original away (LD_PRELOAD), before and after each, so that others
   can do something in between: SLOW_US microseconds. SLOW_LOG is made when the first one begins. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void slow(const char *path) {
  const char *log = getenv("SLOW_LOG"), *time = getenv("SLOW_US");
  if (!log || !time || !strstr(path, "gps-exif.jpg")) return;
  int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) syscall(SYS_close, file);
  usleep(atoi(time));
}

int renameat2(int folder, const char *path, int target, const char *name, unsigned flags) {
  slow(path);
  int result = syscall(SYS_renameat2, folder, path, target, name, flags);
  slow(path);
  return result;
}

int unlinkat(int folder, const char *path, int flags) {
  slow(path);
  return syscall(SYS_unlinkat, folder, path, flags);
}
