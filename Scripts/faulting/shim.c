/* Stands between petspot and the C library (LD_PRELOAD): counts its calls on files, and fails, cuts
   short or logs them, or kills the process at one of them. Decoders get an empty environment and run
   without it.

   SHIM_AT=N   the N-th counted call, from 1      SHIM_LOG=FILE   a line for each call (see below)
   SHIM_DO=    kill, short, end or an errno       SHIM_DATA=1     log what was done, with its bytes
   SHIM_MORE=1 that call and all later ones       SHIM_READS=1    count calls that change nothing too
   SHIM_ORDERS=FILE   for a server: counts only while this file exists, from 1 again when it is a new one;
                      it says what AT, DO and MORE say, as `AT DO MORE` (AT -1: log only, MORE 0 or 1)

   Calls are counted over all threads. Standard streams, sockets and the like are not counted, nor
   are libdispatch's looks at its threads in /proc, which it takes for a fault of its own when they
   fail. Under SHIM_AT the log tells what was hit. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count, at = -1;
static int action, more, reads, data, sink = -1, ready; /* action: errno, -1 kill, -2 short, -3 end */
static const char *orders;
static struct timespec ordered;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* A read that ends says that the file has no more bytes. */
static int asked(const char *word) {
  return !strcmp(word, "kill") ? -1 : !strcmp(word, "short") ? -2 : !strcmp(word, "end") ? -3 : atoi(word);
}

static void begin(void) {
  const char *text;
  ready = 1;
  if ((text = getenv("SHIM_AT"))) at = atol(text);
  if ((text = getenv("SHIM_DO"))) action = asked(text);
  more = getenv("SHIM_MORE") != NULL;
  reads = getenv("SHIM_READS") != NULL;
  data = getenv("SHIM_DATA") != NULL;
  orders = getenv("SHIM_ORDERS");
  if ((text = getenv("SHIM_LOG"))) {
    sink = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (sink >= 0) sink = syscall(SYS_fcntl, sink, F_DUPFD_CLOEXEC, 900);
  }
}

static void tell(const char *format, ...) {
  char line[9000];
  va_list list;
  if (sink < 0) return;
  va_start(list, format);
  int size = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  syscall(SYS_write, sink, line, size < (int)sizeof line ? size : (int)sizeof line);
}

static void tell_bytes(const char *head, const void *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *from = bytes;
  size_t start = strlen(head);
  char *line = malloc(start + 2 * size + 1);
  memcpy(line, head, start);
  for (size_t i = 0; i < size; i++) {
    line[start + 2 * i] = digits[from[i] >> 4];
    line[start + 2 * i + 1] = digits[from[i] & 15];
  }
  line[start + 2 * size] = '\n';
  syscall(SYS_write, sink, line, start + 2 * size + 1);
  free(line);
}

/* The absolute path that a call names. */
static const char *resolved(int folder, const char *path, char *buffer) {
  char link[40];
  if (path[0] == '/') return path;
  snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
  ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, 4000);
  snprintf(buffer + (size > 0 ? size : 0), 4096, "/%s", path);
  return buffer;
}

static int status_of(int file, struct stat *status) { return syscall(SYS_fstat, file, status); }

/* Files of /proc are the system's own: libdispatch reads some of them now and then. */
static int is_file(int file) {
  struct stat status;
  struct statfs system;
  if (file <= 2 || file == sink || status_of(file, &status) != 0) return 0;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return 0;
  return syscall(SYS_fstatfs, file, &system) != 0 || system.f_type != PROC_SUPER_MAGIC;
}

/* Reads the orders when they are new: whether there are any. They are put in their place by a rename. */
static int is_ordered(void) {
  struct stat status;
  char text[64] = "", word[16] = "";
  int saved = errno, file = syscall(SYS_openat, AT_FDCWD, orders, O_RDONLY | O_CLOEXEC);
  errno = saved;
  if (file < 0) return 0;
  if (status_of(file, &status) == 0 && memcmp(&status.st_mtim, &ordered, sizeof ordered) != 0) {
    ordered = status.st_mtim;
    count = more = 0;
    syscall(SYS_read, file, text, sizeof text - 1);
    sscanf(text, "%ld %15s %d", &at, word, &more);
    action = asked(word);
  }
  syscall(SYS_close, file);
  return 1;
}

