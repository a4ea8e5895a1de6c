//! Amounts of memory: how a person writes one, and how much this process may take.

use std::fs;
use std::path::Path;
use std::str::FromStr;

/// Of the memory that is available, the part that is left to the program itself, the file cache and others.
const MARGIN_PERCENT: u64 = 10;

/// A number of bytes as written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    /// Plain bytes, or a number (`3`, `2.5`) with a unit: `K`, `M`, `G`, `T` and `KB`… are powers of 1000, `KiB`… powers
    /// of 1024.
    fn from_str(text: &str) -> Result<Self, String> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = unit_bytes(unit.trim())
            .ok_or_else(|| format!("{unit:?} is no unit; use K, M, G, T, KiB, MiB, GiB, TiB"))?;
        let value: f64 = number.parse().map_err(|_| format!("{text:?} does not begin with a number"))?;
        let bytes = match number.parse::<u64>() {
            // A fraction of a unit need not be exact, whole numbers must.
            Err(_) => value * unit as f64,
            Ok(whole) => return whole.checked_mul(unit).map(Self).ok_or_else(|| format!("{text:?} is too large")),
        };
        if bytes < u64::MAX as f64 { Ok(Self(bytes as u64)) } else { Err(format!("{text:?} is too large")) }
    }
}

fn unit_bytes(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, base) = match unit.strip_suffix("ib") {
        Some(prefix) => (prefix, 1024u64),
        None => (unit.strip_suffix('b').unwrap_or(&unit), 1000),
    };
    match (prefix, base) {
        ("", 1000) => Some(1),
        ("k", _) => Some(base),
        ("m", _) => Some(base.pow(2)),
        ("g", _) => Some(base.pow(3)),
        ("t", _) => Some(base.pow(4)),
        _ => None,
    }
}

/// The memory that this process may take without pushing others out: what the system calls available, or less where
/// a control group allows less, minus a tenth. Everything where the system does not say.
pub fn available() -> u64 {
    let limits = [meminfo("/proc/meminfo"), group_limit(Path::new("/sys/fs/cgroup"), "/proc/self/cgroup")];
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

/// The limit of one group minus what is used of it and cannot be reclaimed.
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
    fn sizes_are_decimal_unless_written_binary() {
        let good = [
            ("0", 0),
            ("4096", 4096),
            ("12b", 12),
            ("3G", 3_000_000_000),
            ("3gb", 3_000_000_000),
            ("3GiB", 3 << 30),
            ("3 GiB", 3 << 30),
            ("2500M", 2_500_000_000),
            ("2.5K", 2500),
            (".5KiB", 512),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in good {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in
            ["", "G", "-1", "3X", "3ib", "1.2.3", ".", "99999999999999999999", "99999999T", "1e9999", "3G x", "٣"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

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
        assert!(available() > 1 << 20);
    }

    fn fuzz(inputs: u64) {
        let right = ["0", "4096", "2.5G", "3 GiB", "12b", "1.5TiB", "300M", "0.001 kb"];
        crate::fuzz::fuzz_text("sizes", inputs, &right, 1 << 12, |text| {
            // A number of bytes is read as itself.
            let Ok(Size(bytes)) = text.parse() else { return };
            assert_eq!(bytes.to_string().parse(), Ok(Size(bytes)));
        });
    }

    #[test]
    fn any_text_is_a_size_or_refused() {
        fuzz(5000);
    }

    #[test]
    #[ignore = "long suite: millions of sizes"]
    fn millions_of_texts_are_sizes_or_refused() {
        fuzz(crate::fuzz::many(2_000_000));
    }
}
