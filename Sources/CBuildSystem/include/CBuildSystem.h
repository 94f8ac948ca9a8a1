#ifndef CBUILDSYSTEM_H
#define CBUILDSYSTEM_H

/// The os-release file of the system that this was built on, ended by a zero byte; empty where there was
/// none.
extern const char *_Nonnull petspot_build_system(void);

#endif
