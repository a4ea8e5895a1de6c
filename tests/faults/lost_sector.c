/* Loaded into the program by LD_PRELOAD: a part of one file cannot be read, as where a disk has lost a sector.
 * TWISTBASE_LOST is "inode first end": the file, and the bytes from `first` up to `end`, which is none of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pread64(int file, void *bytes, size_t length, off64_t at) {
    const char *lost = getenv("TWISTBASE_LOST");
    unsigned long inode;
    long first, end;
    struct stat found;
    if (lost && sscanf(lost, "%lu %ld %ld", &inode, &first, &end) == 3 && fstat(file, &found) == 0 &&
        found.st_ino == inode && at < end && at + (long)length > first) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, file, bytes, length, at);
}
