/* Preloaded into a process whose files are to be rebuilt as a power cut would leave them.
 *
 * TORTURE_RECORD=LOG    where every act on files below the root is noted, in the order of its effects
 * TORTURE_ROOT=FOLDER   the folder whose files are watched
 *
 * A record is a head of five numbers and its bytes. What directories list is noted whenever it changed, so that renames
 * count that no function of the C library was called for. Acts of all threads and processes are taken one at a time.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, CREATE = 4, LIST = 5, SYNC_FOLDER = 6, SAID = 7 };

struct head {
    uint64_t kind, inode, at, bytes, path_bytes;
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MOST_FOLDERS 512
#define MOST_LISTED (256 << 10)

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int log_file = -1;
static char root[PATH_MAX];
static struct {
    char path[PATH_MAX];
    uint64_t digest;
} folders[MOST_FOLDERS];
static int folder_count;

static int is_on(void) {
    if (log_file >= 0) return 1;
    const char *log = getenv("TORTURE_RECORD"), *below = getenv("TORTURE_ROOT");
    if (!log || !below) return 0;
    snprintf(root, sizeof root, "%s", below);
    log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return log_file >= 0;
}

static void enter(void) {
    pthread_mutex_lock(&lock);
    if (is_on()) flock(log_file, LOCK_EX);
}

static void leave(void) {
    int error = errno;
    if (log_file >= 0) flock(log_file, LOCK_UN);
    pthread_mutex_unlock(&lock);
    errno = error;
}

static void note(uint64_t kind, uint64_t inode, uint64_t at, const char *path, const void *bytes, size_t length) {
    struct head head = {kind, inode, at, length, path ? strlen(path) : 0};
    struct iovec parts[3] = {
        {&head, sizeof head}, {(void *)(path ? path : ""), head.path_bytes}, {(void *)bytes, length}};
    /* One call, so that a process that is killed leaves no half of a head before the record of another. */
    if (syscall(SYS_writev, log_file, parts, 3) < 0) abort();
}

/* The path of an open file below the root; none where it is elsewhere or deleted. */
static int find_path(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    size_t below = strlen(root);
    return strncmp(path, root, below) == 0 && (path[below] == '/' || path[below] == 0);
}

/* Whether a file is one of those that are watched, and which. */
static int is_watched(int fd, uint64_t *inode, char *path) {
    struct stat st;
    if (!is_on() || fd == log_file || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !find_path(fd, path)) return 0;
    *inode = st.st_ino;
    return 1;
}

/* Notes what a folder lists, where that differs from what it listed last. */
static void note_listing(const char *path) {
    static char listed[MOST_LISTED];
    struct stat own;
    DIR *folder = opendir(path);
    if (!folder) return;
    size_t length = 0;
    uint64_t digest = 0;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (entry->d_type != DT_REG && entry->d_type != DT_DIR) continue;
        char line[NAME_MAX + 64];
        int bytes = snprintf(line, sizeof line, "%c %llu %s\n", entry->d_type == DT_DIR ? 'd' : 'f',
                             (unsigned long long)entry->d_ino, entry->d_name);
        if (length + bytes > sizeof listed) abort();
        memcpy(listed + length, line, bytes);
        length += bytes;
        /* A sum of hashes: folders list their entries in any order. */
        uint64_t hash = 14695981039346656037ull;
        for (int i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)line[i]) * 1099511628211ull;
        digest += hash;
    }
    int is_there = fstat(dirfd(folder), &own) == 0;
    closedir(folder);
    if (!is_there) return;
    int at = 0;
    while (at < folder_count && strcmp(folders[at].path, path) != 0) at++;
    if (at == folder_count) {
        if (folder_count == MOST_FOLDERS) abort();
        snprintf(folders[folder_count++].path, PATH_MAX, "%s", path);
        folders[at].digest = ~digest;
    }
    if (folders[at].digest == digest) return;
    folders[at].digest = digest;
    note(LIST, own.st_ino, 0, path, listed, length);
}

/* Notes the listings of all folders above a path, from the root on. */
static void note_folders(const char *path) {
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", path);
    for (size_t at = strlen(root); above[at]; at++) {
        if (above[at] != '/') continue;
        above[at] = 0;
        note_listing(above);
        above[at] = '/';
    }
}

