//! Signals that would end the program where there is an error to tell.
#![allow(unsafe_code)]

/// A file that grows beyond what the process may write (`ulimit -f`) is an error of writing from now on, as on a full disk.
pub fn ignore_file_limit() {
    // SAFETY: no handler is installed, only a signal ignored; nothing else in this program deals with it.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
