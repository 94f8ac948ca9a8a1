#pragma once

// Ways out of the sandbox, tried from inside it; each gives 0 when it worked.
int petspot_try_connect(void);
int petspot_try_bind(void);

// A program that runs replaces the caller, and its exit code is the answer: run one that fails.
int petspot_try_execute(const char *path);
int petspot_try_trace(int pid);
int petspot_try_mount(void);
int petspot_try_io_uring(void);
int petspot_try_execute_memory(void);

// No limits at all, for a process; 0 is the caller.
int petspot_try_limit(int pid, int resource);
int petspot_try_old_limit(int resource);
int petspot_try_scheduler(void);
int petspot_try_affinity(void);
int petspot_try_priority(void);
int petspot_try_io_priority(void);
int petspot_try_timer(void);
int petspot_try_dumpable(void);

// Ignores the signal at the end of its processor time.
int petspot_try_ignore_limit(void);

// A thread in a namespace of its own; where that works it dies of its empty stack.
int petspot_try_namespace(void);
