//! The job object: what is started in it stays in it, and it kills what is in it when its last handle closes.

use std::{
    io,
    os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle},
    ptr,
};

use windows_sys::Win32::{
    Foundation::ERROR_MORE_DATA,
    System::{
        JobObjects::{
            AssignProcessToJobObject, CreateJobObjectW, IsProcessInJob, JOB_OBJECT_LIMIT,
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
            JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
        },
        Threading::{GetCurrentProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE, TerminateProcess},
    },
};

use super::table;

/// A job that this process is in itself, so that there is no moment in which a program is outside of it. No handle but
/// this one exists, and it is not inherited: when this process ends, in whatever way, the kernel ends the rest.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// Makes a job and enters it.
    #[expect(unsafe_code, reason = "the Windows API is a C interface")]
    pub(super) fn enter() -> io::Result<Self> {
        // SAFETY: no name, default security: returns an owned handle or null.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was just made, and is nobody else's.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        let job = Self(job);
        job.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        // SAFETY: both handles are open.
        let done = unsafe { AssignProcessToJobObject(job.0.as_raw_handle(), GetCurrentProcess()) != 0 };
        if done { Ok(job) } else { Err(io::Error::last_os_error()) }
    }

    /// Lets the job end without ending what is in it: for the one that is alone in it, which would else be ended by
    /// closing the handle, before it has closed the rest. Wine's server does not survive that.
    pub(super) fn release(&self) -> io::Result<()> {
        self.limit(0)
    }

    #[expect(unsafe_code, reason = "the Windows API is a C interface")]
    fn limit(&self, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        let size = u32::try_from(size_of_val(&limits)).map_err(io::Error::other)?;
        // SAFETY: the handle is open, and the structure is the one that this class of information asks for.
        let done = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            ) != 0
        };
        if done { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The pids of all others in the job.
    #[expect(unsafe_code, reason = "the Windows API is a C interface")]
    pub(super) fn others(&self) -> io::Result<Vec<u32>> {
        let mut room = 64;
        loop {
            // JOBOBJECT_BASIC_PROCESS_ID_LIST: two 32-bit counts, then as many pids of pointer size.
            let mut list = vec![0_usize; room + 2];
            let size = u32::try_from(size_of_val(list.as_slice())).map_err(io::Error::other)?;
            // SAFETY: the handle is open, the buffer is as large as is said and aligned for the structure.
            let done = unsafe {
                QueryInformationJobObject(
                    self.0.as_raw_handle(),
                    JobObjectBasicProcessIdList,
                    list.as_mut_ptr().cast(),
                    size,
                    ptr::null_mut(),
                )
            };
            if done != 0 {
                // SAFETY: the structure begins with two 32-bit counts, and the buffer is larger.
                let [_assigned, listed] = unsafe { list.as_ptr().cast::<[u32; 2]>().read() };
                let header = 2 * size_of::<u32>() / size_of::<usize>();
                let own = std::process::id();
                let pids = list.into_iter().skip(header).take(usize::try_from(listed).unwrap_or(0));
                return Ok(pids.filter_map(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != own).collect());
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error().map(i32::cast_unsigned) != Some(ERROR_MORE_DATA) {
                return Err(error);
            }
            room *= 2;
        }
    }

    /// Ends one process, if it is in this job.
    #[expect(unsafe_code, reason = "the Windows API is a C interface")]
    pub(super) fn end(&self, pid: u32) -> io::Result<bool> {
        let Some(process) = table::open(pid, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE)? else {
            return Ok(false);
        };
        let mut inside = 0;
        // SAFETY: both handles are open, and the place is valid. The handle keeps the pid from being given away.
        unsafe {
            if IsProcessInJob(process.as_raw_handle(), self.0.as_raw_handle(), &raw mut inside) == 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(inside != 0 && TerminateProcess(process.as_raw_handle(), 1) != 0)
        }
    }
}
