#ifndef CCALLGRIND_SHIM_H
#define CCALLGRIND_SHIM_H

// Requests to callgrind are macros. Without the header of valgrind they do nothing.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

static inline _Bool callgrind_is_running(void) { return RUNNING_ON_VALGRIND != 0; }

static inline void callgrind_dump(const char *name) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS_AT(name);
}
#else
static inline _Bool callgrind_is_running(void) { return 0; }

static inline void callgrind_dump(const char *name) { (void)name; }
#endif

#endif
