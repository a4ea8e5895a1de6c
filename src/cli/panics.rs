//! Messages of panics, except for those that the library turns into errors.

use std::panic;

use twistbase_store as store;

/// Keeps panics quiet that become errors, from now on; all others are printed as before. To be called once.
pub fn hide_guarded() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !store::is_guarded() {
            previous(info);
        }
    }));
}
