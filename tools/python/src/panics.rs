//! What is printed of panics: none that the library turns into an error.

use std::panic;
use std::sync::Once;

use twistbase::store;

/// Keeps panics quiet that become errors, from now on; all others are printed as before. The hook is this module's own: other
/// extension modules have another.
pub fn hide_guarded() {
    static HIDDEN: Once = Once::new();
    HIDDEN.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !store::is_guarded() {
                previous(info);
            }
        }));
    });
}
