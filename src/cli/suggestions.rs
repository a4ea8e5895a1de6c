//! Tips for arguments that cannot be read, better than clap's own, which compare only letters.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use twistbase_core::error::shell_word;
use twistbase_core::spelling;
use twistbase_database::{Database, TableId};

/// Names that people type for something else, and a tip for each.
const OTHER_NAMES: [(&[&str], &str); 4] = [
    (&["version"], "'twistbase --version' prints the version"),
    (&["--optimal"], "use '--method optimal' with solve cube3, or '--exact' with query cube3"),
    (&["--colors", "--color", "--colour"], "the option of picture is '--colours'"),
    (
        &["scramble", "scrambles", "--scrambles"],
        "'random PUZZLE --scramble' prints competition scrambles, of cube3, cube2, square1, skewb and others",
    ),
];

/// What people type for a file of positions.
const OF_FILES: [&str; 3] = ["--file", "--input", "--stdin"];
/// The commands that take a position.
const OF_POSITIONS: [&str; 3] = ["query", "solve", "picture"];

/// What names of the pruning tables begin with.
const PRUNING: &str = "nx-";

/// Adds a tip to an error about `arguments`, and shortens its list of possible values.
pub fn add(mut error: clap::Error, arguments: &[String]) -> clap::Error {
    let tip = meant(&error, arguments).map(str::to_owned).or_else(|| redirected(arguments));
    let tip = tip.or_else(|| unquoted(&error, arguments)).or_else(|| similar(&error));
    shorten_list(&mut error);
    if let Some(meant) = tip {
        // Clap's own tip may mislead.
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(meant)]));
    }
    error
}

/// A tip for a command or an option that has another name. An option may have been read as a position.
fn meant(error: &clap::Error, arguments: &[String]) -> Option<&'static str> {
    let command = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(command)) => Some(command.as_str()),
        _ => None,
    };
    let options = arguments.iter().filter(|argument| argument.starts_with("--"));
    let mut given = command.into_iter().chain(options.filter_map(|option| option.split('=').next()));
    given.find_map(|name| OTHER_NAMES.iter().find(|(names, _)| names.contains(&name)).map(|&(_, meant)| meant))
}

/// The command that reads positions from standard input, if an option names a file of them.
fn redirected(arguments: &[String]) -> Option<String> {
    let is_file = |argument: &String| OF_FILES.contains(&argument.split('=').next().unwrap_or_default());
    let option = arguments.iter().position(is_file)?;
    let command = arguments.iter().find(|argument| ["query", "solve"].contains(&argument.as_str()))?;
    let puzzle = arguments.iter().find(|argument| Database::find_puzzle(argument).is_ok());
    let next = arguments.get(option + 1).filter(|next| !next.starts_with('-'));
    let file = arguments[option].split_once('=').map(|(_, file)| file).or(next.map(String::as_str));
    let (puzzle, file) = (puzzle.map_or("PUZZLE", String::as_str), file.map_or("FILE".into(), shell_word));
    Some(format!("'-' reads one position a line from standard input: twistbase {command} {puzzle} - < {file}"))
}

/// The command with its position in quotes, if this is given as several words.
fn unquoted(error: &clap::Error, arguments: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let is_asked = |argument: &String| OF_POSITIONS.contains(&argument.as_str());
    let (command, behind) = arguments.split_at(arguments.iter().position(is_asked)?).1.split_first()?;
    let puzzle = behind.iter().position(|argument| Database::find_puzzle(argument).is_ok())?;
    let is_option =
        |word: &str| word.starts_with('-') && word[1..].starts_with(|c: char| c == '-' || c.is_alphabetic());
    let words: Vec<&str> =
        behind[puzzle + 1..].iter().map(String::as_str).take_while(|word| !is_option(word)).collect();
    let quoted = || format!("twistbase {command} {} {}", behind[puzzle], shell_word(&words.join(" ")));
    (words.len() > 1).then(|| format!("a position of several words needs quotes: {}", quoted()))
}

