#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

int petspot_spawn_closing(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Landlock, Documentation/userspace-api/landlock.rst. The numbers stand here because the headers of
// Debian 12 stop at version 2.
struct petspot_landlock_ruleset {
  uint64_t handled_access_fs, handled_access_net, scoped;
};

int petspot_landlock_version(void) {
  long version = syscall(444, NULL, 0, 1);
  return version < 0 ? 0 : (int)version;
}

int petspot_landlock_deny_all(int version) {
  static const uint64_t fs_bits[] = {0, 13, 14, 15, 15, 16};  // by version 0 to 5
  struct petspot_landlock_ruleset ruleset = {
      (1ULL << fs_bits[version < 5 ? version : 5]) - 1,
      version >= 4 ? 3 : 0,  // bind and connect of TCP
      version >= 6 ? 3 : 0,  // abstract sockets and signals to outside
  };
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  long descriptor = syscall(444, &ruleset, size, 0);
  if (descriptor < 0) return errno;
  int result = syscall(446, (int)descriptor, 0) == 0 ? 0 : errno;
  close((int)descriptor);
  return result;
}
