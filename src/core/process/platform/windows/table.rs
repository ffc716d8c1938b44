//! The process table, and ending one process.

use std::{
    fs, io,
    os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle},
    path::Path,
};

use windows_sys::Win32::{
    Foundation::{
        ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER, ERROR_NO_MORE_FILES, FILETIME, INVALID_HANDLE_VALUE,
        WAIT_OBJECT_0,
    },
    System::{
        Diagnostics::ToolHelp::{
            CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
        },
        Threading::{
            GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, PROCESS_TERMINATE,
            TerminateProcess, WaitForSingleObject,
        },
    },
};

use super::super::words::{Entry, Signal};

/// A handle on a process; `None` when there is none, or when it may not be opened: then it is another user's, and so not
/// the process that is asked for, which was started by us.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
pub(super) fn open(pid: u32, access: u32) -> io::Result<Option<OwnedHandle>> {
    // SAFETY: takes plain integers, returns an owned handle or null.
    let handle = unsafe { OpenProcess(access, 0, pid) };
    if !handle.is_null() {
        // SAFETY: the handle was just made, and is nobody else's.
        return Ok(Some(unsafe { OwnedHandle::from_raw_handle(handle) }));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_INVALID_PARAMETER | ERROR_ACCESS_DENIED) => Ok(None),
        _ => Err(error),
    }
}

/// When a process started, and whether it has ended: as long as somebody holds a handle, its pid stays taken.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
fn times(process: &OwnedHandle) -> io::Result<(u64, bool)> {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [start, exit, kernel, user] = &mut times;
    // SAFETY: the handle is open, and the four places are valid.
    if unsafe { GetProcessTimes(process.as_raw_handle(), start, exit, kernel, user) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open; does not wait.
    let dead = unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } == WAIT_OBJECT_0;
    Ok((u64::from(start.dwHighDateTime) << 32 | u64::from(start.dwLowDateTime), dead))
}

/// The process with this pid. Its parent is not known this way (0).
pub(in super::super::super) fn entry(pid: u32) -> io::Result<Option<Entry>> {
    let Some(process) = open(pid, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE)? else { return Ok(None) };
    let (start, dead) = times(&process)?;
    Ok(Some(Entry { pid, parent: 0, start, dead }))
}

/// All processes that may be looked at.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
pub(in super::super::super) fn entries() -> io::Result<Vec<Entry>> {
    // SAFETY: takes plain integers, returns an owned handle or the invalid one.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made, and is nobody else's.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut process = PROCESSENTRY32W {
        dwSize: u32::try_from(size_of::<PROCESSENTRY32W>()).unwrap_or(0),
        ..PROCESSENTRY32W::default()
    };
    let mut entries = Vec::new();
    // SAFETY: the handle is open, and the place is as large as it says.
    let mut more = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut process) };
    while more != 0 {
        if let Ok(Some(entry)) = entry(process.th32ProcessID) {
            entries.push(Entry { parent: process.th32ParentProcessID, ..entry });
        }
        // SAFETY: as above.
        more = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut process) };
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error().map(i32::cast_unsigned) == Some(ERROR_NO_MORE_FILES) { Ok(entries) } else { Err(error) }
}

/// The environment of another process is not looked at: the job object leaves nothing to be found.
pub(in super::super::super) fn variable(_pid: u32, _name: &str) -> Option<String> {
    None
}

/// What may be opened is taken for this user's.
pub(in super::super::super) fn own(_pid: u32) -> bool {
    true
}

/// Start times are absolute here: nothing to add.
pub(in super::super::super) fn world() -> &'static str {
    ""
}

/// Ends the process with this pid and start; `false` when that is gone, or when it is only asked to end: a process that
/// is no child of ours shares no console with us.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
pub(in super::super::super) fn signal(pid: u32, start: u64, signal: Signal) -> io::Result<bool> {
    if signal != Signal::Kill {
        return Ok(false);
    }
    let access = PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE | PROCESS_TERMINATE;
    let Some(process) = open(pid, access)? else { return Ok(false) };
    // The handle keeps the pid from being given away.
    if times(&process)? != (start, false) {
        return Ok(false);
    }
    // SAFETY: the handle is open and allows this.
    if unsafe { TerminateProcess(process.as_raw_handle(), 1) } == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(true)
    }
}

/// Makes a directory, and those above it. Its place, in the user's own profile, is what makes it private.
pub(in super::super::super) fn private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Opens a file, and makes it when it is missing.
pub(in super::super::super) fn private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}
