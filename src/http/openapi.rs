//! What the server answers, for programs: OpenAPI 3.1, made from the list of operations and the schemas of the command line.

use std::sync::LazyLock;

use axum::Json;
use serde_json::{Map, Value, json};

use super::parameters::{NoParameters, Parameters};
use twistbase_database::{Database, TableId};

/// An operation of the API.
struct Operation {
    /// Below the root of the server.
    path: &'static str,
    method: &'static str,
    summary: &'static str,
    /// Keys of [`PARAMETERS`]; those that are needed end with an exclamation mark.
    parameters: &'static [&'static str],
    answer: OperationAnswer,
}

/// What an operation answers with.
enum OperationAnswer {
    /// JSON as one of these schemas says.
    Json(&'static [&'static str]),
    /// A list of such JSON.
    List(&'static [&'static str]),
    /// Server-sent events of these names, each with JSON as one of its schemas, in groups, says.
    Events(&'static [(&'static str, &'static [&'static [&'static str]])]),
    /// JSON objects, one a line, each as one of these schemas, in groups, says.
    Lines(&'static [&'static [&'static str]]),
    /// Text of a type.
    Text(&'static str),
}

/// The type of JSON objects, one a line.
const LINES: &str = "application/x-ndjson";

/// Parameters of the query string: key, of which the first word is the name, schema, description.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("position", r#"{"type":"string"}"#, "The position, in any notation of its puzzle."),
    ("normalize", r#"{"type":"boolean"}"#, "Cubes: turned until white is up and green in front first."),
    (
        "detail",
        r#"{"enum":["brief","full"]}"#,
        "How much is told: the distance alone, or every next move, too, which is so if nothing is said, in a batch as well.",
    ),
    ("metric", r#"{"enum":["htm","qtm","twists","wca","face"]}"#, "Metric: one of the puzzle's; by default its first."),
    ("metric of a walk", r#"{"enum":["htm","qtm"]}"#, "Metric of a walk of a cube."),
    (
        "table",
        r#"{"type":"string"}"#,
        "Name of a table of the puzzle, in the metric of the request. query (cube3 only): use only this table; solutions (cube3 only): list solutions inside H, with phase2-exact; solve: guide the search with it. By default all tables that are built answer, the strongest one guides a search, and stats and rows use the puzzle's first.",
    ),
    (
        "exact",
        r#"{"type":"boolean"}"#,
        "Whether a short search finds a distance that no table holds (solve searches to the end): of the Rubik's cube, and in the Square-1 family beyond the depth of its table. True by default; false with a table.",
    ),
    ("middle", r#"{"enum":["ignored","square"]}"#, "Middle layer of Square-1 at the end: any (ignored) or square."),
    ("notation", r#"{"enum":["wca","cube21"]}"#, "Notation for sequences of Square-1."),
    ("shapes", r#"{"type":"boolean"}"#, "Whether solutions of Square-1 list the shapes that they pass."),
    (
        "limit",
        r#"{"type":"integer","minimum":1,"maximum":18446744073709551615}"#,
        "At most so many solutions. Where nothing is said, and where more is, as many as the server lists (--listed); the end tells whether all are listed: truncated of solutions, complete in the event solved of solve.",
    ),
    (
        "method",
        r#"{"enum":["auto","two-phase","phase2","optimal"]}"#,
        "How to solve a position of the Rubik's cube. Default: auto. It finds a shortest solution if about a second is enough, else it continues as two-phase.",
    ),
    (
        "goal",
        r#"{"type":"string"}"#,
        "Where solutions lead instead of solved, in any notation. A cube is held as the position is.",
    ),
    ("max_nodes", r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#, "Nodes that a search may visit."),
    ("target", r#"{"type":"integer","minimum":0,"maximum":30}"#, "The length of solution to stop at."),
    (
        "all",
        r#"{"type":"boolean"}"#,
        "All shortest solutions (method=optimal): the same as extra=0. With extra, those are searched for.",
    ),
    (
        "extra",
        r#"{"type":"integer","minimum":0,"maximum":32}"#,
        "All solutions of up to so many moves more than the shortest (method=optimal).",
    ),
    ("max_depth", r#"{"type":"integer","minimum":0,"maximum":32}"#, "No solutions of more moves."),
    ("n", r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#, "How many; one if nothing is said."),
    (
        "seed",
        r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#,
        "The same seed gives the same positions.",
    ),
    ("walk", r#"{"type":"integer","minimum":0,"maximum":1000}"#, "Ends of random walks of so many moves."),
    (
        "scramble",
        r#"{"type":"boolean"}"#,
        "Competition scrambles of the Rubik's cube, the 2×2×2 cube and Square-1, by the rules of the World Cube Association: random states, with moves that lead there.",
    ),
    ("wca", r#"{"type":"boolean"}"#, "Another name of scramble."),
    ("in_h", r#"{"type":"boolean"}"#, "Positions of the Rubik's cube in H alone."),
    ("view", r#"{"enum":["flat","perspective"]}"#, "How it is looked at."),
    ("colours", r#"{"enum":["wca","colour-blind"]}"#, "The colours."),
    ("moves", r#"{"type":"string"}"#, "Moves from the position on."),
];

/// Positions that are right for all puzzles of a kind, to be tried.
const EXAMPLES: [(&str, &str); 4] = [
    ("sequence-of-square1", "(1,0)/(3,3)/(-3,0)/"),
    ("digits-of-square1", "36547210-BEDCF89A"),
    ("sequence-of-cubes", "R U2 F'"),
    ("facelets-of-cube2", "UUUURRRRFFFFDDDDLLLLBBBB"),
];

/// Why a request is not answered, by status code.
const REFUSALS: &[(u16, &str)] = &[
    (
        400,
        "What is given as a position, or as moves, is none: with every reason and its place. Or the request has not one header Host.",
    ),
    (403, "Builds are not allowed, or the request comes from a page of another origin."),
    (404, "There is no such puzzle or table."),
    (405, "The address is asked by another method, which Allow names."),
    (408, "The body of the request did not come."),
    (413, "More is asked for than one request gets, or sent than it may have."),
    (415, "The body has a Content-Encoding; that of a request for a build is not JSON."),
    (421, "The server is not called by this name."),
    (422, "The question makes no sense, or has parameters that the puzzle does not have."),
    (500, "A table is damaged: with what repairs it. Or a defect of the server."),
    (
        503,
        "A table is missing: with what builds it. Or it is being built, or as many requests wait as may: with the time after which to ask again.",
    ),
    (507, "There is too little memory or disk for the build."),
];

/// What is asked about positions, without the position.
const QUESTION: &[&str] = &["detail", "metric", "table", "middle", "notation"];
/// The same with the position.
const QUESTION_OF_ONE: &[&str] =
    &["position!", "normalize", "detail", "metric", "table", "exact", "middle", "notation"];

/// All operations.
const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/v1/puzzles",
        method: "get",
        summary: "Every puzzle.",
        parameters: &[],
        answer: OperationAnswer::List(&["puzzle"]),
    },
    Operation {
        path: "/api/v1/shapes",
        method: "get",
        summary: "The shapes of the Square-1 family, with the counts of the tables that are built.",
        parameters: &[],
        answer: OperationAnswer::Json(&["shapes"]),
    },
    Operation {
        path: "/api/v1/tables",
        method: "get",
        summary: "Every table, and what there is of it.",
        parameters: &[],
        answer: OperationAnswer::List(&["table"]),
    },
    Operation {
        path: "/api/v1/builds",
        method: "get",
        summary: "Every table: ready, building, queued, missing or failed, and what a build takes.",
        parameters: &[],
        answer: OperationAnswer::List(&["table-build"]),
    },
    Operation {
        path: "/api/v1/tables/{table}/build",
        method: "post",
        summary: "Queue the build of a table. Needs serve --allow-build, and a request that no page of another origin can make.",
        parameters: &[],
        answer: OperationAnswer::Json(&["table-build"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/query",
        method: "get",
        summary: "A position's distance, a shortest solution and the next moves.",
        parameters: QUESTION_OF_ONE,
        answer: OperationAnswer::Json(&["query"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solutions",
        method: "get",
        summary: "All shortest solutions, one a line; the last line has their number, and whether there are more.",
        parameters: &["position!", "normalize", "metric", "table", "middle", "notation", "shapes", "limit"],
        answer: OperationAnswer::Lines(&[&["solution"], &["solutions-end"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solve",
        method: "get",
        summary: "A search as it goes on: event turned if a cube was turned first; events solution, depth, nodes; at the end solved with what was found, and shortfall if that comes short of what was asked, or error.",
        parameters: &[
            "position!",
            "normalize",
            "method",
            "metric",
            "goal",
            "max_nodes",
            "target",
            "table",
            "all",
            "extra",
            "limit",
            "max_depth",
            "middle",
            "notation",
        ],
        answer: OperationAnswer::Events(&[
            ("turned", &[&["solve-turned"]]),
            ("solution", &[&["solution"]]),
            ("depth", &[&["solve-depth"]]),
            ("nodes", &[&["solve-nodes"]]),
            ("solved", &[&["solution"], &["optimal-cube3"]]),
            ("shortfall", &[&["solve-shortfall"]]),
            ("error", &[&["problem"]]),
        ]),
    },
    Operation {
        path: "/api/v1/{puzzle}/batch",
        method: "post",
        summary: "Answers to the positions on the lines of the body, one a line, in their order.",
        parameters: QUESTION,
        answer: OperationAnswer::Lines(&[&["query"], &["error"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/random",
        method: "get",
        summary: "Random positions.",
        parameters: &["n", "seed", "walk", "scramble", "wca", "in_h", "metric of a walk"],
        answer: OperationAnswer::List(&["random"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/stats",
        method: "get",
        summary: "How many positions of a table there are at each distance.",
        parameters: &["table"],
        answer: OperationAnswer::Json(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/rows",
        method: "get",
        summary: "The same for each row of a table.",
        parameters: &["table"],
        answer: OperationAnswer::List(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/picture.svg",
        method: "get",
        summary: "A picture of a position.",
        parameters: &["position!", "normalize", "view", "colours"],
        answer: OperationAnswer::Text("image/svg+xml"),
    },
    Operation {
        path: "/api/v1/{puzzle}/scene",
        method: "get",
        summary: "A position in space, and what moves turn.",
        parameters: &["position!", "normalize", "moves", "colours"],
        answer: OperationAnswer::Json(&["scene"]),
    },
];

/// The schemas that are referred to.
const SCHEMAS: &[(&str, &str)] = &[
    ("error", include_str!("schema/error.json")),
    ("optimal-cube3", include_str!("schema/optimal-cube3.json")),
    ("problem", include_str!("schema/problem.json")),
    ("puzzle", include_str!("schema/puzzle.json")),
    ("query", include_str!("schema/query.json")),
    ("random", include_str!("schema/random.json")),
    ("scene", include_str!("schema/scene.json")),
    ("shapes", include_str!("schema/shapes.json")),
    ("solution", include_str!("schema/solution.json")),
    ("solutions-end", include_str!("schema/solutions-end.json")),
    ("solve-depth", include_str!("schema/solve-depth.json")),
    ("solve-nodes", include_str!("schema/solve-nodes.json")),
    ("solve-shortfall", include_str!("schema/solve-shortfall.json")),
    ("solve-turned", include_str!("schema/solve-turned.json")),
    ("stats", include_str!("schema/stats.json")),
    ("table", include_str!("schema/table.json")),
    ("table-build", include_str!("schema/table-build.json")),
];

/// `GET /api/v1/openapi.json`.
pub(super) async fn openapi(_: Parameters<NoParameters>) -> Json<&'static Value> {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(document);
    Json(&DOCUMENT)
}

fn document() -> Value {
    let mut paths = Map::new();
    for operation in OPERATIONS {
        paths.insert(operation.path.to_owned(), json!({ operation.method: described(operation) }));
    }
    let schemas = SCHEMAS.iter().map(|(name, text)| (name.to_string(), component(name, text)));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "twistbase", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" } },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": schemas.collect::<Map<_, _>>() },
    })
}

/// A schema as a component: what it refers to is where it is in the document.
fn component(name: &str, text: &str) -> Value {
    let text = text.replace("\"#/$defs/", &format!("\"#/components/schemas/{name}/$defs/"));
    let mut schema: Value = serde_json::from_str(&text).expect("a schema that the tests have read");
    if let Some(members) = schema.as_object_mut() {
        members.retain(|member, _| member != "$id" && member != "$schema");
    }
    schema
}

fn described(operation: &Operation) -> Value {
    let Operation { path, method, summary, parameters, answer } = operation;
    let mut described: Vec<Value> = parameters.iter().map(|name| parameter(name)).collect();
    if path.contains("{puzzle}") {
        let puzzles: Vec<_> = Database::puzzles().collect();
        let also = "3x3, sq1 and other usual names work, too.";
        let schema = json!({ "enum": puzzles });
        described
            .push(json!({ "name": "puzzle", "in": "path", "required": true, "description": also, "schema": schema }));
    }
    if path.contains("{table}") {
        let tables: Vec<_> = TableId::all().map(TableId::name).collect();
        let schema = json!({ "enum": tables });
        described.push(
            json!({ "name": "table", "in": "path", "required": true, "description": "The table.", "schema": schema }),
        );
    }
    let mut described = json!({
        "operationId": path.rsplit('/').next().unwrap_or_default().trim_end_matches(".svg"),
        "summary": summary,
        "parameters": described,
        "responses": responses(operation, answer),
    });
    if is_build(operation) {
        let schema = json!({ "type": "object", "additionalProperties": false });
        described["requestBody"] = json!({
            "required": true,
            "description": "No member.",
            "content": { "application/json": { "schema": schema, "example": {} } },
        });
    } else if *method == "post" {
        let content =
            json!({ "schema": { "type": "string" }, "examples": examples(|position| format!("{position}\n/\n")) });
        described["requestBody"] = json!({
            "required": true,
            "description": "Positions, one a line. Blank lines and lines that begin with # or // are skipped.",
            "content": { "text/plain": content },
        });
    }
    described
}

/// Whether an operation builds a table.
fn is_build(operation: &Operation) -> bool {
    operation.path.ends_with("/build")
}

/// What an operation answers, by status code.
fn responses(operation: &Operation, answer: &OperationAnswer) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), json!({ "description": "The answer.", "content": content(answer) }));
    if is_build(operation) {
        responses
            .insert("202".to_owned(), json!({ "description": "It is built, or queued.", "content": content(answer) }));
    }
    let has = |name: &str| operation.parameters.contains(&name);
    let is_of_puzzle = operation.path.contains("{puzzle}");
    // What is answered as it is found has no tag.
    let is_whole = match answer {
        OperationAnswer::Events(_) | OperationAnswer::Lines(_) => false,
        OperationAnswer::Text(_) | OperationAnswer::Json(_) | OperationAnswer::List(_) => true,
    };
    if is_of_puzzle && is_whole {
        let description = "The client has the answer: its If-None-Match is the ETag.";
        responses.insert("304".to_owned(), json!({ "description": description }));
    }
    for (status, description) in REFUSALS {
        let can_be = match status {
            403 | 507 => is_build(operation),
            404 => is_of_puzzle || is_build(operation),
            408 | 415 => operation.method == "post",
            413 => has("n") || operation.path.ends_with("/rows") || operation.method == "post",
            _ => true,
        };
        if can_be {
            let content = json!({ "application/problem+json": { "schema": reference("problem") } });
            responses.insert(status.to_string(), json!({ "description": description, "content": content }));
        }
    }
    responses.into()
}

/// Examples of positions, or of what is made of them.
fn examples(of: impl Fn(&str) -> String) -> Value {
    EXAMPLES
        .iter()
        .map(|(name, position)| (name.to_string(), json!({ "value": of(position) })))
        .collect::<Map<_, _>>()
        .into()
}

fn parameter(name: &str) -> Value {
    let (key, required) = (name.trim_end_matches('!'), name.ends_with('!'));
    let (_, schema, description) = PARAMETERS.iter().find(|(own, ..)| *own == key).expect("a parameter of the list");
    let name = key.split(' ').next().unwrap_or(key);
    let mut schema: Value = serde_json::from_str(schema).expect("JSON");
    if name == "table" {
        schema["enum"] = TableId::all().map(TableId::name).collect();
    }
    let mut parameter =
        json!({ "name": name, "in": "query", "required": required, "description": description, "schema": schema });
    if name == "position" {
        parameter["examples"] = examples(str::to_owned);
    }
    parameter
}

fn content(answer: &OperationAnswer) -> Value {
    let any_of = |names: &[&str]| match names {
        [name] => reference(name),
        names => json!({ "anyOf": names.iter().map(|name| reference(name)).collect::<Vec<_>>() }),
    };
    match answer {
        OperationAnswer::Json(names) => json!({ "application/json": { "schema": any_of(names) } }),
        OperationAnswer::List(names) => {
            json!({ "application/json": { "schema": { "type": "array", "items": any_of(names) } } })
        }
        OperationAnswer::Events(events) => {
            let event = |(name, data): &(&str, &[&[&str]])| {
                let data = json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": any_of(&data.concat()) });
                json!({
                    "type": "object",
                    "required": ["event", "data"],
                    "properties": { "event": { "const": name }, "data": data },
                })
            };
            let events: Vec<_> = events.iter().map(event).collect();
            json!({ "text/event-stream": { "schema": { "description": "Each event.", "oneOf": events } } })
        }
        OperationAnswer::Lines(names) => {
            let lines = json!({
                "type": "string",
                "description": "JSON objects, one a line: each is as one of the schemas under contentSchema says.",
                "contentMediaType": LINES,
                "contentSchema": any_of(&names.concat()),
            });
            json!({ LINES: { "schema": lines } })
        }
        OperationAnswer::Text(kind) => json!({ *kind: { "schema": { "type": "string" } } }),
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let mut references = 0;
        for operation in document["paths"].as_object().unwrap().values() {
            for part in operation.to_string().split("#/components/schemas/").skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(document["components"]["schemas"][name].is_object(), "{name}");
                references += 1;
            }
        }
        assert!(references > OPERATIONS.len());
    }
}
