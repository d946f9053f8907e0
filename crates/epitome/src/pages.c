// A hook touches a few bytes of many pages. The allocator asks for huge ones, and has cleared the first two megabytes of
// them before `main` is reached, which was a tenth of what a hook costs; so it is said here that small ones will do.
#include <string.h>
#include <sys/prctl.h>

__attribute__((constructor)) static void choose_pages(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "hook") == 0) {
        // Where there is no such choice, it is only slower.
        (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
}
