//! What the process was started with: limits (`ulimit`) that would end the program before it can report an error, and whether
//! standard input and output are open.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard input was closed when the process started.
static IS_INPUT_CLOSED: AtomicBool = AtomicBool::new(false);
/// Whether standard output was closed when the process started.
static IS_OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Checks, before `main`, whether standard input and output are closed: the standard library then opens /dev/null in their place,
/// and a command would succeed without its input or output.
// SAFETY: the loader calls the functions of this section once each, as it does C's constructors, while there is one thread.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_STREAMS: extern "C" fn() = check_streams;

#[cfg(target_os = "linux")]
extern "C" fn check_streams() {
    for (file, is_closed) in [(libc::STDIN_FILENO, &IS_INPUT_CLOSED), (libc::STDOUT_FILENO, &IS_OUTPUT_CLOSED)] {
        // SAFETY: it reads flags of a file descriptor, which need not be open.
        let flags = unsafe { libc::fcntl(file, libc::F_GETFD) };
        is_closed.store(flags == -1, Ordering::Relaxed);
    }
}

/// Standard input.
///
/// # Errors
/// That of reading a closed file, if it was closed when the process started (`<&-`).
pub fn standard_input() -> io::Result<io::Stdin> {
    match IS_INPUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::from_raw_os_error(libc::EBADF)),
        false => Ok(io::stdin()),
    }
}

/// Standard output.
///
/// # Errors
/// That of writing to a closed file, if it was closed when the process started (`>&-`).
pub fn standard_output() -> io::Result<io::Stdout> {
    match IS_OUTPUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::from_raw_os_error(libc::EBADF)),
        false => Ok(io::stdout()),
    }
}

/// A file that grows beyond what the process may write (`ulimit -f`) is an error of writing from now on, as on a full disk.
pub fn ignore_file_limit() {
    // SAFETY: no handler is installed, only a signal ignored; nothing else in this program deals with it.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Where address space is limited (`ulimit -v`), all threads that start from now on share the heap of this one: the C library
/// would set much more aside for each than it needs, at any allocation, and leave nothing for what has no heap of its own.
/// Does nothing once there are other threads.
pub fn share_heap_where_limited() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if rustix::process::getrlimit(rustix::process::Resource::As).current.is_some() && is_alone() {
        // SAFETY: the C library asks that no other thread runs meanwhile: there is none, and only this one could start one.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Whether this thread is seen to be the only one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}
