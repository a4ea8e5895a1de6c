//! Ctrl-C, SIGTERM and SIGHUP: the first asks long work to stop, the second ends the program. Without long work the first ends it.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use libc::c_int;
use twistbase_core::error::Class;

use super::failure::exit_status;

/// The signals that ask a program to end.
const SIGNALS: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The flag of long work, once there is some.
static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Catches interrupts from now on. Signals that are ignored stay ignored: `nohup`, and shells without job control, start programs so.
pub fn catch() {
    for signal in SIGNALS {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action the call only writes the present one, into memory that can hold it; all bytes zero are
        // a valid value of this struct of integers and a nullable handler, too, should the call fail.
        let mut action = unsafe {
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        if action.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        action.sa_sigaction = hear as extern "C" fn(c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        // SAFETY: the handler has the signature that its flags ask for, and calls only what a signal handler may call.
        unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    }
}

/// The flag that the first interrupt sets from now on, instead of ending the program.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(ASKED.get_or_init(Arc::default))
}

/// The handler. It may interrupt anything, an allocation, too: it only reads and swaps atomics, and ends the process without
/// running any code of it.
extern "C" fn hear(_: c_int) {
    if ASKED.get().is_none_or(|asked| asked.swap(true, Ordering::Relaxed)) {
        // SAFETY: the call may be made in a signal handler, and has no precondition.
        unsafe { libc::_exit(c_int::from(exit_status(Class::Interrupted))) };
    }
}
