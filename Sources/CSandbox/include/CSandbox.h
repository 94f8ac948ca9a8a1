// Linux system calls that sandbox a worker process, and others that Swift can't import, with exactly the options that
// are used. Functions return 0 or an errno unless noted otherwise. This header names no types of the C library, because
// the order of imports could make them belong to this module instead of Glibc.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Makes the kernel kill this process when the thread that started it ends.
int petspot_die_with_parent(void);
int petspot_no_new_privileges(void);

// Renames within a folder or between two. Returns EEXIST if the new name exists, EINVAL or ENOSYS if the file system
// doesn't support this, and EXDEV between two file systems.
int petspot_rename_exclusively(int folder, const char *from, int target, const char *to);

// Copies the extended user attributes (`user.*`) from one open file to another. Succeeds if either file system doesn't
// support them (EOPNOTSUPP).
int petspot_copy_attributes(int from, int to);

// Sets the stack size of new threads that don't request a size.
int petspot_set_thread_stack(size_t bytes);

// Lowers a limit permanently. A limit that is already lower stays. Writes the resulting limit to `in_force`.
int petspot_lower_limit(int resource, uint64_t value, uint64_t *in_force);

// Limits another process's processor time without raising a limit that it already has.
int petspot_limit_processor(int pid, uint64_t soft, uint64_t hard);

// Returns the processor time in nanoseconds that a process has used, or this thread if `pid` is 0. Returns 0 if it
// can't be read.
int64_t petspot_processor_time(int pid);

// Calls wait4(2), and writes the processor time that the process has used to `used`, in nanoseconds.
int petspot_collect(int pid, int *status, int options, int64_t *used);

// Makes the new process start without the descriptors from `first` on. `actions` is a posix_spawn_file_actions_t.
int petspot_spawn_closing(void *actions, int first);

// Copies this process, which has only one thread, as a child of this process's parent. Returns the copy's process id, 0
// in the copy, or a negative errno if there is no copy.
int petspot_split(void);

// Sends an open descriptor to the process at the other end of a UNIX socket.
int petspot_send_descriptor(int socket, int descriptor);

// Waits for a descriptor. Returns EPIPE if the other end was closed.
int petspot_receive_descriptor(int socket, int *descriptor);

// Returns the Landlock version of the kernel, or 0 if it has none.
int petspot_landlock_version(void);

// Denies the calling thread every access that this kernel's Landlock can deny, including kinds that were added after
// this was written. There are no rules, so everything is denied.
int petspot_landlock_deny_all(void);

// Allows the system calls that decoding needs, returns an error for calls that libraries try but don't need, and kills
// the process with SIGSYS for all others. Applies to all threads.
int petspot_seccomp_start(void);

// Lists the code of this process: the name of each loaded object and the build ID from its linker (NT_GNU_BUILD_ID).
// `size` is 0 if it has none.
typedef void (*petspot_object_receiver)(
    void *context, const char *name, const uint8_t *id, size_t size);
void petspot_list_objects(petspot_object_receiver receive, void *context);
