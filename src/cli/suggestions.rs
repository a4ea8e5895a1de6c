//! What was probably meant by arguments that cannot be read, where clap looks for similar letters alone.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use twistbase_core::error::shell_word;
use twistbase_database::Database;

/// What people type for something that has another name, and what they meant.
const OTHER_NAMES: [(&[&str], &str); 3] = [
    (&["--optimal"], "'--method optimal' makes solve cube3 search for shortest solutions; query cube3 has '--exact'"),
    (&["--colors", "--color", "--colour"], "the option of picture is '--colours'"),
    (
        &["scramble", "scrambles", "--scrambles"],
        "'random PUZZLE --scramble' prints competition scrambles of cube3, cube2 and square1",
    ),
];

/// What people type for a file of positions.
const OF_FILES: [&str; 3] = ["--file", "--input", "--stdin"];
/// The commands that take a position.
const OF_POSITIONS: [&str; 3] = ["query", "solve", "picture"];

/// What names of the pruning tables begin with.
const PRUNING: &str = "nx-";

/// Adds what was probably meant to an error about `arguments`, and shortens its list of values that are possible.
pub fn add(mut error: clap::Error, arguments: &[String]) -> clap::Error {
    fold_pruning_tables(&mut error);
    let meant = meant(&error, arguments).map(str::to_owned).or_else(|| redirected(arguments));
    if let Some(meant) = meant.or_else(|| unquoted(&error, arguments)) {
        // Similar letters have misled.
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(meant)]));
    }
    error
}

/// What was meant by a command or an option that has another name. An option may have been read as a position.
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

/// Names the family of pruning tables once.
fn fold_pruning_tables(error: &mut clap::Error) {
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::ValidValue) else { return };
    let (family, mut names): (Vec<_>, Vec<_>) = names.iter().cloned().partition(|name| name.starts_with(PRUNING));
    if family.len() > 1 {
        names.push(format!("{PRUNING}*"));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// What is said of arguments that cannot be read.
    fn said(arguments: &[&str]) -> String {
        let arguments: Vec<String> =
            ["twistbase"].iter().chain(arguments).map(|&argument| argument.to_owned()).collect();
        let error = Cli::command().try_get_matches_from(&arguments).unwrap_err();
        add(error, &arguments).to_string()
    }

    #[test]
    fn what_has_another_name_is_told_that_name() {
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
    fn similar_names_are_still_found_and_families_are_named_once() {
        let said = said(&["stats", "cube12"]);
        assert!(said.contains("a similar value exists: 'cube") && said.contains("phase2-exact"), "{said}");
        assert_eq!(said.matches("nx-").count(), 1, "{said}");
    }
}
