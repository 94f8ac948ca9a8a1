#define _GNU_SOURCE
#include "CEscapes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The flags that the C library starts a thread with.
#define THREAD_FLAGS                                                                  \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
   CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

struct limit {
  uint64_t soft, hard;
};

int petspot_try_connect(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return errno;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  // A refusal by the other side is a connection that the sandbox let through.
  int result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
  return result == 0 || errno == ECONNREFUSED ? 0 : errno;
}

int petspot_try_bind(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return errno;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

int petspot_try_execute(const char *path) {
  char *const arguments[] = {(char *)path, NULL}, *const environment[] = {NULL};
  execve(path, arguments, environment);
  return errno;
}

int petspot_try_trace(int pid) {
  return ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0 ? 0 : errno;
}

int petspot_try_mount(void) {
  return mount("none", "/mnt", "tmpfs", 0, NULL) == 0 ? 0 : errno;
}

int petspot_try_io_uring(void) {
  char parameters[120] = {0};
  return syscall(425, 1, parameters) >= 0 ? 0 : errno;
}

int petspot_try_execute_memory(void) {
  int descriptor = (int)syscall(SYS_memfd_create, "escape", 0);
  if (descriptor < 0) return errno;
  static const char script[] = "#!/bin/false\n";
  if (write(descriptor, script, sizeof script - 1) < 0) return errno;
  char *const none[] = {NULL};
  syscall(SYS_execveat, descriptor, "", none, none, 0x1000);
  return errno;
}

int petspot_try_limit(int pid, int resource) {
  struct limit none = {~0ULL, ~0ULL};
  return syscall(SYS_prlimit64, pid, resource, &none, NULL) == 0 ? 0 : errno;
}

int petspot_try_old_limit(int resource) {
  struct limit limit;
  if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0) return errno;
  return syscall(SYS_setrlimit, resource, &limit) == 0 ? 0 : errno;
}

int petspot_try_scheduler(void) {
  int priority = 0, batch = 3;
  return syscall(SYS_sched_setscheduler, 0, batch, &priority) == 0 ? 0 : errno;
}

int petspot_try_affinity(void) {
  unsigned long processors = 1;
  return syscall(SYS_sched_setaffinity, 0, sizeof processors, &processors) == 0 ? 0 : errno;
}

int petspot_try_priority(void) {
  return setpriority(PRIO_PROCESS, 0, 1) == 0 ? 0 : errno;
}

int petspot_try_io_priority(void) {
  return syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 4) == 0 ? 0 : errno;
}

int petspot_try_timer(void) {
  int timer;
  return syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer) == 0 ? 0 : errno;
}

int petspot_try_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 ? 0 : errno;
}

int petspot_try_ignore_limit(void) {
  return signal(SIGXCPU, SIG_IGN) == SIG_ERR ? errno : 0;
}

int petspot_try_namespace(void) {
  static char stack[4096];
  long flags = THREAD_FLAGS & ~(CLONE_FS | CLONE_SETTLS);
  return syscall(SYS_clone, flags | CLONE_NEWNS, stack + 2048, stack, stack, 0) >= 0 ? 0 : errno;
}
