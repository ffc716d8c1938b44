//! The state directory and its private files.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

use super::StoreError;

/// The database's file name. The reference server uses the same, so whose it is gets checked before use.
pub const DATABASE: &str = "state.sqlite";

/// Makes `dir`, and its parents, for the owner alone (mode 0700; on Windows an access list of owner and system).
/// An existing directory that is open to others is closed to them.
pub fn make_private_dir(dir: &Path) -> Result<(), StoreError> {
    if let Some(parent) = dir.parent()
        && !parent.is_dir()
    {
        // Parents such as `~/.local/state` are not ours alone: they get the usual mode.
        fs::create_dir_all(parent).map_err(|source| StoreError::Io { path: parent.to_path_buf(), source })?;
    }
    make_one(dir).map_err(|source| StoreError::Io { path: dir.to_path_buf(), source })
}

#[cfg(unix)]
fn make_one(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let permissions = fs::metadata(dir)?.permissions();
            if permissions.mode() & 0o077 != 0 {
                fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "std cannot make a directory with an access list")]
fn make_one(dir: &Path) -> io::Result<()> {
    use std::{os::windows::ffi::OsStrExt, ptr};

    use windows_sys::Win32::{
        Foundation::LocalFree,
        Security::{
            Authorization::{ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1},
            SECURITY_ATTRIBUTES,
        },
        Storage::FileSystem::CreateDirectoryW,
    };

    // Protected (P): nothing inherited from above. Full access for the owner (OW) and the system (SY), handed on to
    // everything inside (OICI).
    let list: Vec<u16> = "D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)".encode_utf16().chain([0]).collect();
    let name: Vec<u16> = dir.as_os_str().encode_wide().chain([0]).collect();
    let mut descriptor = ptr::null_mut();
    // SAFETY: `list` is NUL-terminated and lives through the call; `descriptor` receives memory freed below.
    let converted = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            list.as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            ptr::null_mut(),
        )
    };
    if converted == 0 {
        return Err(io::Error::last_os_error());
    }
    let attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or_default(),
        lpSecurityDescriptor: descriptor,
        bInheritHandle: 0,
    };
    // SAFETY: `name` is NUL-terminated; `attributes` and the descriptor in it live through the call.
    let made = unsafe { CreateDirectoryW(name.as_ptr(), &raw const attributes) };
    let result = if made == 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
    // SAFETY: the descriptor came from the conversion above and is not used any more.
    unsafe { LocalFree(descriptor.cast()) };
    match result {
        // Its list was set when it was made, or its owner chose another.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        other => other,
    }
}

/// Opens `path` for reading and writing, for the owner alone, and makes it when it is missing. SQLite gives its
/// companion files (`-wal`, `-shm`) the mode of the database.
pub fn private_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let open = || {
        let file = options.open(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if file.metadata()?.permissions().mode() & 0o077 != 0 {
                file.set_permissions(fs::Permissions::from_mode(0o600))?;
            }
        }
        Ok(file)
    };
    open().map_err(|source| StoreError::Io { path: path.to_path_buf(), source })
}