/// A tip for a puzzle in the place of a table, and for a misspelt value.
fn similar(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return None };
    let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue) else { return None };
    if let Ok(puzzle) = Database::find_puzzle(value) {
        let tables = TableId::all().filter(|table| table.definition().puzzle() == puzzle.puzzle).map(TableId::name);
        let tables: Vec<String> =
            tables.filter(|&table| known.iter().any(|name| name == table)).map(str::to_owned).collect();
        if !tables.is_empty() {
            return Some(format!("{} is a puzzle; its tables are {}", puzzle.puzzle, folded(tables).join(", ")));
        }
    }
    let searched = || list_of(known).and_then(|_| Database::known_without_table(value));
    if let Some(tip) = matching(value, known).or_else(searched) {
        return Some(tip);
    }
    let names = spelling::nearest(value, known.iter().map(String::as_str));
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let list = list_of(known).map(|(command, all)| format!("'{command}' lists all {all}"));
    let words: Vec<String> = spelling::did_you_mean(&quoted).into_iter().chain(list).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The names that a pattern with `*` matches: each has to be given.
fn matching(pattern: &str, names: &[String]) -> Option<String> {
    /// The most names that are listed.
    const LISTED: usize = 4;
    let (first, rest) = pattern.split_once('*')?;
    let is_match = |name: &&String| {
        let mut left = name.strip_prefix(first);
        let mut parts = rest.split('*').peekable();
        while let Some(part) = parts.next() {
            left = left.and_then(|left| match parts.peek() {
                Some(_) => left.split_once(part).map(|(_, after)| after),
                None => left.strip_suffix(part),
            });
        }
        left.is_some()
    };
    let names: Vec<&str> = names.iter().filter(is_match).map(String::as_str).collect();
    let more = if names.len() > LISTED { " …" } else { "" };
    let listed = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(" ");
    (!names.is_empty()).then(|| format!("give each name: {pattern} matches {}: {listed}{more}", names.len()))
}

/// The command that lists such names, and what they are, where the names are those of all tables or all puzzles.
fn list_of(names: &[String]) -> Option<(&'static str, &'static str)> {
    let has_all = |mut all: Box<dyn Iterator<Item = &'static str>>| all.all(|one| names.iter().any(|name| name == one));
    if has_all(Box::new(TableId::all().map(TableId::name))) {
        return Some(("twistbase tables --all", "tables"));
    }
    has_all(Box::new(Database::puzzles())).then_some(("twistbase puzzles", "puzzles"))
}

/// Names of tables, with one for the family of pruning tables.
fn folded(names: Vec<String>) -> Vec<String> {
    let (family, mut names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.starts_with(PRUNING));
    if family.len() > 1 {
        names.push(format!("{PRUNING}*"));
    } else {
        names.extend(family);
    }
    names
}

