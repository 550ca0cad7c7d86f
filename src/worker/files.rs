//! Files that only this site sees, in the browser's own storage.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DedicatedWorkerGlobalScope, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemSyncAccessHandle, StorageManager,
};

use crate::model::store::Disk;

/// An open file; it is closed when dropped, which lets others open it.
pub struct PrivateFile(FileSystemSyncAccessHandle);

impl PrivateFile {
    /// Opens a file by name, and makes it where there is none. None where the browser has no such storage, or another tab has
    /// the file open.
    pub async fn open(scope: &DedicatedWorkerGlobalScope, name: &str) -> Option<PrivateFile> {
        handle(scope, name).await.ok().map(PrivateFile)
    }
}

impl Disk for PrivateFile {
    fn size(&self) -> u64 {
        self.0.get_size().unwrap_or(0.0) as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> usize {
        self.0.read_with_u8_array_and_options(to, &place(at)).unwrap_or(0.0) as usize
    }

    fn write(&self, at: u64, bytes: &[u8]) -> bool {
        self.0.write_with_u8_array_and_options(bytes, &place(at)).is_ok_and(|written| written as usize == bytes.len())
    }

    fn truncate(&self, size: u64) {
        // A file that cannot be made shorter holds more than is read of it.
        let _ = self.0.truncate_with_f64(size as f64);
    }

    fn flush(&self) {
        // What is not on the disk when the page ends is found to be absent or damaged.
        let _ = self.0.flush();
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn place(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(at as f64);
    options
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