/* Counts a call: 0 to go on, else its errno or -2. Call it with the lock held. */
static int step(const char *name, const char *what, int changes) {
  if (!ready) begin();
  if (!changes && !reads) return 0;
  if (orders && !is_ordered()) return 0;
  count++;
  if (!data && at < 0) tell("%s %s\n", name, what);
  if (at < 0 || count < at || (count > at && !more)) return 0;
  if (!data) tell("hit %s %s\n", name, what);
  if (action == -1) kill(getpid(), SIGKILL);
  return action;
}

#define ENTER pthread_mutex_lock(&lock)
#define LEAVE(value)                                                                               \
  do {                                                                                             \
    int saved = errno;                                                                             \
    pthread_mutex_unlock(&lock);                                                                   \
    errno = saved;                                                                                 \
    return value;                                                                                  \
  } while (0)
#define STEP(name, what, changes)                                                                  \
  do {                                                                                             \
    int fault = step(name, what, changes);                                                         \
    if (fault > 0) {                                                                               \
      errno = fault;                                                                               \
      LEAVE(-1);                                                                                   \
    }                                                                                              \
  } while (0)

static const char *of(int file, char *buffer) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, 4000);
  buffer[size > 0 ? size : 0] = 0;
  return buffer;
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
  char buffer[8200];
  struct stat status;
  if (folder == AT_FDCWD && !strncmp(path, "/proc/", 6) && !(flags & O_CLOEXEC))
    return syscall(SYS_openat, folder, path, flags, mode);
  ENTER;
  const char *full = resolved(folder, path, buffer);
  int nameless = (flags & O_TMPFILE) == O_TMPFILE;
  int changes = (flags & (O_CREAT | O_TRUNC)) != 0 || nameless;
  STEP("open", full, changes);
  int is_new = changes && syscall(SYS_newfstatat, AT_FDCWD, full, &status, AT_SYMLINK_NOFOLLOW) != 0;
  int file = syscall(SYS_openat, folder, path, flags, mode);
  if (data && file >= 0 && changes && status_of(file, &status) == 0) {
    /* Its number may have been another file's. */
    if (nameless) tell("forget %lu\n", status.st_ino);
    else if (is_new) tell("create %lu %s\n", status.st_ino, full);
    else if (flags & O_TRUNC) tell("truncate %lu 0\n", status.st_ino);
  }
  LEAVE(file);
}

#define MODE                                                                                       \
  mode_t mode = 0;                                                                                 \
  if (flags & (O_CREAT | O_TMPFILE)) {                                                             \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode = va_arg(list, mode_t);                                                                   \
    va_end(list);                                                                                  \
  }

int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags, mode); }

int close(int file) {
  char name[4100];
  if (!is_file(file)) return file == sink ? 0 : syscall(SYS_close, file);
  ENTER;
  int fault = step("close", of(file, name), 0);
  int result = syscall(SYS_close, file);
  if (fault > 0) {
    errno = fault;
    result = -1;
  }
  LEAVE(result);
}

/* Logs the beginning of an answer over HTTP before anybody can have it. */
static void answering(const void *bytes, size_t size) {
  if (!data || size < 9 || memcmp(bytes, "HTTP/1.1 ", 9)) return;
  ENTER;
  tell_bytes("answer ", bytes, size);
  pthread_mutex_unlock(&lock);
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
  if (!ready) begin();
  if (count > 0) answering(pieces->iov_base, pieces->iov_len);
  return syscall(SYS_writev, file, pieces, count);
}

/* Offset -1: where the file stands. */
static ssize_t written(int file, const void *bytes, size_t size, off_t offset) {
  char name[4100], head[80];
  struct stat status;
  if (!is_file(file)) {
    if (!ready) begin();
    answering(bytes, size);
    ssize_t sent = offset < 0 ? syscall(SYS_write, file, bytes, size) : syscall(SYS_pwrite64, file, bytes, size, offset);
    if (data && file == 1 && sent > 0) {
      int saved = errno;
      ENTER;
      tell_bytes("answer ", bytes, sent);
      pthread_mutex_unlock(&lock);
      errno = saved;
    }
    return sent;
  }
  ENTER;
  int fault = step("write", of(file, name), 1);
  if (fault > 0) {
    errno = fault;
    LEAVE(-1);
  }
  if (fault == -2 && size > 1) size /= 2;
  off_t place = offset < 0 ? syscall(SYS_lseek, file, 0, SEEK_CUR) : offset;
  ssize_t result = offset < 0 ? syscall(SYS_write, file, bytes, size) : syscall(SYS_pwrite64, file, bytes, size, offset);
  if (data && result > 0 && status_of(file, &status) == 0) {
    snprintf(head, sizeof head, "write %lu %ld ", status.st_ino, place);
    tell_bytes(head, bytes, result);
  }
  LEAVE(result);
}