static void note_write(int fd, const void *from, ssize_t written, off_t at) {
    uint64_t inode;
    char path[PATH_MAX];
    if (written <= 0) return;
    if (fd == 1) {
        note(SAID, 0, 0, NULL, from, written);
    } else if (is_watched(fd, &inode, path)) {
        note_folders(path);
        note(WRITE, inode, at, path, from, written);
    }
}

/* Where the next write of a file goes that has a place of its own. */
static off_t find_place(int fd) {
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_APPEND) && fstat(fd, &st) == 0) return st.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void *from, size_t bytes) {
    enter();
    off_t at = find_place(fd);
    ssize_t written = REAL(write)(fd, from, bytes);
    if (is_on()) note_write(fd, from, written, at);
    leave();
    return written;
}

ssize_t writev(int fd, const struct iovec *from, int pieces) {
    enter();
    off_t at = find_place(fd);
    ssize_t written = REAL(writev)(fd, from, pieces), left = written;
    for (int i = 0; is_on() && i < pieces && left > 0; i++) {
        ssize_t part = (ssize_t)from[i].iov_len < left ? (ssize_t)from[i].iov_len : left;
        note_write(fd, from[i].iov_base, part, at);
        at += part;
        left -= part;
    }
    leave();
    return written;
}

#define WRITING_AT(name, type)                                                  \
    ssize_t name(int fd, const void *from, size_t bytes, type at) {             \
        enter();                                                                \
        ssize_t written = REAL(name)(fd, from, bytes, at);                      \
        if (is_on()) note_write(fd, from, written, at);                         \
        leave();                                                                \
        return written;                                                         \
    }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

#define GROWING(name, type)                                                     \
    int name(int fd, type size) {                                               \
        uint64_t inode;                                                         \
        char path[PATH_MAX];                                                    \
        enter();                                                                \
        int outcome = REAL(name)(fd, size);                                     \
        if (outcome == 0 && is_watched(fd, &inode, path)) {                     \
            note_folders(path);                                                 \
            note(TRUNCATE, inode, size, path, NULL, 0);                         \
        }                                                                       \
        leave();                                                                \
        return outcome;                                                         \
    }
GROWING(ftruncate, off_t)
GROWING(ftruncate64, off64_t)

#define SYNCING(name)                                                           \
    int name(int fd) {                                                          \
        uint64_t inode;                                                         \
        char path[PATH_MAX];                                                    \
        struct stat st;                                                         \
        enter();                                                                \
        /* Nothing is really synced: only the rebuilt files count. */           \
        if (is_watched(fd, &inode, path)) {                                     \
            note_folders(path);                                                 \
            note(SYNC, inode, 0, path, NULL, 0);                                \
        } else if (is_on() && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && find_path(fd, path)) { \
            note_folders(path);                                                 \
            note_listing(path);                                                 \
            note(SYNC_FOLDER, st.st_ino, 0, path, NULL, 0);                     \
        }                                                                       \
        leave();                                                                \
        return 0;                                                               \
    }
SYNCING(fsync)
SYNCING(fdatasync)

static int note_opened(const char *path, int flags, int was_there, int fd) {
    uint64_t inode;
    char real[PATH_MAX];
    if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) && is_watched(fd, &inode, real)) {
        if (!was_there) {
            /* The number may be that of a file that was deleted: this one is empty. */
            note(CREATE, inode, 0, real, NULL, 0);
        } else if (flags & O_TRUNC) {
            note(TRUNCATE, inode, 0, real, NULL, 0);
        }
        note_folders(real);
    }
    (void)path;
    return fd;
}

#define OPENING(name)                                                           \
    int name(const char *path, int flags, ...) {                                \
        va_list rest;                                                           \
        va_start(rest, flags);                                                  \
        mode_t mode = va_arg(rest, mode_t);                                     \
        va_end(rest);                                                           \
        if (!(flags & (O_CREAT | O_TRUNC))) return REAL(name)(path, flags, mode); \
        enter();                                                                \
        int was_there = faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; \
        int fd = note_opened(path, flags, was_there, REAL(name)(path, flags, mode)); \
        leave();                                                                \
        return fd;                                                              \
    }
OPENING(open)
OPENING(open64)
