//! Ctrl-C and SIGTERM: the first asks the work to stop, the second ends the program.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use twistbase_core::error::{Class, Error};

use super::failure::exit_status;

/// Catches interrupts from now on; the flag is set by the first. To be called once.
pub fn flag() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    // The handler runs on a thread of its own, so it may do what a signal handler may not.
    let caught = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            process::exit(i32::from(exit_status(Class::Interrupted)));
        }
    });
    match caught {
        Ok(()) => Ok(flag),
        Err(error) => Err(Error::io("catch interrupts of", "this process", io::Error::other(error))),
    }
}
