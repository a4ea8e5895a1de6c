/* Loaded into the program by LD_PRELOAD: below the folder TWISTBASE_NO_LOCKS (absolute, without links) there are no locks,
 * as on file systems that are mounted without them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int file, int operation) {
    const char *folder = getenv("TWISTBASE_NO_LOCKS");
    char link[40], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (folder && strncmp(path, folder, strlen(folder)) == 0) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_flock, file, operation);
}
