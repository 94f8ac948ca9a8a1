#define _GNU_SOURCE
#include "CSandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <link.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

struct petspot_limit {
  uint64_t soft, hard;
};

int petspot_limit_processor(int pid, uint64_t soft, uint64_t hard) {
  struct petspot_limit limit;
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

#define PETSPOT_THREAD_FLAGS                                                        \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
   CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

int petspot_seccomp_start(void) {
  static const int allowed[] = {
      SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(recvfrom),
      SCMP_SYS(sendto), SCMP_SYS(close), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
      SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(exit), SCMP_SYS(exit_group),
      SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
      SCMP_SYS(sigaltstack), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
      SCMP_SYS(sched_getaffinity), SCMP_SYS(getrandom), SCMP_SYS(clock_gettime),
      SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(gettid),
      SCMP_SYS(getpid), SCMP_SYS(getrusage), SCMP_SYS(restart_syscall),
  };
  static const int refused[] = {
      SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(access), SCMP_SYS(faccessat),
      SCMP_SYS(faccessat2), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
      SCMP_SYS(statx), SCMP_SYS(fstat), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(lseek),
      SCMP_SYS(ioctl), SCMP_SYS(fcntl), SCMP_SYS(getcwd), SCMP_SYS(sysinfo), SCMP_SYS(uname),
      SCMP_SYS(socket), SCMP_SYS(setpriority), SCMP_SYS(sched_setscheduler),
  };
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (filter == NULL) return ENOMEM;
  int result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (size_t i = 0; result == 0 && i < sizeof allowed / sizeof *allowed; i++)
    result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
  for (size_t i = 0; result == 0 && i < sizeof refused / sizeof *refused; i++)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0);
  // Memory that can be written or run, never both, and none that becomes code.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  // Threads just as the C library starts them: no process, no namespace. The flags of clone3 lie in
  // memory, out of a filter's sight: without it the C library takes clone.
  if (result == 0)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_EQ, PETSPOT_THREAD_FLAGS));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_NE, PR_SET_NAME));
  // abort() signals itself.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
  // Limits can be read, for stacks of threads; set they are from outside.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
        SCMP_A2(SCMP_CMP_EQ, 0));
  // Nothing stands between a worker and the end of its processor time.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(rt_sigaction), 1, SCMP_A0(SCMP_CMP_NE, SIGXCPU));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(rt_sigaction), 1, SCMP_A0(SCMP_CMP_EQ, SIGXCPU));
  if (result == 0) result = seccomp_load(filter);
  seccomp_release(filter);
  return result < 0 ? -result : result;
}

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
  struct petspot_limit none = {~0ULL, ~0ULL};
  return syscall(SYS_prlimit64, pid, resource, &none, NULL) == 0 ? 0 : errno;
}

int petspot_try_old_limit(int resource) {
  struct petspot_limit limit;
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
  long flags = PETSPOT_THREAD_FLAGS & ~(CLONE_FS | CLONE_SETTLS);
  return syscall(SYS_clone, flags | CLONE_NEWNS, stack + 2048, stack, stack, 0) >= 0 ? 0 : errno;
}

struct listener {
  petspot_object_teller tell;
  void *context;
};

static int tell_object(struct dl_phdr_info *object, size_t size, void *pointer) {
  (void)size;
  const struct listener *listener = pointer;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = object->dlpi_phdr + i;
    if (header->p_type != PT_NOTE) continue;
    const uint8_t *at = (const uint8_t *)(object->dlpi_addr + header->p_vaddr);
    const uint8_t *end = at + header->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      const uint8_t *name = at + sizeof *note, *id = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        listener->tell(listener->context, object->dlpi_name, id, note->n_descsz);
        return 0;
      }
      at = id + ((note->n_descsz + 3) & ~3u);
    }
  }
  listener->tell(listener->context, object->dlpi_name, NULL, 0);
  return 0;
}

void petspot_tell_objects(petspot_object_teller tell, void *context) {
  struct listener listener = {tell, context};
  dl_iterate_phdr(tell_object, &listener);
}
