//! What a supervisor finds open when it starts.

use std::{
    fs, io,
    os::{
        fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
};

/// The supervisor's end of the control channel.
pub(super) const CONTROL: RawFd = 3;

/// The control channel, if the one who started us has given one.
pub(super) fn control() -> io::Result<UnixStream> {
    #[expect(unsafe_code, reason = "an inherited file descriptor can only be taken by its number")]
    // SAFETY: called once, before anything else in this process opens a file, and given back below if it is not open.
    let fd = unsafe { OwnedFd::from_raw_fd(CONTROL) };
    if let Err(error) = rustix::net::sockopt::socket_type(&fd) {
        let _not_ours = fd.into_raw_fd();
        return Err(error.into());
    }
    // The program must not have it.
    rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC)?;
    Ok(UnixStream::from(fd))
}

/// Closes every file above the control channel, whoever left it open.
pub(super) fn close_others() -> io::Result<()> {
    let open: Vec<RawFd> = fs::read_dir("/dev/fd")?
        .filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > CONTROL)
        .collect();
    for fd in open {
        #[expect(unsafe_code, reason = "a file that nobody in this process owns has no handle to drop")]
        // SAFETY: nothing in this process has opened a file yet but the listing above, which is closed again (and is in
        // the list, hence the question whether there still is such a file).
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(fd)).is_ok() {
                rustix::io::close(fd);
            }
        }
    }
    Ok(())
}
