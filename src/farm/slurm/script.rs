//! The script of an array of tasks.

use std::fmt::Write as _;
use std::path::Path;

use super::options::SlurmOptions;
use twistbase_core::error::shell_word;

/// An array of tasks: shards that are not further apart than an array is large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskArray {
    /// The shard of the task with index 0.
    pub first: u32,
    /// The indices of the tasks, rising.
    pub indices: Vec<u32>,
}

impl TaskArray {
    /// The arrays of shards, given in rising order, of which none has an index of `size` or more.
    pub fn of(shards: &[u32], size: u32) -> Vec<Self> {
        let mut arrays: Vec<Self> = Vec::new();
        for &shard in shards {
            match arrays.last_mut().filter(|array| shard - array.first < size) {
                Some(array) => array.indices.push(shard - array.first),
                None => arrays.push(Self { first: shard, indices: vec![0] }),
            }
        }
        arrays
    }

    /// The indices as sbatch reads them: "0-9,12".
    pub fn written(&self) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for &index in &self.indices {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => ranges.push((index, index)),
            }
        }
        let range = |&(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        ranges.iter().map(range).collect::<Vec<_>>().join(",")
    }

    /// The script, which makes of each task the one program that does its shard.
    pub fn script(&self, name: &str, farm: &Path, logs: &Path, options: &SlurmOptions) -> String {
        let mut text = String::from("#!/bin/bash\n");
        let throttle = options.throttle.map_or_else(String::new, |most| format!("%{most}"));
        let mut options_of_sbatch = vec![
            format!("--job-name={name}"),
            format!("--array={}{throttle}", self.written()),
            format!("--cpus-per-task={}", options.cores.unwrap_or(1)),
            "--ntasks=1".to_owned(),
            // The program takes the place of the shell, so it hears the signal itself.
            format!("--signal=B:TERM@{}", options.notice.unwrap_or(SlurmOptions::NOTICE)),
            "--requeue".to_owned(),
            format!("--output={}", pattern(&logs.join("%a.log"))),
            "--open-mode=append".to_owned(),
        ];
        let optional = [
            ("account", &options.account),
            ("partition", &options.partition),
            ("qos", &options.qos),
            ("constraint", &options.constraint),
            ("time", &options.time),
            ("mem", &options.memory),
        ];
        let given = optional
            .into_iter()
            .filter_map(|(name, value)| Some(format!("--{name}={}", option_value(value.as_ref()?))));
        options_of_sbatch.extend(given);
        options_of_sbatch.extend(options.sbatch.iter().cloned());
        for option in &options_of_sbatch {
            let _ = writeln!(text, "#SBATCH {option}");
        }
        options.setup.iter().for_each(|line| text += &format!("{line}\n"));
        let _ = writeln!(
            text,
            "memory=; [ \"${{SLURM_MEM_PER_NODE:-0}}\" -gt 0 ] && memory=--memory=$((SLURM_MEM_PER_NODE * 9 / 10))MiB"
        );
        let program = options.program.as_deref().unwrap_or(Path::new("twistbase"));
        let _ = write!(text, "exec {}", quoted(program));
        if let Some(store) = &options.store {
            let _ = write!(text, " --store {}", quoted(store));
        }
        let _ = write!(
            text,
            " --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" farm work {} --shard $(({} + SLURM_ARRAY_TASK_ID)) $memory",
            quoted(farm),
            self.first
        );
        if let Some(stage) = &options.stage {
            let _ = write!(text, " --stage {}", expanded(stage));
        }
        if let Some(every) = &options.checkpoint_every {
            let _ = write!(text, " --checkpoint-every {}", quoted(Path::new(every)));
        }
        text + "\n"
    }
}

/// A path as a word of the shell.
fn quoted(path: &Path) -> String {
    shell_word(&path.display().to_string()).into_owned()
}

/// A value as sbatch reads it in a script: spaces end it, and a # begins a comment, where they are not in quotes.
fn option_value(text: &str) -> String {
    let is_special = |letter: char| letter.is_whitespace() || ['"', '\'', '\\', '#'].contains(&letter);
    if text.contains(is_special) { in_quotes(text) } else { text.to_owned() }
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text as a word of the shell, its variables expanded.
fn expanded(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('`', "\\`"))
}

/// A path in which sbatch reads only the last `%a` as a pattern.
fn pattern(path: &Path) -> String {
    let text = path.display().to_string();
    match text.strip_suffix("%a.log") {
        Some(before) => in_quotes(&format!("{}%a.log", before.replace('%', "%%"))),
        None => in_quotes(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_indices_of_arrays_that_are_not_too_large() {
        let shards: Vec<u32> = (0..5).chain([7, 8, 20, 31, 1000]).collect();
        let arrays = TaskArray::of(&shards, 11);
        let written: Vec<_> = arrays.iter().map(|array| (array.first, array.written())).collect();
        let expected =
            [(0, "0-4,7-8"), (20, "0"), (31, "0"), (1000, "0")].map(|(first, text)| (first, text.to_owned()));
        assert_eq!(written, expected);
        let all = arrays.iter().flat_map(|array| array.indices.iter().map(|index| array.first + index));
        assert_eq!(all.collect::<Vec<_>>(), shards);
        assert!(TaskArray::of(&[], 10).is_empty());
    }

    #[test]
    fn the_script_says_all_that_was_asked_for() {
        let options = SlurmOptions {
            account: Some("puzzles".to_owned()),
            partition: Some("a \"b\" #c".to_owned()),
            time: Some("2:00:00".to_owned()),
            cores: Some(4),
            throttle: Some(50),
            stage: Some("$TMPDIR/tables".to_owned()),
            program: Some("/opt/it's/twistbase".into()),
            setup: vec!["module load zstd".to_owned()],
            sbatch: vec!["--exclusive".to_owned()],
            ..SlurmOptions::default()
        };
        let array = TaskArray { first: 2000, indices: vec![0, 1, 5] };
        let script = array.script("twistbase-1", Path::new("/farm"), Path::new("/farm/logs/0003"), &options);
        for line in [
            "#!/bin/bash",
            "#SBATCH --array=0-1,5%50",
            "#SBATCH --account=puzzles",
            r##"#SBATCH --partition="a \"b\" #c""##,
            "#SBATCH --time=2:00:00",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --signal=B:TERM@120",
            "#SBATCH --output=\"/farm/logs/0003/%a.log\"",
            "#SBATCH --exclusive",
            "module load zstd",
        ] {
            assert!(script.lines().any(|found| found == line), "{line} in\n{script}");
        }
        let last = script.lines().last().unwrap();
        let expected = "exec '/opt/it'\\''s/twistbase' --threads \"${SLURM_CPUS_PER_TASK:-1}\" farm work /farm --shard $((2000 + SLURM_ARRAY_TASK_ID)) $memory --stage \"$TMPDIR/tables\"";
        assert_eq!(last, expected);
    }
}