/// Leaves out names that a command lists, and names the family of pruning tables once.
fn shorten_list(error: &mut clap::Error) {
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::ValidValue) else { return };
    if list_of(names).is_some() {
        error.remove(ContextKind::ValidValue);
        return;
    }
    let names = folded(names.clone());
    error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// The message about arguments that cannot be read.
    fn said(arguments: &[&str]) -> String {
        let arguments: Vec<String> =
            ["twistbase"].iter().chain(arguments).map(|&argument| argument.to_owned()).collect();
        let error = Cli::command().try_get_matches_from(&arguments).unwrap_err();
        add(error, &arguments).to_string()
    }

    #[test]
    fn other_names_get_a_tip() {
        for (arguments, meant) in [
            (&["solve", "cube3", "R U", "--optimal"][..], "--method optimal"),
            (&["solve", "cube3", "--optimal", "R U"], "--method optimal"),
            (&["query", "cube3", "--file", "x.txt"], "query cube3 - < x.txt"),
            (&["query", "cube3", "--file=x y.txt"], "query cube3 - < 'x y.txt'"),
            (&["solve", "--input", "x.txt", "sq1"], "solve sq1 - < x.txt"),
            (&["solve", "cube2", "--stdin"], "solve cube2 - < FILE"),
            (&["picture", "cube3", "R U", "--colors", "wca"], "--colours"),
            (&["scramble", "square1"], "random PUZZLE --scramble"),
            (&["random", "square1", "--scrambles"], "random PUZZLE --scramble"),
        ] {
            let said = said(arguments);
            assert!(said.contains(meant) && said.matches("tip:").count() == 1, "{arguments:?}: {said}");
        }
    }

    #[test]
    fn a_position_of_several_words_is_quoted() {
        for (arguments, quoted) in [
            (&["query", "cube3", "R", "U", "F"][..], "twistbase query cube3 'R U F'\n"),
            (&["query", "--metric", "qtm", "3x3", "R", "U2", "--no-exact"], "twistbase query 3x3 'R U2'\n"),
            (&["solve", "square1", "1,0", "/", "-1,0"], "twistbase solve square1 '1,0 / -1,0'\n"),
            (&["picture", "cube2", "R", "F", "-o", "x.svg"], "twistbase picture cube2 'R F'\n"),
        ] {
            let said = said(arguments);
            assert!(said.contains(quoted), "{arguments:?}: {said}");
        }
        for arguments in [&["query", "cube3", "R U", "--such"][..], &["random", "cube3", "R", "U"], &["tables", "x"]] {
            let said = said(arguments);
            assert!(!said.contains("quotes"), "{arguments:?}: {said}");
        }
    }

    #[test]
    fn similar_names_are_listed_and_families_are_named_once() {
        for (arguments, tip) in [
            (&["stats", "cube12"][..], "did you mean 'cube21' or 'cube2'? 'twistbase tables --all' lists all tables"),
            (&["build", "eo-cross"], "did you mean 'cube3-eo-cross'? "),
            (&["build", "cube12"], "did you mean 'cube21', 'cube2' or 'cube3'?"),
            (&["query", "cube", "R"], "did you mean 'cube21', 'cube3', 'cube2' or 'cube3-slices'?"),
            (&["query", "Squar1", "/"], "did you mean 'square1'?"),
            (&["stats", "phase3"], "did you mean 'phase1' or 'phase2'?"),
            (&["stats", "nx-eo1-ep5-htm"], "did you mean 'nx-eo1-ep1-htm', "),
            (&["stats", "cube3"], "cube3 is a puzzle; its tables are phase1, phase1-qtm, "),
            (&["stats", "3x3"], "cube3 is a puzzle; its tables are phase1, phase1-qtm, "),
            (&["build", "nx-*"], "give each name: nx-* matches 24: nx-eo1-ep1-htm nx-"),
            (&["build", "phase*-qt*m"], "matches 3: phase1-qtm phase2-qtm phase2-exact-qtm\n"),
            (&["build", "x*"], "'twistbase tables --all' lists all tables"),
            (&["stats", "Megaminx"], "megaminx has no table, but megaminx-block has; query and solve search "),
            (&["build", "5x5"], "5x5x5 has no table; query and solve search "),
            (&["version"], "'twistbase --version' prints the version"),
            (&["build", "fto"], "'puzzle add fto --name NAME' makes a table if the positions fit"),
        ] {
            let said = said(arguments);
            assert!(said.contains(tip) && said.matches("tip:").count() == 1, "{arguments:?}: {said}");
        }
        for (arguments, list) in [
            (["stats", "cube12"], "'twistbase tables --all' lists all tables"),
            (["random", "xyz"], "'twistbase puzzles' lists all puzzles"),
        ] {
            let said = said(&arguments);
            assert!(said.contains(list) && !said.contains("possible values"), "{said}");
        }
        let said = said(&["solve", "cube3", "R", "--table", "cube12"]);
        assert!(said.contains("huge") && said.matches(" nx-").count() == 1, "{said}");
    }
}
