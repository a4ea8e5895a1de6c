//! Folders that last as long as the program, or longer.
#![allow(unsafe_code)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempDir;

/// The folders to remove when the program ends.
static FOLDERS: Mutex<Vec<TempDir>> = Mutex::new(Vec::new());

extern "C" fn remove_folders() {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.clear();
    }
}

/// Names a folder whose tables several test runs share. `.ci/run` sets it and starts with an empty folder.
const TABLES: &str = "TWISTBASE_TEST_TABLES";

/// A folder for tables that many tests read and none changes: shared with other runs, or of this run alone.
pub fn shared_folder(name: &str) -> PathBuf {
    let Some(tables) = std::env::var_os(TABLES) else { return lasting_folder() };
    let folder = Path::new(&tables).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Held while tables are built in a [`shared_folder`]: one process at a time builds there.
pub fn hold(folder: &Path) -> Option<File> {
    std::env::var_os(TABLES)?;
    let file = File::create(folder.with_extension("lock")).expect("a file");
    file.lock().expect("a lock");
    Some(file)
}

/// Puts a finished table into another folder: a second name of the file, or a copy on another disk.
pub fn link(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("room");
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
