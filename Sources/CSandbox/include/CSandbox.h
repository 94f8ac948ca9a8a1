// Linux system calls that sandbox a worker process, and others that Swift cannot import, with exactly
// the options used here. Functions return 0 or an errno unless they say otherwise. No type of the C library
// is named here: it would become this module's, and not Glibc's, by the order of imports.
#pragma once
#include <stddef.h>
#include <stdint.h>

// This process is killed when the thread that started it ends.
int petspot_die_with_parent(void);
int petspot_no_new_privileges(void);

// Renames from one folder to another or the same; EEXIST where the new name is taken, EINVAL or ENOSYS
// where the file system does not support it, EXDEV between two file systems.
int petspot_rename_exclusively(int folder, const char *from, int target, const char *to);

// Copies the extended attributes of users (`user.*`) from one open file to another; 0 or the errno. A file
// system that has none there is no error, nor is one that cannot store them: EOPNOTSUPP.
int petspot_copy_attributes(int from, int to);

// Stack of threads started from now on that ask for no other size.
int petspot_set_thread_stack(size_t bytes);

// Lowers a limit for good; where it is lower already it stays. The limit in force is written to `in_force`.
int petspot_lower_limit(int resource, uint64_t value, uint64_t *in_force);

// Limits another process's processor time, never above what it may have already.
int petspot_limit_processor(int pid, uint64_t soft, uint64_t hard);

// Nanoseconds of processor time that a process has used, or this thread if `pid` is 0; 0 if that cannot be read.
int64_t petspot_processor_time(int pid);

// wait4(2), which writes to `used` the nanoseconds of processor time that the process has used.
int petspot_collect(int pid, int *status, int options, int64_t *used);

// `actions` is a posix_spawn_file_actions_t: the new process starts without the descriptors from
// `first` on.
int petspot_spawn_closing(void *actions, int first);

// Makes a copy of this process, of one thread, that is a child of this process's parent. Gives its
// number here, 0 in the copy, a negative errno when there is none.
int petspot_split(void);

// Hands an open descriptor to the process at the other end of a UNIX socket.
int petspot_send_descriptor(int socket, int descriptor);

// Waits for one; EPIPE when the other end has closed.
int petspot_receive_descriptor(int socket, int *descriptor);

// The version the kernel offers, 0 for none.
int petspot_landlock_version(void);

// Denies the calling thread every access that this kernel's Landlock can deny, also what it learned after this
// was written. There are no rules, so nothing is allowed.
int petspot_landlock_deny_all(void);

// Allows what decoding needs, refuses softly what libraries try and can do without, and ends the
// process with SIGSYS for everything else. Holds for all threads.
int petspot_seccomp_start(void);

// What code this process runs: the name of each loaded object, and the identifier its linker gave it
// (NT_GNU_BUILD_ID); `size` 0 without one.
typedef void (*petspot_object_receiver)(
    void *context, const char *name, const uint8_t *id, size_t size);
void petspot_list_objects(petspot_object_receiver receive, void *context);
