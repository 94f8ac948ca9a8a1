#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int petspot_die_with_parent(void) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : errno;
}

int petspot_no_new_privileges(void) {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

int petspot_rename_exclusively(int folder, const char *from, int target, const char *to) {
  return renameat2(folder, from, target, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int petspot_copy_attributes(int from, int to) {
  static const char prefix[] = "user.";
  // The kernel's limits for a list of names and for a value (xattr(7)).
  enum { limit = 65536 };
  char *names = malloc(limit), *value = malloc(limit);
  int result = names != NULL && value != NULL ? 0 : ENOMEM;
  ssize_t length = result == 0 ? flistxattr(from, names, limit) : 0;
  if (length < 0) result = errno;
  for (char *name = names; result == 0 && name < names + length; name += strlen(name) + 1) {
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0) continue;
    ssize_t size = fgetxattr(from, name, value, limit);
    if (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0) result = errno;
  }
  free(names);
  free(value);
  return result == EOPNOTSUPP ? 0 : result;
}

int petspot_set_thread_stack(size_t bytes) {
  pthread_attr_t attributes;
  int result = pthread_attr_init(&attributes);
  if (result != 0) return result;
  result = pthread_attr_setstacksize(&attributes, bytes);
  if (result == 0) result = pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return result;
}

int petspot_lower_limit(int resource, uint64_t value, uint64_t *in_force) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return errno;
  if (limit.rlim_max < value) value = limit.rlim_max;
  *in_force = value;
  limit.rlim_cur = limit.rlim_max = value;
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

int petspot_limit_processor(int pid, uint64_t soft, uint64_t hard) {
  struct {
    uint64_t soft, hard;
  } limit;
  if (syscall(SYS_prlimit64, pid, RLIMIT_CPU, NULL, &limit) != 0) return errno;
  if (limit.hard > hard) limit.hard = hard;
  limit.soft = soft < limit.hard ? soft : limit.hard;
  return syscall(SYS_prlimit64, pid, RLIMIT_CPU, &limit, NULL) == 0 ? 0 : errno;
}

int64_t petspot_processor_time(int pid) {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  struct timespec time;
  if (pid != 0 && clock_getcpuclockid(pid, &clock) != 0) return 0;
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

int petspot_collect(int pid, int *status, int options, int64_t *used) {
  struct rusage usage;
  int collected = wait4(pid, status, options, &usage);
  if (collected > 0)
    *used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ll +
            (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ll;
  return collected;
}

int petspot_spawn_closing(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Landlock (Documentation/userspace-api/landlock.rst). Debian 12's headers support it only up to version 2.
struct petspot_landlock_ruleset {
  uint64_t handled_access_fs, handled_access_net, scoped;
};

int petspot_landlock_version(void) {
  long version = syscall(444, NULL, 0, 1);
  return version < 0 ? 0 : (int)version;
}

static int create_ruleset(const struct petspot_landlock_ruleset *ruleset) {
  return (int)syscall(444, ruleset, sizeof *ruleset, 0);
}

// Sets the bits of a field that this kernel supports, from the lowest up. The kernel rejects rulesets with other bits.
static void handle_all(struct petspot_landlock_ruleset *ruleset, uint64_t *field) {
  for (int bits = 1; bits <= 64; bits++) {
    uint64_t known = *field;
    *field = UINT64_MAX >> (64 - bits);
    int descriptor = create_ruleset(ruleset);
    if (descriptor < 0) {
      *field = known;
      return;
    }
    close(descriptor);
  }
}

int petspot_landlock_deny_all(void) {
  struct petspot_landlock_ruleset ruleset = {0, 0, 0};
  handle_all(&ruleset, &ruleset.handled_access_fs);
  handle_all(&ruleset, &ruleset.handled_access_net);
  handle_all(&ruleset, &ruleset.scoped);
  int descriptor = create_ruleset(&ruleset);
  if (descriptor < 0) return errno;
  int result = syscall(446, descriptor, 0) == 0 ? 0 : errno;
  close(descriptor);
  return result;
}
