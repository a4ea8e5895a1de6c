//! The API's description for programs: OpenAPI 3.1, made from the list of operations and the command line's schemas.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};

use super::parameters::{
    AnalysisParameters, DescribedParameters, InsertionsParameters, NoParameters, ParameterInfo, Parameters,
    PictureParameters, QuestionParameters, RandomParameters, SceneParameters, SolutionsParameters, SolveParameters,
    StatsParameters, StepsParameters,
};
use twistbase_database::{Database, TableId};

/// An operation of the API.
struct Operation {
    /// Path below the server's root.
    path: &'static str,
    method: &'static str,
    summary: &'static str,
    /// Parameters of the query string.
    parameters: fn() -> Vec<ParameterInfo>,
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

/// The parameters of a question, without those of a single position.
fn batch_parameters() -> Vec<ParameterInfo> {
    let mut parameters = QuestionParameters::parameters();
    parameters.retain(|parameter| !["position", "normalize"].contains(&parameter.name));
    parameters
}

/// All operations.
const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/v1/puzzles",
        method: "get",
        summary: "List all puzzles.",
        parameters: NoParameters::parameters,
        answer: OperationAnswer::List(&["puzzle"]),
    },
    Operation {
        path: "/api/v1/shapes",
        method: "get",
        summary: "List the shapes of the Square-1 family, with the counts of the tables that exist.",
        parameters: NoParameters::parameters,
        answer: OperationAnswer::Json(&["shapes"]),
    },
    Operation {
        path: "/api/v1/tables",
        method: "get",
        summary: "List all tables and their states.",
        parameters: NoParameters::parameters,
        answer: OperationAnswer::List(&["table"]),
    },
    Operation {
        path: "/api/v1/builds",
        method: "get",
        summary: "List all tables with the state of their builds (ready, building, queued, missing or failed), and the cost of a build.",
        parameters: NoParameters::parameters,
        answer: OperationAnswer::List(&["table-build"]),
    },
    Operation {
        path: "/api/v1/tables/{table}/build",
        method: "post",
        summary: "Queue the build of a table. Needs serve --allow-build; rejects pages of other origins.",
        parameters: NoParameters::parameters,
        answer: OperationAnswer::Json(&["table-build"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/query",
        method: "get",
        summary: "Show a position's distance, a shortest solution and the next moves.",
        parameters: QuestionParameters::parameters,
        answer: OperationAnswer::Json(&["query"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solutions",
        method: "get",
        summary: "List all shortest solutions, one per line. The last line gives their number, and whether there are more.",
        parameters: SolutionsParameters::parameters,
        answer: OperationAnswer::Lines(&[&["solution"], &["solutions-end"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/solve",
        method: "get",
        summary: "Solve a position and stream the search as events: turned (if a cube was turned first), then solution, depth and nodes. The last events are solved with the result, shortfall if the result misses the request, or error.",
        parameters: SolveParameters::parameters,
        answer: OperationAnswer::Events(&[
            ("turned", &[&["solve-turned"]]),
            ("solution", &[&["solution"]]),
            ("depth", &[&["solve-depth"]]),
            ("nodes", &[&["solve-nodes"]]),
            ("solved", &[&["solution"], &["optimal-cube3"], &["search"]]),
            ("shortfall", &[&["solve-shortfall"]]),
            ("error", &[&["problem"]]),
        ]),
    },
    Operation {
        path: "/api/v1/{puzzle}/steps",
        method: "get",
        summary: "Solve the Rubik's cube in steps, as people do for fewest moves: the best solutions, the shortest first.",
        parameters: StepsParameters::parameters,
        answer: OperationAnswer::List(&["steps"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/insertions",
        method: "get",
        summary: "Solve the Rubik's cube by insertions into moves that nearly solve it: the best solutions, the shortest first.",
        parameters: InsertionsParameters::parameters,
        answer: OperationAnswer::List(&["insertions"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/analysis",
        method: "get",
        summary: "Show the distances of a position of the Rubik's cube, and of its inverse, to the goals of fewest-moves solvers.",
        parameters: AnalysisParameters::parameters,
        answer: OperationAnswer::Json(&["analysis"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/batch",
        method: "post",
        summary: "Query many positions, one per line of the body. Answers one per line, in order.",
        parameters: batch_parameters,
        answer: OperationAnswer::Lines(&[&["query"], &["error"]]),
    },
    Operation {
        path: "/api/v1/{puzzle}/random",
        method: "get",
        summary: "Draw random positions.",
        parameters: RandomParameters::parameters,
        answer: OperationAnswer::List(&["random"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/stats",
        method: "get",
        summary: "Count the positions of a table at each distance.",
        parameters: StatsParameters::parameters,
        answer: OperationAnswer::Json(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/rows",
        method: "get",
        summary: "Count the positions at each distance for each row of a table.",
        parameters: StatsParameters::parameters,
        answer: OperationAnswer::List(&["stats"]),
    },
    Operation {
        path: "/api/v1/{puzzle}/picture.svg",
        method: "get",
        summary: "Draw a position as SVG.",
        parameters: PictureParameters::parameters,
        answer: OperationAnswer::Text("image/svg+xml"),
    },
    Operation {
        path: "/api/v1/{puzzle}/scene",
        method: "get",
        summary: "Describe a position in space, and the solids that each move turns.",
        parameters: SceneParameters::parameters,
        answer: OperationAnswer::Json(&["scene"]),
    },
];

/// The schemas of the document.
const SCHEMAS: &[(&str, &str)] = included!("schema/", ".json",
    "analysis" "error" "insertions" "optimal-cube3" "problem" "puzzle" "query" "random" "scene" "search" "shapes"
    "solution" "solutions-end" "solve-depth" "solve-nodes" "solve-shortfall" "solve-turned" "stats" "steps"
    "table" "table-build"
);

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
    let mut described: Vec<Value> = parameters().into_iter().map(parameter).collect();
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
    let is_number = |parameter: &ParameterInfo| parameter.name == "n";
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
            413 => {
                (operation.parameters)().iter().any(is_number)
                    || operation.path.ends_with("/rows")
                    || operation.method == "post"
            }
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

fn parameter(ParameterInfo { name, mut schema, description }: ParameterInfo) -> Value {
    if name == "table" {
        schema["enum"] = TableId::all().map(TableId::name).collect();
    }
    let required = name == "position";
    let mut parameter =
        json!({ "name": name, "in": "query", "required": required, "description": description, "schema": schema });
    if name == "position" {
        parameter["examples"] = examples(str::to_owned);
    }
    if name == "goal" {
        let goals = Database::puzzle_infos().flat_map(|info| info.goals);
        parameter["examples"] = goals.map(|goal| ((*goal).to_owned(), json!({ "value": goal }))).collect();
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

    #[test]
    fn every_parameter_has_a_description() {
        for operation in OPERATIONS {
            for parameter in (operation.parameters)() {
                assert!(!parameter.description.is_empty(), "{}: {}", operation.path, parameter.name);
            }
        }
    }
}
