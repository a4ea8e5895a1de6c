//! Names that a misspelt one may stand for.

/// The most names that are suggested.
const MOST: usize = 4;

/// The names that a misspelt one may stand for, the most similar first: names that begin with it or have it as a word (`cross` in
/// `cube3-cross`), or that differ in a character or two.
///
/// ```
/// use twistbase_core::spelling::nearest;
///
/// assert_eq!(nearest("phse1", ["phase1", "phase2", "huge"]), ["phase1", "phase2"]);
/// assert_eq!(nearest("cross", ["cube3-cross", "cube3-eo-line"]), ["cube3-cross"]);
/// assert!(nearest("x", ["phase1"]).is_empty());
/// ```
pub fn nearest<'a>(misspelt: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let misspelt = misspelt.to_lowercase();
    let farthest = if misspelt.chars().count() < 4 { 1 } else { 2 };
    let distance = |name: &str| {
        let is_word = || name.split('-').any(|word| word == misspelt) || name.ends_with(&format!("-{misspelt}"));
        let is_begin = || name.starts_with(&*misspelt);
        match !misspelt.is_empty() && (is_begin() || is_word()) {
            true => Some(0),
            false => Some(strsim::osa_distance(&misspelt, name)).filter(|&edits| edits <= farthest),
        }
    };
    let mut found: Vec<(usize, &str)> = names.into_iter().filter_map(|name| Some((distance(name)?, name))).collect();
    found.sort_by_key(|&(distance, _)| distance);
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

/// A question about names: `did you mean phase1 or phase2?`; `None` without any.
pub fn did_you_mean<T: AsRef<str>>(names: &[T]) -> Option<String> {
    let (last, others) = names.split_last()?;
    let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
    Some(match others.is_empty() {
        true => format!("did you mean {}?", last.as_ref()),
        false => format!("did you mean {} or {}?", others.join(", "), last.as_ref()),
    })
}

/// What is wrong with an unknown name of a `kind`, with the nearest of the names.
pub fn unknown<'a>(kind: &str, name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let meant = did_you_mean(&nearest(name, names)).map(|meant| format!("; {meant}")).unwrap_or_default();
    format!("there is no {kind} {name:?}{meant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_get_the_nearest_ones() {
        let names = ["phase1", "phase2", "phase1-qtm", "cube3-cross", "cube3-eo-cross"];
        for (name, said) in [
            ("phse1", "there is no table \"phse1\"; did you mean phase1 or phase2?"),
            ("cross", "there is no table \"cross\"; did you mean cube3-cross or cube3-eo-cross?"),
            ("eo-cross", "there is no table \"eo-cross\"; did you mean cube3-eo-cross?"),
            ("PHASE", "there is no table \"PHASE\"; did you mean phase1, phase2 or phase1-qtm?"),
            ("", "there is no table \"\""),
        ] {
            assert_eq!(unknown("table", name, names), said);
        }
    }
}