ssize_t write(int file, const void *bytes, size_t size) { return written(file, bytes, size, -1); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) { return written(file, bytes, size, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) { return written(file, bytes, size, offset); }

static ssize_t got(int file, void *bytes, size_t size, off_t offset) {
  char name[4100];
  if (is_file(file)) {
    ENTER;
    int fault = step("read", of(file, name), 0);
    if (fault > 0) {
      errno = fault;
      LEAVE(-1);
    }
    if (fault == -2 && size > 1) size /= 2;
    pthread_mutex_unlock(&lock);
    if (fault == -3) return 0;
  }
  return offset < 0 ? syscall(SYS_read, file, bytes, size) : syscall(SYS_pread64, file, bytes, size, offset);
}

ssize_t read(int file, void *bytes, size_t size) { return got(file, bytes, size, -1); }
ssize_t pread(int file, void *bytes, size_t size, off_t offset) { return got(file, bytes, size, offset); }
ssize_t pread64(int file, void *bytes, size_t size, off_t offset) { return got(file, bytes, size, offset); }

static int synced(const char *call, int number, int file) {
  char name[4100];
  struct stat status;
  ENTER;
  STEP(call, of(file, name), 1);
  int result = syscall(number, file);
  if (data && result == 0 && status_of(file, &status) == 0) tell("sync %lu %s\n", status.st_ino, name);
  LEAVE(result);
}

int fsync(int file) { return synced("fsync", SYS_fsync, file); }
int fdatasync(int file) { return synced("fdatasync", SYS_fdatasync, file); }

static int truncated(int file, off_t size) {
  char name[4100];
  struct stat status;
  ENTER;
  STEP("ftruncate", of(file, name), 1);
  int result = syscall(SYS_ftruncate, file, size);
  if (data && result == 0 && status_of(file, &status) == 0) tell("truncate %lu %ld\n", status.st_ino, size);
  LEAVE(result);
}

int ftruncate(int file, off_t size) { return truncated(file, size); }
int ftruncate64(int file, off_t size) { return truncated(file, size); }

int renameat2(int folder, const char *path, int target, const char *name, unsigned flags) {
  char from[8200], to[8200];
  ENTER;
  const char *source = resolved(folder, path, from), *final = resolved(target, name, to);
  STEP("rename", final, 1);
  int result = syscall(SYS_renameat2, folder, path, target, name, flags);
  if (data && result == 0) tell("rename %s\t%s\n", source, final);
  LEAVE(result);
}

int renameat(int folder, const char *path, int target, const char *name) {
  return renameat2(folder, path, target, name, 0);
}

int rename(const char *path, const char *name) { return renameat(AT_FDCWD, path, AT_FDCWD, name); }

int linkat(int folder, const char *path, int target, const char *name, int flags) {
  char from[8200], to[8200];
  ENTER;
  const char *source = resolved(folder, path, from), *final = resolved(target, name, to);
  STEP("link", final, 1);
  int result = syscall(SYS_linkat, folder, path, target, name, flags);
  if (data && result == 0) tell("link %s\t%s\n", source, final);
  LEAVE(result);
}

int unlinkat(int folder, const char *path, int flags) {
  char buffer[8200];
  ENTER;
  const char *full = resolved(folder, path, buffer);
  STEP("unlink", full, 1);
  int result = syscall(SYS_unlinkat, folder, path, flags);
  if (data && result == 0) tell("unlink %s\n", full);
  LEAVE(result);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdirat(int folder, const char *path, mode_t mode) {
  char buffer[8200];
  struct stat status;
  ENTER;
  const char *full = resolved(folder, path, buffer);
  STEP("mkdir", full, 1);
  int result = syscall(SYS_mkdirat, folder, path, mode);
  if (data && result == 0 && syscall(SYS_newfstatat, AT_FDCWD, full, &status, 0) == 0)
    tell("mkdir %lu %s\n", status.st_ino, full);
  LEAVE(result);
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int mknodat(int folder, const char *path, mode_t mode, dev_t device) {
  char buffer[8200];
  struct stat status;
  ENTER;
  const char *full = resolved(folder, path, buffer);
  STEP("mknod", full, 1);
  int result = syscall(SYS_mknodat, folder, path, mode, (unsigned)device);
  if (data && result == 0 && syscall(SYS_newfstatat, AT_FDCWD, full, &status, AT_SYMLINK_NOFOLLOW) == 0)
    tell("create %lu %s\n", status.st_ino, full);
  LEAVE(result);
}

int mknod(const char *path, mode_t mode, dev_t device) { return mknodat(AT_FDCWD, path, mode, device); }

int fchmod(int file, mode_t mode) {
  char name[4100];
  ENTER;
  STEP("chmod", of(file, name), 1);
  LEAVE(syscall(SYS_fchmod, file, mode));
}

static int looked(const char *call, int folder, const char *path, struct stat *status, int flags) {
  char buffer[8200];
  ENTER;
  STEP(call, resolved(folder, path, buffer), 0);
  LEAVE(syscall(SYS_newfstatat, folder, path, status, flags));
}

int stat(const char *path, struct stat *status) { return looked("stat", AT_FDCWD, path, status, 0); }
int lstat(const char *path, struct stat *status) { return looked("lstat", AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }
int stat64(const char *path, struct stat64 *status) { return looked("stat", AT_FDCWD, path, (struct stat *)status, 0); }
int lstat64(const char *path, struct stat64 *status) {
  return looked("lstat", AT_FDCWD, path, (struct stat *)status, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int folder, const char *path, struct stat *status, int flags) {
  return looked("fstatat", folder, path, status, flags);
}
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
  return looked("fstatat", folder, path, (struct stat *)status, flags);
}

int fstat(int file, struct stat *status) {
  char name[4100];
  if (!is_file(file)) return status_of(file, status);
  ENTER;
  STEP("fstat", of(file, name), 0);
  LEAVE(status_of(file, status));
}

int fstat64(int file, struct stat64 *status) { return fstat(file, (struct stat *)status); }

struct dirent *readdir(DIR *folder) {
  char name[4100];
  if (is_file(dirfd(folder))) {
    ENTER;
    int fault = step("readdir", of(dirfd(folder), name), 0);
    if (fault > 0) {
      errno = fault;
      LEAVE(NULL);
    }
    pthread_mutex_unlock(&lock);
  }
  return REAL(readdir)(folder);
}

struct dirent64 *readdir64(DIR *folder) { return (struct dirent64 *)readdir(folder); }

int access(const char *path, int mode) {
  ENTER;
  STEP("access", path, 0);
  LEAVE(syscall(SYS_faccessat, AT_FDCWD, path, mode));
}

static int controlled(int file, int command, void *argument) {
  char name[4100];
  if (command != F_SETLK || !is_file(file)) return syscall(SYS_fcntl, file, command, argument);
  ENTER;
  STEP("lock", of(file, name), 0);
  LEAVE(syscall(SYS_fcntl, file, command, argument));
}

int flock(int file, int operation) {
  char name[4100];
  ENTER;
  STEP("flock", of(file, name), 0);
  LEAVE(syscall(SYS_flock, file, operation));
}

#define ARGUMENT                                                                                   \
  va_list list;                                                                                    \
  va_start(list, command);                                                                         \
  void *argument = va_arg(list, void *);                                                           \
  va_end(list);

int fcntl(int file, int command, ...) { ARGUMENT return controlled(file, command, argument); }
int fcntl64(int file, int command, ...) { ARGUMENT return controlled(file, command, argument); }

int socketpair(int domain, int type, int protocol, int ends[2]) {
  ENTER;
  STEP("socketpair", "", 0);
  LEAVE(syscall(SYS_socketpair, domain, type, protocol, ends));
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
  ENTER;
  int fault = step("posix_spawn", path, 0);
  pthread_mutex_unlock(&lock);
  return fault > 0 ? fault : REAL(posix_spawn)(pid, path, actions, attributes, argv, envp);
}
