#include "CBuildSystem.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char release[] = {
#if __has_embed("/etc/os-release")
#embed "/etc/os-release" suffix(, )
#endif
    0};

const char *petspot_build_system(void) { return (const char *)release; }
