//! Panic messages: no message for panics that the library turns into errors.

use std::panic;
use std::sync::Once;

use twistbase::store;

/// Silences panics that become errors, from now on. All others print as before. The hook belongs to this module: other extension
/// modules have their own.
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
