//! Folders that last as long as the program.
#![allow(unsafe_code)]

use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;

/// The folders to remove when the program ends.
static FOLDERS: Mutex<Vec<TempDir>> = Mutex::new(Vec::new());

extern "C" fn remove_folders() {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.clear();
    }
}

/// A temporary folder for a static, which is never dropped: it is removed when the program ends.
pub fn lasting_folder() -> PathBuf {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_path_buf();
    let mut folders = FOLDERS.lock().expect("nothing panics with the lock");
    if folders.is_empty() {
        unsafe extern "C" {
            fn atexit(callback: extern "C" fn()) -> i32;
        }
        // SAFETY: it is C's function of that type, and the callback unwinds nowhere.
        assert_eq!(unsafe { atexit(remove_folders) }, 0);
    }
    folders.push(folder);
    path
}
