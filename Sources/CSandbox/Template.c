#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int petspot_split(void) {
  // fork() isn't possible, because the new process has to be a child of the keeper, which waits for it. This skips the
  // C library's own steps, which only concern other threads, and there are none.
  long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  return pid < 0 ? -errno : (int)pid;
}

// The message contains one byte of data, because a descriptor can't be sent alone (unix(7)).
union petspot_passing {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr aligned;
};

int petspot_send_descriptor(int socket, int descriptor) {
  char byte = 0;
  struct iovec data = {&byte, 1};
  union petspot_passing passing = {{0}};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &passing,
      .msg_controllen = sizeof passing.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

int petspot_receive_descriptor(int socket, int *descriptor) {
  char byte;
  struct iovec data = {&byte, 1};
  union petspot_passing passing;
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &passing,
      .msg_controllen = sizeof passing.bytes};
  ssize_t count;
  do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return count == 0 ? EPIPE : errno;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_type != SCM_RIGHTS) return EPROTO;
  memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return 0;
}
