/* Preloaded into a process whose disk or clock is to misbehave.
 *
 * TORTURE_FAIL=WHAT:N:HOW:ERRNO  the N-th WHAT (`write` or `sync`) on a file fails; HOW is `once`, or `on` for all after it
 * TORTURE_READ_ONLY=FOLDER       no file below the folder can be opened for writing
 * TORTURE_CLOCK=SECONDS          the wall clock is that far off
 * TORTURE_BACKWARDS=MS           and goes back by so much whenever it is looked at
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long writes, syncs, looks;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_file(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static int fails(const char *what, atomic_long *count) {
    const char *spec = getenv("TORTURE_FAIL");
    char kind[8], how[8];
    long at;
    int error;
    if (!spec || sscanf(spec, "%7[^:]:%ld:%7[^:]:%d", kind, &at, how, &error) != 4 || strcmp(kind, what) != 0)
        return 0;
    long now = atomic_fetch_add(count, 1) + 1;
    if (now != at && !(now > at && strcmp(how, "on") == 0))
        return 0;
    errno = error;
    return 1;
}

#define WRITING(name, parameters, arguments)                          \
    ssize_t name parameters {                                         \
        if (is_file(fd) && fails("write", &writes)) return -1;        \
        return REAL(name) arguments;                                  \
    }
WRITING(write, (int fd, const void *from, size_t bytes), (fd, from, bytes))
WRITING(pwrite, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))
WRITING(pwrite64, (int fd, const void *from, size_t bytes, off64_t at), (fd, from, bytes, at))
WRITING(writev, (int fd, const struct iovec *from, int pieces), (fd, from, pieces))

#define SYNCING(name)                                                 \
    int name(int fd) {                                                \
        if (is_file(fd) && fails("sync", &syncs)) return -1;          \
        return REAL(name)(fd);                                        \
    }
SYNCING(fsync)
SYNCING(fdatasync)

#define GROWING(name, type)                                           \
    int name(int fd, type size) {                                     \
        if (is_file(fd) && fails("write", &writes)) return -1;        \
        return REAL(name)(fd, size);                                  \
    }
GROWING(ftruncate, off_t)
GROWING(ftruncate64, off64_t)

static int refuses(const char *path, int flags) {
    const char *folder = getenv("TORTURE_READ_ONLY");
    if (!folder || (flags & (O_WRONLY | O_RDWR | O_CREAT)) == 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
    errno = EROFS;
    return 1;
}

#define OPENING(name)                                                 \
    int name(const char *path, int flags, ...) {                      \
        va_list rest;                                                 \
        va_start(rest, flags);                                        \
        mode_t mode = va_arg(rest, mode_t);                           \
        va_end(rest);                                                 \
        return refuses(path, flags) ? -1 : REAL(name)(path, flags, mode);   \
    }
OPENING(open)
OPENING(open64)

int mkdir(const char *path, mode_t mode) {
    return refuses(path, O_CREAT) ? -1 : REAL(mkdir)(path, mode);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int outcome = REAL(clock_gettime)(clock, now);
    const char *off = getenv("TORTURE_CLOCK"), *back = getenv("TORTURE_BACKWARDS");
    if (outcome == 0 && clock == CLOCK_REALTIME && (off || back)) {
        if (off) now->tv_sec += atol(off);
        if (back) now->tv_sec -= atol(back) * (atomic_fetch_add(&looks, 1) + 1) / 1000;
    }
    return outcome;
}
