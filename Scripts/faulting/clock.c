/* Another wall clock for petspot (LD_PRELOAD); the monotonic ones stay.

   CLOCK_SHIFT=N    seconds to add
   CLOCK_DRIFT=N    seconds more at each look
   CLOCK_JUMP=N,S   from the N-th look on, S seconds more */

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_long looks;

static long shift(void) {
  const char *text;
  long look = atomic_fetch_add(&looks, 1) + 1, sum = 0;
  if ((text = getenv("CLOCK_SHIFT"))) sum += atol(text);
  if ((text = getenv("CLOCK_DRIFT"))) sum += look * atol(text);
  if ((text = getenv("CLOCK_JUMP")) && look >= atol(text) && strchr(text, ',')) sum += atol(strchr(text, ',') + 1);
  return sum;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}
