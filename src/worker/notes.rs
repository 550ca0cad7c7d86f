//! A file that only this site sees, in the browser's own storage: what must outlive a run and a page. A browser without
//! such storage, or with the file open in another tab, keeps no notes; runs go on all the same.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DedicatedWorkerGlobalScope, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemSyncAccessHandle, StorageManager,
};

/// An open file; it is closed when dropped, which lets others open it.
pub struct Notes(FileSystemSyncAccessHandle);

impl Notes {
    /// Opens a file by name, with what is in it.
    pub async fn open(scope: &DedicatedWorkerGlobalScope, name: &str) -> Option<(Notes, Vec<u8>)> {
        let notes = Notes(handle(scope, name).await.ok()?);
        let mut before = vec![0; notes.size() as usize];
        let at = FileSystemReadWriteOptions::new();
        at.set_at(0.0);
        let read = notes.0.read_with_u8_array_and_options(&mut before, &at).ok()?;
        before.truncate(read as usize);
        Some((notes, before))
    }

    fn size(&self) -> f64 {
        self.0.get_size().unwrap_or(0.0)
    }

    /// Adds bytes at the end. A full disk loses them: what was noted before stays whole.
    pub fn add(&self, bytes: &[u8]) {
        let size = self.size();
        let at = FileSystemReadWriteOptions::new();
        at.set_at(size);
        let written = self.0.write_with_u8_array_and_options(bytes, &at).unwrap_or(0.0);
        if (written as usize) < bytes.len() {
            let _ = self.0.truncate_with_f64(size);
        }
        let _ = self.0.flush();
    }

    /// Empties it.
    pub fn clear(&self) {
        let _ = self.0.truncate_with_f64(0.0);
        let _ = self.0.flush();
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        self.0.close();
    }
}

async fn handle(scope: &DedicatedWorkerGlobalScope, name: &str) -> Result<FileSystemSyncAccessHandle, JsValue> {
    let storage: StorageManager = Reflect::get(&scope.navigator(), &"storage".into())?.dyn_into()?;
    let root: FileSystemDirectoryHandle = JsFuture::from(storage.get_directory()).await?.dyn_into()?;
    let create = FileSystemGetFileOptions::new();
    create.set_create(true);
    let file: FileSystemFileHandle =
        JsFuture::from(root.get_file_handle_with_options(name, &create)).await?.dyn_into()?;
    JsFuture::from(file.create_sync_access_handle()).await?.dyn_into()
}
