//! Limits of the process (`ulimit`) that would end the program where there is an error to tell.
#![allow(unsafe_code)]

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
