/* Loaded into the program by LD_PRELOAD: writes down, in their order, all changes to the files below a folder, and makes
 * one of them fail when it is told to. `record.rs` reads what is written down.
 *
 * System calls are caught where the kernel sees them (a seccomp filter that raises SIGSYS), not by name in the C library:
 * part of the program calls the kernel directly. The handler carries a call out itself, from the one instruction that the
 * filter lets pass, and returns its result. Calls are carried out one at a time, so that their order is known.
 *
 * TWISTBASE_SHIM_ROOT   the folder, absolute, without links
 * TWISTBASE_SHIM_LOG    the file to write to
 * TWISTBASE_SHIM_FAULT  "n errno kind": the nth change fails with that error; see `due`
 * TWISTBASE_SHIM_PAUSE  milliseconds that each write takes longer, so that what happens after some time happens
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The system call number and six arguments; `after_call` is where the kernel sees it come from. */
long kernel(long number, long a, long b, long c, long d, long e, long f);
extern const char after_call[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define REGISTER(u, name) ((u)->uc_mcontext.gregs[name])
#define NUMBER(u) REGISTER(u, REG_RAX)
#define RESULT(u) REGISTER(u, REG_RAX)
#define ARGUMENTS(u)                                                                                                      \
    { REGISTER(u, REG_RDI), REGISTER(u, REG_RSI), REGISTER(u, REG_RDX), REGISTER(u, REG_R10), REGISTER(u, REG_R8),        \
      REGISTER(u, REG_R9) }
__asm__(".text\n.hidden kernel\n.globl kernel\nkernel:\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\nmov %r9, %r8\nmov 8(%rsp), %r9\n"
        "syscall\n.hidden after_call\n.globl after_call\nafter_call:\nret\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define REGISTER(u, n) ((u)->uc_mcontext.regs[n])
#define NUMBER(u) REGISTER(u, 8)
#define RESULT(u) REGISTER(u, 0)
#define ARGUMENTS(u)                                                                                                      \
    { REGISTER(u, 0), REGISTER(u, 1), REGISTER(u, 2), REGISTER(u, 3), REGISTER(u, 4), REGISTER(u, 5) }
__asm__(".text\n.hidden kernel\n.globl kernel\nkernel:\n"
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
        "svc #0\n.hidden after_call\n.globl after_call\nafter_call:\nret\n");
#else
#error "the registers of this machine are not known"
#endif

#define CALL(number, a, b, c, d) kernel(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* What an event of the log is. */
enum { CREATE = 1, WRITE, LENGTH, SYNC, RENAME, REMOVE, FOLDER, REPORT, FAULT, UNSEEN };

/* An event: this, then `first` and `second` bytes. */
struct event {
    uint32_t kind, first, second, unused;
    uint64_t file, at;
};

/* How the nth change fails. */
enum { ONCE, FROM_THEN_ON, FULL, INTERRUPTED, SHORT };

static char root[4096], one[8192], two[8192];
static size_t root_length;
static int log_file = -1;
static volatile int busy;
static long fault_at, fault_error, fault_kind, changes, longer_by;

static void lock(void) {
    while (__sync_lock_test_and_set(&busy, 1)) CALL(SYS_sched_yield, 0, 0, 0, 0);
}

static void unlock(void) { __sync_lock_release(&busy); }

static void all(const void *bytes, size_t length) {
    const char *next = bytes;
    while (length > 0) {
        long written = CALL(SYS_write, log_file, next, length, 0);
        if (written <= 0) CALL(SYS_exit_group, 99, 0, 0, 0);
        next += written;
        length -= written;
    }
}

static void tell(uint32_t kind, uint64_t file, uint64_t at, const void *first, size_t m, const void *second, size_t n) {
    struct event event = {kind, (uint32_t)m, (uint32_t)n, 0, file, at};
    all(&event, sizeof event);
    all(first, m);
    all(second, n);
}

static int is_below(const char *path) {
    return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The path of an open file; empty if it has none. */
static void path_of(long file, char *path) {
    char link[40] = "/proc/self/fd/";
    char digits[24];
    int count = 0;
    size_t length = strlen(link);
    if (file < 0) {
        path[0] = 0;
        return;
    }
    do digits[count++] = (char)('0' + file % 10);
    while ((file /= 10) > 0);
    while (count > 0) link[length++] = digits[--count];
    link[length] = 0;
    long read = CALL(SYS_readlinkat, AT_FDCWD, link, path, 4095);
    path[read > 0 ? read : 0] = 0;
}

static int is_ours(long file) {
    static char path[4096];
    path_of(file, path);
    return is_below(path);
}

/* The absolute path of `name`, which is relative to the folder `at`. */
static void resolve(long at, const char *name, char *path) {
    path[0] = 0;
    if (name[0] != '/') {
        if ((int)at == AT_FDCWD)
            CALL(SYS_getcwd, path, 4095, 0, 0);
        else
            path_of((int)at, path);
        strcat(path, "/");
    }
    strncat(path, name, 4095);
}

static uint64_t inode(long file) {
    struct stat found = {0};
    CALL(SYS_fstat, file, &found, 0, 0);
    return found.st_ino;
}

static int takes_space(long number) {
    switch (number) {
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev: case SYS_fallocate: case SYS_openat: case SYS_mkdirat:
#ifdef SYS_open
    case SYS_open: case SYS_creat: case SYS_mkdir:
#endif
        return 1;
    }
    return 0;
}

static int can_be_interrupted(long number) {
    int is_folder = number == SYS_mkdirat;
#ifdef SYS_mkdir
    is_folder = is_folder || number == SYS_mkdir;
#endif
    return !is_folder && (number == SYS_fsync || number == SYS_fdatasync || number == SYS_ftruncate || takes_space(number));
}

/* Counts a change; the error with which it is to fail, or 0. ONCE: only the nth. FROM_THEN_ON: it and all after it.
 * FULL: it and those after it that take space. INTERRUPTED: the nth, if a signal can interrupt it. SHORT: none. */
static long due(long number) {
    int is_it = 0;
    changes++;
    if (fault_at == 0) return 0;
    if (fault_kind == ONCE) is_it = changes == fault_at;
    if (fault_kind == FROM_THEN_ON) is_it = changes >= fault_at;
    if (fault_kind == FULL) is_it = changes >= fault_at && takes_space(number);
    if (fault_kind == INTERRUPTED) is_it = changes == fault_at && can_be_interrupted(number);
    if (is_it) tell(FAULT, number, changes, 0, 0, 0, 0);
    /* It is known that there are so many changes, whether or not this one is made to fail. */
    if (!is_it && changes == fault_at) tell(FAULT, 0, changes, 0, 0, 0, 0);
    return is_it ? -fault_error : 0;
}

/* write, pwrite64; `at` is -1 where the file's own place counts. */
static long one_write(long number, long file, const char *bytes, size_t length, long at) {
    if (file == 1) {
        long written = CALL(number, file, bytes, length, at);
        if (written > 0) tell(REPORT, 0, 0, bytes, written, 0, 0);
        return written;
    }
    if (!is_ours(file)) return CALL(number, file, bytes, length, at);
    long failed = due(number);
    if (failed) return failed;
    if (fault_at && fault_kind == SHORT && changes >= fault_at && length > 1) length = length / 2;
    struct timespec longer = {longer_by / 1000, longer_by % 1000 * 1000000};
    if (longer_by) CALL(SYS_nanosleep, &longer, 0, 0, 0);
    long written = CALL(number, file, bytes, length, at);
    if (written > 0) {
        long start = number == SYS_pwrite64 ? at : CALL(SYS_lseek, file, 0, SEEK_CUR, 0) - written;
        tell(WRITE, inode(file), start, bytes, written, 0, 0);
    }
    return written;
}

/* writev, pwritev: as the write of what comes first; the program then writes the rest. */
static long several_writes(long number, long file, const struct iovec *parts, long count, long at) {
    for (long part = 0; part < count; part++)
        if (parts[part].iov_len > 0) {
            long simple = number == SYS_writev ? SYS_write : SYS_pwrite64;
            return one_write(simple, file, parts[part].iov_base, parts[part].iov_len, at);
        }
    return 0;
}

static long open_file(long number, long at, const char *name, long flags, long mode) {
    struct stat before;
    resolve(at, name, one);
    if (!(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)) || !is_below(one)) return CALL(SYS_openat, at, name, flags, mode);
    long failed = due(number);
    if (failed) return failed;
    int is_new = CALL(SYS_newfstatat, at, name, &before, AT_SYMLINK_NOFOLLOW) == -ENOENT;
    long file = CALL(SYS_openat, at, name, flags, mode);
    if (file >= 0 && is_new) tell(CREATE, inode(file), 0, one, strlen(one), 0, 0);
    if (file >= 0 && !is_new && flags & O_TRUNC) tell(LENGTH, inode(file), 0, 0, 0, 0, 0);
    return file;
}

static long set_length(long number, long file, long a, long b, long c) {
    if (!is_ours(file)) return CALL(number, file, a, b, c);
    long failed = due(number);
    if (failed) return failed;
    long result = CALL(number, file, a, b, c);
    struct stat found = {0};
    CALL(SYS_fstat, file, &found, 0, 0);
    if (result == 0) tell(LENGTH, found.st_ino, found.st_size, 0, 0, 0, 0);
    return result;
}

static long sync_file(long number, long file) {
    if (!is_ours(file)) return CALL(number, file, 0, 0, 0);
    long failed = due(number);
    if (failed) return failed;
    long result = CALL(number, file, 0, 0, 0);
    /* A folder has a path instead of a number: nothing of ours makes one and a file in its place. */
    path_of(file, one);
    struct stat found = {0};
    CALL(SYS_fstat, file, &found, 0, 0);
    int is_folder = (found.st_mode & S_IFMT) == S_IFDIR;
    if (result == 0) tell(SYNC, is_folder ? 0 : found.st_ino, is_folder, one, is_folder ? strlen(one) : 0, 0, 0);
    return result;
}

static long rename_file(long number, long at, const char *from, long to_at, const char *to, long flags) {
    struct stat moved = {0};
    resolve(at, from, one);
    resolve(to_at, to, two);
    if (!is_below(one) && !is_below(two)) return kernel(SYS_renameat2, at, (long)from, to_at, (long)to, flags, 0);
    long failed = due(number);
    if (failed) return failed;
    CALL(SYS_newfstatat, at, from, &moved, AT_SYMLINK_NOFOLLOW);
    long result = kernel(SYS_renameat2, at, (long)from, to_at, (long)to, flags, 0);
    uint32_t kind = is_below(one) && is_below(two) && !(flags & 2) ? RENAME : UNSEEN;
    if (result == 0) tell(kind, moved.st_ino, 0, one, strlen(one), two, strlen(two));
    return result;
}

static long remove_name(long number, long at, const char *name, long flags) {
    resolve(at, name, one);
    if (!is_below(one)) return CALL(SYS_unlinkat, at, name, flags, 0);
    long failed = due(number);
    if (failed) return failed;
    long result = CALL(SYS_unlinkat, at, name, flags, 0);
    if (result == 0) tell(REMOVE, 0, 0, one, strlen(one), 0, 0);
    return result;
}

static long make_folder(long number, long at, const char *name, long mode) {
    struct stat before;
    resolve(at, name, one);
    if (!is_below(one)) return CALL(SYS_mkdirat, at, name, mode, 0);
    /* One that is there already changes nothing. */
    if (CALL(SYS_newfstatat, at, name, &before, 0) == 0) return -EEXIST;
    long failed = due(number);
    if (failed) return failed;
    long result = CALL(SYS_mkdirat, at, name, mode, 0);
    if (result == 0) tell(FOLDER, 0, 0, one, strlen(one), 0, 0);
    return result;
}

static long carry_out(long number, const long *a) {
    switch (number) {
    case SYS_write: return one_write(number, a[0], (const char *)a[1], a[2], -1);
    case SYS_pwrite64: return one_write(number, a[0], (const char *)a[1], a[2], a[3]);
    case SYS_writev: return several_writes(number, a[0], (const struct iovec *)a[1], a[2], -1);
    case SYS_pwritev: return several_writes(number, a[0], (const struct iovec *)a[1], a[2], a[3]);
    case SYS_openat: return open_file(number, a[0], (const char *)a[1], a[2], a[3]);
    case SYS_ftruncate: return set_length(number, a[0], a[1], 0, 0);
    case SYS_fallocate: return set_length(number, a[0], a[1], a[2], a[3]);
    case SYS_fsync: case SYS_fdatasync: return sync_file(number, a[0]);
    case SYS_renameat: return rename_file(number, a[0], (const char *)a[1], a[2], (const char *)a[3], 0);
    case SYS_renameat2: return rename_file(number, a[0], (const char *)a[1], a[2], (const char *)a[3], a[4]);
    case SYS_unlinkat: return remove_name(number, a[0], (const char *)a[1], a[2]);
    case SYS_mkdirat: return make_folder(number, a[0], (const char *)a[1], a[2]);
#ifdef SYS_open
    case SYS_open: return open_file(number, AT_FDCWD, (const char *)a[0], a[1], a[2]);
    case SYS_creat: return open_file(number, AT_FDCWD, (const char *)a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
    case SYS_rename: return rename_file(number, AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1], 0);
    case SYS_unlink: return remove_name(number, AT_FDCWD, (const char *)a[0], 0);
    case SYS_rmdir: return remove_name(number, AT_FDCWD, (const char *)a[0], AT_REMOVEDIR);
    case SYS_mkdir: return make_folder(number, AT_FDCWD, (const char *)a[0], a[1]);
#endif
    }
    /* Changes in ways that are not followed: whoever reads the log refuses it. */
    long result = kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    int is_ours_now = number == SYS_mmap ? is_ours((int)a[4]) : 1;
    if (is_ours_now && result >= 0) tell(UNSEEN, number, 0, 0, 0, 0, 0);
    return result;
}

static void caught(int signal, siginfo_t *info, void *context) {
    ucontext_t *thread = context;
    long arguments[6] = ARGUMENTS(thread);
    long number = NUMBER(thread);
    (void)signal, (void)info;
    lock();
    long result = carry_out(number, arguments);
    unlock();
    RESULT(thread) = result;
}

/* The calls that are caught. Of mmap, only maps that are shared and written to. */
static const int CAUGHT[] = {
    SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2, SYS_openat, SYS_ftruncate, SYS_truncate, SYS_fallocate,
    SYS_fsync, SYS_fdatasync, SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
    SYS_copy_file_range, SYS_sendfile, SYS_splice, SYS_io_uring_setup,
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_link, SYS_symlink,
#endif
};
#define COUNT (sizeof CAUGHT / sizeof CAUGHT[0])
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define HALF(field, half) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4 * (half))

static int install(void) {
    uint64_t place = (uint64_t)(uintptr_t)after_call;
    struct sock_filter filter[COUNT + 16];
    unsigned short n = 0;
    filter[n++] = (struct sock_filter)LOAD(arch);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, COUNT + 6);
    filter[n++] = (struct sock_filter)LOAD(nr);
    for (size_t call = 0; call < COUNT; call++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CAUGHT[call], COUNT - call + 5, 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4);
    filter[n++] = (struct sock_filter)HALF(args[2], 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 2);
    filter[n++] = (struct sock_filter)HALF(args[3], 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)HALF(instruction_pointer, 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)place, 0, 3);
    filter[n++] = (struct sock_filter)HALF(instruction_pointer, 1);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(place >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {n, filter};
    struct sigaction action = {0};
    action.sa_sigaction = caught;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(SIGSYS, &action, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("TWISTBASE_SHIM_ROOT"), *file = getenv("TWISTBASE_SHIM_LOG");
    const char *fault = getenv("TWISTBASE_SHIM_FAULT");
    if (!folder || !file || strlen(folder) >= sizeof root) _exit(98);
    strcpy(root, folder);
    root_length = strlen(root);
    int opened = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    log_file = fcntl(opened, F_DUPFD_CLOEXEC, 200);
    close(opened);
    if (fault) {
        char *next;
        fault_at = strtol(fault, &next, 10);
        fault_error = strtol(next, &next, 10);
        fault_kind = strtol(next, &next, 10);
    }
    if (getenv("TWISTBASE_SHIM_PAUSE")) longer_by = atol(getenv("TWISTBASE_SHIM_PAUSE"));
    if (log_file < 0 || !install()) _exit(97);
}
