//! The API's description for programs: OpenAPI 3.1, made from the list of operations and the command line's schemas.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};

use super::parameters::{NoParameters, Parameters};
use twistbase_database::{Database, TableId};

/// An operation of the API.
struct Operation {
    /// Path below the server's root.
    path: &'static str,
    method: &'static str,
    summary: &'static str,
    /// Keys of [`PARAMETERS`]. An exclamation mark at the end marks a required one.
    parameters: &'static [&'static str],
    answer: OperationAnswer,
}

/// The kind of answer of an operation.
enum OperationAnswer {
    /// JSON of one of these schemas.
    Json(&'static [&'static str]),
    /// A list of such JSON.
    List(&'static [&'static str]),
    /// Server-sent events: name, and groups of schemas for the data.
    Events(&'static [(&'static str, &'static [&'static [&'static str]])]),
    /// JSON objects, one per line, of one of these schemas, in groups.
    Lines(&'static [&'static [&'static str]]),
    /// Text of a type.
    Text(&'static str),
}

/// The media type of JSON Lines.
const LINES: &str = "application/x-ndjson";

/// Parameters of the query string: key, schema, description. The first word of the key is the name.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("position", r#"{"type":"string"}"#, "The position, in any notation of its puzzle."),
    ("normalize", r#"{"type":"boolean"}"#, "Cubes: first turn the cube until white is up and green in front."),
    (
        "detail",
        r#"{"enum":["brief","full"]}"#,
        "Level of detail: brief (the distance alone) or full (also a solution and the next moves). Default: full, also for a batch.",
    ),
    (
        "metric",
        r#"{"enum":["htm","qtm","twists","wca","face","moves"]}"#,
        "A metric of the puzzle. Default: its first.",
    ),
    ("metric of a walk", r#"{"enum":["htm","qtm"]}"#, "Metric of a walk of a cube."),
    (
        "table",
        r#"{"type":"string"}"#,
        "A table of the puzzle, in the metric of the request. query (cube3 only): use only this table. solutions (cube3 only, phase2-exact): list solutions inside H = <U, D, R2, F2, L2, B2>. solve: guide the search with this table. Default: query uses all tables that exist, solve the strongest one, stats and rows the puzzle's first.",
    ),
    (
        "exact",
        r#"{"type":"boolean"}"#,
        "Whether to search briefly for a distance that no table holds. This concerns the Rubik's cube, and a Square-1 table built to a limited depth. Default: true; false with ?table=. solve searches to the end.",
    ),
    ("middle", r#"{"enum":["ignored","square"]}"#, "Middle layer of a solved Square-1: any (ignored) or square."),
    ("notation", r#"{"enum":["wca","cube21"]}"#, "Notation for sequences of Square-1."),
    ("shapes", r#"{"type":"boolean"}"#, "Whether solutions of Square-1 list the shapes along the way."),
    (
        "limit",
        r#"{"type":"integer","minimum":1,"maximum":18446744073709551615}"#,
        "Maximum number of solutions. Default and upper limit: the server's --listed. The end of the answer reports whether the list is whole: truncated in solutions, complete in the event solved of solve.",
    ),
    (
        "method",
        r#"{"enum":["auto","two-phase","phase2","optimal"]}"#,
        "How to solve a position of the Rubik's cube. Default: auto, a shortest solution if about a second is enough, else as two-phase.",
    ),
    (
        "goal of a question",
        r#"{"type":"string"}"#,
        "What to reach instead of solved (Rubik's cube): the name of a goal, such as cross. cross:R has the cross on R, eo:UD another axis, cross:any is the nearest of all sides. Or a pattern: 54 facelets with ? or . for stickers that do not matter.",
    ),
    (
        "goal",
        r#"{"type":"string"}"#,
        "What to reach instead of solved (Rubik's cube): the name of a goal, as in a question, for a shortest way there, or a pattern. Or a position in any notation, as a pattern of colours: it is turned until it is held like the start.",
    ),
    (
        "max_nodes",
        r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#,
        "Maximum number of nodes of the search.",
    ),
    ("target", r#"{"type":"integer","minimum":0,"maximum":30}"#, "Stop at a solution of this length."),
    (
        "all",
        r#"{"type":"boolean"}"#,
        "Find all shortest solutions (method=optimal), like extra=0. extra takes precedence.",
    ),
    (
        "extra",
        r#"{"type":"integer","minimum":0,"maximum":32}"#,
        "Find all solutions with up to this many moves more than the shortest (method=optimal).",
    ),
    ("max_depth", r#"{"type":"integer","minimum":0,"maximum":32}"#, "Maximum length of a solution."),
    (
        "steps",
        r#"{"type":"string"}"#,
        "Goals separated by >, each reached from the one before, with numbers of moves if wanted: eo ..4 > dr > htr > finish. Default: eo > dr > htr > finish.",
    ),
    (
        "niss",
        r#"{"enum":["never","before","always"]}"#,
        "Whether steps are made on the inverse, too: never, each step on one side (before), or on both (always). Default: before.",
    ),
    (
        "count",
        r#"{"type":"integer","minimum":1,"maximum":18446744073709551615}"#,
        "Maximum number of solutions. Default: 1; upper limit: the server's --listed.",
    ),
    (
        "width",
        r#"{"type":"integer","minimum":1,"maximum":2000}"#,
        "How many sequences go on after each step: more take longer. Default: 500.",
    ),
    (
        "optimal",
        r#"{"type":"boolean"}"#,
        "Whether to search for a shortest solution, too, until the server's --search-time or max_nodes.",
    ),
    ("n", r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#, "Number of positions. Default: 1."),
    (
        "seed",
        r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#,
        "The same seed gives the same positions.",
    ),
    ("walk", r#"{"type":"integer","minimum":0,"maximum":1000}"#, "Take the ends of random walks of this many moves."),
    (
        "scramble",
        r#"{"type":"boolean"}"#,
        "Competition scrambles by the rules of the World Cube Association: random states, with the moves to reach them. For the Rubik's cube, the 2×2×2 cube and Square-1.",
    ),
    ("wca", r#"{"type":"boolean"}"#, "Another name for scramble."),
    (
        "state",
        r#"{"type":"string"}"#,
        "Only positions of the Rubik's cube of a case: ll, zbll, pll (last layer), dr, htr, 2gen, or a goal reached, such as cross. All are equally likely; with scramble, moves that lead to them.",
    ),
    ("in_h", r#"{"type":"boolean"}"#, "Only positions of the Rubik's cube in H = <U, D, R2, F2, L2, B2>."),
    ("view", r#"{"enum":["flat","perspective"]}"#, "The view: flat (an unfolded plan) or perspective."),
    ("colours", r#"{"enum":["wca","colour-blind"]}"#, "The colour scheme."),
    ("moves", r#"{"type":"string"}"#, "Moves to make from the position."),
];

/// Example positions, each valid for all puzzles of its kind.
const EXAMPLES: [(&str, &str); 4] = [
    ("sequence-of-square1", "(1,0)/(3,3)/(-3,0)/"),
    ("digits-of-square1", "36547210-BEDCF89A"),
    ("sequence-of-cubes", "R U2 F'"),
    ("facelets-of-cube2", "UUUURRRRFFFFDDDDLLLLBBBB"),
];

/// Reasons for an error answer, by status code.
const REFUSALS: &[(u16, &str)] = &[
    (
        400,
        "The position or the moves are invalid; the answer lists every reason and its place. Or the request does not have exactly one header Host.",
    ),
    (403, "Builds are not allowed, or the request comes from a page of another origin."),
    (404, "No puzzle or table has this name."),
    (405, "Wrong method. The header Allow names the right one."),
    (408, "The body of the request did not arrive in time."),
    (413, "The request asks for more than the server's limit, or its body is too large."),
    (415, "The body has a Content-Encoding, or the body of a build request is not JSON."),
    (421, "The header Host, or the target of the request, names another server."),
    (422, "A parameter is invalid, missing, or unknown for this puzzle."),
    (500, "A table is damaged; the answer names the command that repairs it. Or the server has a defect."),
    (
        503,
        "A table is missing; the answer names the command that builds it. Or the table is being built, or the queue or the memory for answers is full; Retry-After says when to ask again.",
    ),
    (507, "Too little memory or disk for the build."),
];

/// Parameters of questions about many positions.
const QUESTION: &[&str] = &["detail", "goal of a question", "metric", "table", "middle", "notation"];
/// Parameters of a question about one position.
const QUESTION_OF_ONE: &[&str] =
    &["position!", "normalize", "detail", "goal of a question", "metric", "table", "exact", "middle", "notation"];

/// All operations.
const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/v1/puzzles",
        method: "get",
        summary: "List all puzzles.",
        parameters: &[],
        answer: OperationAnswer::List(&["puzzle"]),
    },
    Operation {
        path: "/api/v1/shapes",
        method: "get",
        summary: "List the shapes of the Square-1 family, with the counts of the tables that exist.",
        parameters: &[],
        answer: OperationAnswer::Json(&["shapes"]),
    },
    Operation {
        path: "/api/v1/tables",
        method: "get",
        summary: "List all tables and their states.",
        parameters: &[],
        answer: OperationAnswer::List(&["table"]),
    },
    Operation {
        path: "/api/v1/builds",
        method: "get",
        summary: "List all tables with the state of their builds (ready, building, queued, missing or failed), and the cost of a build.",
        parameters: &[],
        answer: OperationAnswer::List(&["table-build"]),
    },
    Operation {
        path: "/api/v1/tables/{table}/build",
        method: "post",
        summary: "Queue the build of a table. Needs serve --allow-build; rejects pages of other origins.",
        parameters: &[],
        answer: OperationAnswer::Json(&["table-build"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/query",
        method: "get",
        summary: "Show a position's distance, a shortest solution and the next moves.",
        parameters: QUESTION_OF_ONE,
        answer: OperationAnswer::Json(&["query"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solutions",
        method: "get",
        summary: "List all shortest solutions, one per line. The last line gives their number, and whether there are more.",
        parameters: &[
            "position!",
            "normalize",
            "goal of a question",
            "metric",
            "table",
            "middle",
            "notation",
            "shapes",
            "limit",
        ],
        answer: OperationAnswer::Lines(&[&["solution"], &["solutions-end"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solve",
        method: "get",
        summary: "Solve a position and stream the search as events: turned (if a cube was turned first), then solution, depth and nodes. The last events are solved with the result, shortfall if the result misses the request, or error.",
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
        path: "/api/v1/{puzzle}/steps",
        method: "get",
        summary: "Solve the Rubik's cube in steps, as people do for fewest moves: the best solutions, the shortest first.",
        parameters: &["position!", "steps", "niss", "count", "width"],
        answer: OperationAnswer::List(&["steps"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/analysis",
        method: "get",
        summary: "Show the distances of a position of the Rubik's cube, and of its inverse, to the goals of fewest-moves solvers.",
        parameters: &["position!", "normalize", "optimal", "max_nodes"],
        answer: OperationAnswer::Json(&["analysis"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/batch",
        method: "post",
        summary: "Query many positions, one per line of the body. Answers one per line, in order.",
        parameters: QUESTION,
        answer: OperationAnswer::Lines(&[&["query"], &["error"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/random",
        method: "get",
        summary: "Draw random positions.",
        parameters: &["n", "seed", "walk", "scramble", "wca", "in_h", "state", "metric of a walk"],
        answer: OperationAnswer::List(&["random"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/stats",
        method: "get",
        summary: "Count the positions of a table at each distance.",
        parameters: &["table"],
        answer: OperationAnswer::Json(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/rows",
        method: "get",
        summary: "Count the positions at each distance for each row of a table.",
        parameters: &["table"],
        answer: OperationAnswer::List(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/picture.svg",
        method: "get",
        summary: "Draw a position as SVG.",
        parameters: &["position!", "normalize", "view", "colours"],
        answer: OperationAnswer::Text("image/svg+xml"),
    },
    Operation {
        path: "/api/v1/{puzzle}/scene",
        method: "get",
        summary: "Describe a position in space, and the solids that each move turns.",
        parameters: &["position!", "normalize", "moves", "colours"],
        answer: OperationAnswer::Json(&["scene"]),
    },
];

/// The schemas of the document.
const SCHEMAS: &[(&str, &str)] = &[
    ("analysis", include_str!("schema/analysis.json")),
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
    ("steps", include_str!("schema/steps.json")),
    ("table", include_str!("schema/table.json")),
    ("table-build", include_str!("schema/table-build.json")),
];

/// `GET /api/v1/openapi.json`.
pub(super) async fn openapi(_: Parameters<NoParameters>) -> impl IntoResponse {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
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

/// A schema as a component of the document, with its references adapted.
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
        let also = "Other usual names work too: 3x3, sq1.";
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
            "description": "An empty object.",
            "content": { "application/json": { "schema": schema, "example": {} } },
        });
    } else if *method == "post" {
        let content =
            json!({ "schema": { "type": "string" }, "examples": examples(|position| format!("{position}\n/\n")) });
        described["requestBody"] = json!({
            "required": true,
            "description": "Positions, one per line. Blank lines and lines that start with # or // are skipped.",
            "content": { "text/plain": content },
        });
    }
    described
}

/// Whether an operation builds a table.
fn is_build(operation: &Operation) -> bool {
    operation.path.ends_with("/build")
}

/// The answers of an operation, by status code.
fn responses(operation: &Operation, answer: &OperationAnswer) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), json!({ "description": "The answer.", "content": content(answer) }));
    if is_build(operation) {
        responses.insert(
            "202".to_owned(),
            json!({ "description": "The build runs or waits in the queue.", "content": content(answer) }),
        );
    }
    let has = |name: &str| operation.parameters.contains(&name);
    let is_of_puzzle = operation.path.contains("{puzzle}");
    // Streamed answers have no tag.
    let is_whole = match answer {
        OperationAnswer::Events(_) | OperationAnswer::Lines(_) => false,
        OperationAnswer::Text(_) | OperationAnswer::Json(_) | OperationAnswer::List(_) => true,
    };
    if is_of_puzzle && is_whole {
        let description = "The client already has this answer (If-None-Match equals the ETag).";
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

/// Examples: the positions, or texts made from them.
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
    if name == "goal" {
        parameter["examples"] = Database::goals().map(|goal| (goal.to_owned(), json!({ "value": goal }))).collect();
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
                "description": "JSON objects, one per line, each of a schema in contentSchema.",
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
