//! Files that only this site sees, in the browser's own storage.

use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DedicatedWorkerGlobalScope, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemSyncAccessHandle, StorageManager,
};

use super::lock::Lock;
use crate::model::store::Disk;

/// An open file; it is closed when dropped, which lets others open it.
pub struct PrivateFile {
    handle: FileSystemSyncAccessHandle,
    /// Let go after the file is closed.
    _lock: Option<Rc<Lock>>,
}

impl PrivateFile {
    /// Opens a file by name, and makes it where there is none. None where the browser has no such storage, or another tab has
    /// the file open.
    pub async fn open(scope: &DedicatedWorkerGlobalScope, name: &str, lock: Option<Rc<Lock>>) -> Option<PrivateFile> {
        handle(scope, name).await.ok().map(|handle| PrivateFile { handle, _lock: lock })
    }
}

impl Disk for PrivateFile {
    fn size(&self) -> u64 {
        self.handle.get_size().unwrap_or(0.0) as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> usize {
        self.handle.read_with_u8_array_and_options(to, &place(at)).unwrap_or(0.0) as usize
    }

    fn write(&self, at: u64, bytes: &[u8]) -> bool {
        self.handle
            .write_with_u8_array_and_options(bytes, &place(at))
            .is_ok_and(|written| written as usize == bytes.len())
    }

    fn truncate(&self, size: u64) {
        // A file that cannot be made shorter holds more than is read of it.
        let _ = self.handle.truncate_with_f64(size as f64);
    }

    fn flush(&self) {
        // What is not on the disk when the page ends is found to be absent or damaged.
        let _ = self.handle.flush();
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        self.handle.close();
    }
}

fn place(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(at as f64);
    options
}

fn storage(scope: &DedicatedWorkerGlobalScope) -> Result<StorageManager, JsValue> {
    Reflect::get(&scope.navigator(), &"storage".into())?.dyn_into()
}

async fn root(scope: &DedicatedWorkerGlobalScope) -> Result<FileSystemDirectoryHandle, JsValue> {
    JsFuture::from(storage(scope)?.get_directory()).await?.dyn_into()
}

async fn handle(scope: &DedicatedWorkerGlobalScope, name: &str) -> Result<FileSystemSyncAccessHandle, JsValue> {
    let create = FileSystemGetFileOptions::new();
    create.set_create(true);
    let file: FileSystemFileHandle =
        JsFuture::from(root(scope).await?.get_file_handle_with_options(name, &create)).await?.dyn_into()?;
    JsFuture::from(file.create_sync_access_handle()).await?.dyn_into()
}

/// A file as it is on the disk, without opening it for writing.
async fn file(scope: &DedicatedWorkerGlobalScope, name: &str) -> Result<Blob, JsValue> {
    let file: FileSystemFileHandle = JsFuture::from(root(scope).await?.get_file_handle(name)).await?.dyn_into()?;
    JsFuture::from(file.get_file()).await?.dyn_into()
}

/// Bytes of a file; 0 where there is none.
pub async fn size(scope: &DedicatedWorkerGlobalScope, name: &str) -> u64 {
    file(scope, name).await.map_or(0, |file| file.size() as u64)
}

/// A small file as text.
pub async fn text(scope: &DedicatedWorkerGlobalScope, name: &str) -> Option<String> {
    JsFuture::from(file(scope, name).await.ok()?.text()).await.ok()?.as_string()
}

/// Drops a file. One that is open elsewhere stays.
pub async fn remove(scope: &DedicatedWorkerGlobalScope, name: &str) {
    if let Ok(root) = root(scope).await {
        let _ = JsFuture::from(root.remove_entry(name)).await;
    }
}

/// Names of all files.
pub async fn names(scope: &DedicatedWorkerGlobalScope) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(root) = root(scope).await else { return names };
    let keys = root.keys();
    while let Ok(next) = keys.next() {
        let Ok(next) = JsFuture::from(next).await else { break };
        match Reflect::get(&next, &"value".into()).ok().and_then(|name| name.as_string()) {
            Some(name) => names.push(name),
            None => break,
        }
    }
    names
}

/// Bytes that the site uses and may use, where the browser says.
pub async fn estimate(scope: &DedicatedWorkerGlobalScope) -> (Option<u64>, Option<u64>) {
    let estimate = async { JsFuture::from(storage(scope)?.estimate()?).await };
    let Ok(estimate) = estimate.await else { return (None, None) };
    let figure = |name: &str| Reflect::get(&estimate, &name.into()).ok()?.as_f64().map(|bytes| bytes as u64);
    (figure("usage"), figure("quota"))
}
