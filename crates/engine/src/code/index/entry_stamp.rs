//! `EntryStamp`: by which a later process knows that a directory has the entries it had, and a rule file its words.

use model::Timestamp;
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, FileType, Stat, statat};
use search::{ByteReader, ByteWriter, DamagedBytes};
use std::path::Path;
use std::time::Duration;
use store::FileStamp;

/// Within this time two changes may have the same time: the clock of the file system ticks about every 4 ms.
const CLOCK_TICK: Duration = Duration::from_millis(200);

/// File systems of this machine on which a directory's time of change moves with every entry that comes, goes or is called
/// otherwise. Over a network it may be of another clock, or of a moment ago.
#[cfg(target_os = "linux")]
const TRUSTED_FILE_SYSTEMS: &[u32] = &[
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x0102_1994, // tmpfs
    0x2FC1_2FC1, // ZFS
    0xF2F5_2010, // F2FS
    0x794C_7630, // overlayfs
];

/// Whether directories below `root` tell by their times that they changed.
#[cfg(target_os = "linux")]
pub(super) fn has_trusted_times(root: &Path) -> bool {
    rustix::fs::statfs(root).is_ok_and(|system| TRUSTED_FILE_SYSTEMS.contains(&(system.f_type as u32)))
}

/// Whether directories below `root` tell by their times that they changed.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_trusted_times(_: &Path) -> bool {
    false
}

/// Which entry it is and when it was last changed. The time is the one that no program can set, because what unpacks or
/// copies files sets the other one back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EntryStamp {
    device: u64,
    inode: u64,
    changed: u64,
}

impl EntryStamp {
    /// The stamp of no entry, which is never that of one.
    pub(super) const MISSING: Self = Self { device: 0, inode: 0, changed: 0 };
    /// The stamp of an entry that may have changed while it was read: no entry has it.
    pub(super) const UNKNOWN: Self = Self { device: u64::MAX, inode: u64::MAX, changed: u64::MAX };

    /// The stamp of a path, or of what a link there leads to.
    pub(super) fn of_path(path: &Path) -> Self {
        rustix::fs::stat(path).map_or(Self::MISSING, |stat| Self::of(&stat))
    }

    #[allow(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
    pub(super) fn of(stat: &Stat) -> Self {
        let changed = nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64);
        Self { device: stat.st_dev as u64, inode: stat.st_ino as u64, changed: changed.unwrap_or(u64::MAX) }
    }

    /// The stamp to keep of what was read from `began` on.
    pub(super) fn settled(self, began: Timestamp) -> Self {
        let limit = Duration::from_millis(began.0.cast_unsigned()).saturating_sub(CLOCK_TICK);
        if u128::from(self.changed) < limit.as_nanos() { self } else { Self::UNKNOWN }
    }

    pub(super) fn is_on_device_of(self, other: Self) -> bool {
        self.device == other.device
    }

    pub(super) fn write(self, writer: &mut ByteWriter) {
        for number in [self.device, self.inode, self.changed] {
            writer.write_wide(number);
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, DamagedBytes> {
        Ok(Self { device: reader.read_wide()?, inode: reader.read_wide()?, changed: reader.read_wide()? })
    }
}

/// An entry below an open directory, which is followed only where it is a rule file.
pub(super) fn stat_below(root: BorrowedFd<'_>, path: &str, follows: bool) -> Option<Stat> {
    let flags = if follows { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    statat(root, if path.is_empty() { "." } else { path }, flags).ok()
}

/// Size and time of a regular file, as `file_stamp` gives them.
#[allow(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
pub(super) fn regular_file_stamp(stat: &Stat) -> Option<FileStamp> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let modified = nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64);
    Some(FileStamp { bytes: stat.st_size as u64, modified: modified.map_or(0, |modified| modified as i64) })
}

fn nanoseconds(seconds: i64, rest: i64) -> Option<u64> {
    let whole = u64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?;
    whole.checked_add(u64::try_from(rest).ok()?)
}
