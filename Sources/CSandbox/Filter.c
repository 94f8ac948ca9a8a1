#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

// The flags with which the C library starts a thread.
#define THREAD_FLAGS                                                                  \
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
  // Memory can be writable or executable but never both, and can't become executable later.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  // Allow threads exactly as the C library starts them, but no processes and no namespaces. A filter can't inspect the
  // flags of clone3, because they are in memory. Without clone3, the C library uses clone.
  if (result == 0)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_EQ, THREAD_FLAGS));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_NE, PR_SET_NAME));
  // abort() sends a signal to its own process.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
  // Limits can be read, which thread stacks need. Only the host sets them.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
        SCMP_A2(SCMP_CMP_EQ, 0));
  // A worker may not catch the signal that ends its processor time.
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
