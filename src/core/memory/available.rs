//! How much memory this process may take.

use std::fs;
use std::path::Path;

use super::address_space_left;

/// Of the memory that is available, the part that is left to the program itself, the file cache and others.
const MARGIN_PERCENT: u64 = 10;

/// The memory that this process may take without pushing others out: what the system calls available, or less where
/// a control group, or the limit of its address space, allows less, minus a tenth. Everything where the system does not say.
pub fn available_memory() -> u64 {
    let group = group_limit(Path::new("/sys/fs/cgroup"), "/proc/self/cgroup");
    let limits = [meminfo("/proc/meminfo"), group, address_space_left()];
    let least = limits.into_iter().flatten().min();
    least.map_or(u64::MAX, |bytes| bytes / 100 * (100 - MARGIN_PERCENT))
}

/// `MemAvailable`, which Linux gives in KiB.
fn meminfo(path: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The names that the two versions of control groups give to one thing.
struct GroupFiles {
    /// What the group's line in `/proc/self/cgroup` has between its colons.
    controller: &'static str,
    /// The hierarchy's folder below the mount point.
    folder: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` that counts file pages which the group can give up.
    reclaimable: &'static str,
}

const VERSIONS: [GroupFiles; 2] = [
    GroupFiles {
        controller: "",
        folder: "",
        limit: "memory.max",
        usage: "memory.current",
        reclaimable: "inactive_file",
    },
    GroupFiles {
        controller: "memory",
        folder: "memory",
        limit: "memory.limit_in_bytes",
        usage: "memory.usage_in_bytes",
        reclaimable: "total_inactive_file",
    },
];

/// What the control groups of this process leave it: the least over its group and those above.
fn group_limit(mount: &Path, membership: &str) -> Option<u64> {
    let groups = fs::read_to_string(membership).ok()?;
    let memberships = groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    memberships
        .filter_map(|(controllers, path)| {
            let version = VERSIONS.iter().find(|version| controllers.split(',').any(|c| c == version.controller))?;
            let root = mount.join(version.folder);
            let group = root.join(path.trim_start_matches('/'));
            // Inside a container the path may be that of the host, and only its root be visible.
            group.ancestors().take_while(|dir| dir.starts_with(&root)).filter_map(|dir| room(dir, version)).min()
        })
        .min()
}

/// The limit of one group minus its used memory that cannot be reclaimed.
fn room(group: &Path, version: &GroupFiles) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let reclaimable = stat.lines().find_map(|line| line.strip_prefix(version.reclaimable)?.trim().parse::<u64>().ok());
    let used = number(version.usage)?.saturating_sub(reclaimable.unwrap_or(0));
    Some(number(version.limit)?.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        let write = |folder: &Path, limit: &str, current: &str| {
            fs::write(folder.join("memory.max"), limit).unwrap();
            fs::write(folder.join("memory.current"), current).unwrap();
        };
        write(&inner, "max\n", "50\n");
        write(&dir.path().join("outer"), "1000\n", "400\n");
        fs::write(dir.path().join("outer/memory.stat"), "anon 100\ninactive_file 250\n").unwrap();
        let membership = dir.path().join("cgroup");
        fs::write(&membership, "0::/outer/inner\n").unwrap();
        assert_eq!(group_limit(dir.path(), membership.to_str().unwrap()), Some(850));
        fs::write(&membership, "1:cpu:/\nnonsense\n").unwrap();
        assert_eq!(group_limit(dir.path(), membership.to_str().unwrap()), None);
    }

    #[test]
    fn something_is_available() {
        assert!(available_memory() > 1 << 20);
    }
}
