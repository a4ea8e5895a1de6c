//! SIGBUS: how the system says that a mapped file is shorter than it was, or that the disk cannot read it.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
use super::failure::exit_status;
#[cfg(target_os = "linux")]
use twistbase_core::error::Class;

/// The message. Only tables of optimal searches are mapped, from files of the cache.
#[cfg(target_os = "linux")]
const MESSAGE: &str = "error: a mapped cache file cannot be read: another program made it shorter, or the disk fails; \
                       run: twistbase cache drop, or solve without --map\n";

/// From now on the program ends with a message and the exit status of damaged data where the system would end it without a word.
/// (Elsewhere than on Linux the signal has further meanings, which the standard library handles.)
pub fn report() {
    #[cfg(target_os = "linux")]
    // SAFETY: the handler has the type that the system calls, and does only what is allowed while any code is interrupted (see
    // there). Nothing else in this program deals with this signal: on Linux a stack that overflows raises another.
    unsafe {
        let handler: extern "C" fn(libc::c_int) = end;
        libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
    }
}

#[cfg(target_os = "linux")]
extern "C" fn end(_signal: libc::c_int) {
    const STATUS: u8 = exit_status(Class::Data);
    // SAFETY: both calls are on POSIX's list of those that a handler may make. They use no memory but the constant message, take no
    // lock, and run nothing of what a normal exit runs; the second does not return, so nothing goes on with bytes that are not there.
    unsafe {
        libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        libc::_exit(STATUS.into())
    }
}
