//! Whole tables as they are packed, with a header and checksums: `schema/raw.md`.

mod header;
mod read;
mod write;

pub use read::{Imported, import_raw};
pub use write::export_raw;
