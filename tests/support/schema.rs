//! JSON Schema, as far as `schema/json/` uses it. A keyword that is not here is an error: add it. `tools/check_openapi.py` checks the same
//! schemas with another implementation.

use serde_json::{Map, Number, Value};

use super::pattern::Pattern;

/// A schema, in the document where its references look.
pub struct Schema {
    schema: Value,
    document: Value,
}

impl Schema {
    pub fn new(schema: Value) -> Self {
        Self::within(schema.clone(), schema)
    }

    /// A schema that refers to places of another document. It panics if a keyword is unknown or has a value of the wrong kind.
    pub fn within(schema: Value, document: Value) -> Self {
        let made = Self { schema, document };
        made.expect_sound(&made.schema);
        made
    }

    /// What is wrong with a value, each error with its place.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(&self.schema, value, "", &mut errors);
        errors
    }

    pub fn is_valid(&self, value: &Value) -> bool {
        self.errors(value).is_empty()
    }

    pub fn validate(&self, value: &Value) -> Result<(), String> {
        let errors = self.errors(value);
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }

    fn target(&self, reference: &Value) -> &Value {
        let found = reference.as_str().and_then(|place| self.document.pointer(place.strip_prefix('#')?));
        found.unwrap_or_else(|| panic!("{reference} is nowhere"))
    }

    fn expect_sound(&self, schema: &Value) {
        if schema.is_boolean() {
            return;
        }
        let keywords = schema.as_object().unwrap_or_else(|| panic!("no schema: {schema}"));
        let is_names = |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        for (keyword, rule) in keywords {
            let is_sound = match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" => rule.is_string(),
                "$ref" => self.target(rule).is_object(),
                "const" | "example" => true,
                "enum" | "examples" => rule.as_array().is_some_and(|values| !values.is_empty()),
                "type" => types(rule)
                    .all(|name| ["array", "boolean", "integer", "null", "number", "object", "string"].contains(&name)),
                "minimum" | "maximum" => rule.is_number(),
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" => rule.is_u64(),
                "uniqueItems" => rule.is_boolean(),
                "pattern" => rule.as_str().map(Pattern::new).is_some(),
                "required" => is_names(rule),
                "dependentRequired" => rule.as_object().is_some_and(|rules| rules.values().all(is_names)),
                "items" | "additionalProperties" | "propertyNames" => {
                    self.expect_sound(rule);
                    true
                }
                "oneOf" | "anyOf" => {
                    let choices = rule.as_array().map(Vec::as_slice).unwrap_or_default();
                    choices.iter().for_each(|choice| self.expect_sound(choice));
                    !choices.is_empty()
                }
                "properties" | "$defs" | "patternProperties" => {
                    let members = rule.as_object();
                    members.into_iter().flatten().for_each(|(_, member)| self.expect_sound(member));
                    members.is_some()
                }
                _ => panic!("the keyword {keyword} is unknown: {schema}"),
            };
            assert!(is_sound, "{keyword}: {rule}");
        }
    }

    fn check(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        match schema {
            Value::Object(keywords) => {
                for (keyword, rule) in keywords {
                    self.check_keyword(keywords, keyword, rule, value, place, errors);
                }
            }
            _ if *schema == false => errors.push(format!("{place}: nothing is allowed here: {value}")),
            _ => {}
        }
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check_keyword(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        place: &str,
        errors: &mut Vec<String>,
    ) {
        let limit = || rule.as_u64().expect("checked before") as usize;
        let names = |rule: &Value| rule.as_array().expect("checked before").clone();
        let holds = match (keyword, value) {
            ("$ref", _) => return self.check(self.target(rule), value, place, errors),
            ("const", _) => value == rule,
            ("enum", _) => names(rule).contains(value),
            ("type", _) => types(rule).any(|name| is_of_type(value, name)),
            ("oneOf", _) => names(rule).iter().filter(|choice| self.fits(choice, value)).count() == 1,
            ("anyOf", _) => names(rule).iter().any(|choice| self.fits(choice, value)),
            ("minimum", Value::Number(_)) => !is_less(value, rule),
            ("maximum", Value::Number(_)) => !is_less(rule, value),
            ("pattern", Value::String(text)) => Pattern::new(rule.as_str().expect("checked before")).matches(text),
            ("minLength", Value::String(text)) => text.chars().count() >= limit(),
            ("maxLength", Value::String(text)) => text.chars().count() <= limit(),
            ("minItems", Value::Array(items)) => items.len() >= limit(),
            ("maxItems", Value::Array(items)) => items.len() <= limit(),
            ("uniqueItems", Value::Array(items)) => {
                *rule == false || (1..items.len()).all(|end| !items[..end].contains(&items[end]))
            }
            ("items", Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.check(rule, item, &format!("{place}/{at}"), errors);
                }
                return;
            }
            ("minProperties", Value::Object(members)) => members.len() >= limit(),
            ("required", Value::Object(members)) => has_all(members, rule),
            ("dependentRequired", Value::Object(members)) => {
                let rules = rule.as_object().expect("checked before");
                rules.iter().all(|(name, needed)| !members.contains_key(name) || has_all(members, needed))
            }
            ("propertyNames", Value::Object(members)) => {
                members.keys().all(|name| self.fits(rule, &Value::String(name.clone())))
            }
            ("properties" | "patternProperties" | "additionalProperties", Value::Object(members)) => {
                for (name, member) in members {
                    let named = |kind| of_name(schema, kind, name);
                    let rules = match keyword {
                        "additionalProperties"
                            if ["properties", "patternProperties"].into_iter().all(|kind| named(kind).is_empty()) =>
                        {
                            vec![rule]
                        }
                        "additionalProperties" => Vec::new(),
                        _ => named(keyword),
                    };
                    for rule in rules {
                        self.check(rule, member, &format!("{place}/{name}"), errors);
                    }
                }
                return;
            }
            // Other kinds of values are not restricted, and other keywords say nothing about values.
            _ => true,
        };
        if !holds {
            errors.push(format!("{place}: {keyword} {rule}: {value}"));
        }
    }
}

/// The names of types that a rule allows: one or several.
fn types(rule: &Value) -> impl Iterator<Item = &str> {
    let several = rule.as_array().map(Vec::as_slice).unwrap_or_default();
    several.iter().chain((!rule.is_array()).then_some(rule)).map(|name| name.as_str().unwrap_or_default())
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            name == "number" || name == "integer" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

fn is_less(value: &Value, other: &Value) -> bool {
    match [value, other].map(|value| value.as_number().and_then(Number::as_i128)) {
        [Some(value), Some(other)] => value < other,
        _ => value.as_f64() < other.as_f64(),
    }
}

fn has_all(members: &Map<String, Value>, names: &Value) -> bool {
    names.as_array().expect("checked before").iter().all(|name| members.contains_key(name.as_str().expect("a name")))
}

/// The schemas that `properties` or `patternProperties` have for a member.
fn of_name<'a>(schema: &'a Map<String, Value>, keyword: &str, name: &str) -> Vec<&'a Value> {
    let rules = schema.get(keyword).and_then(Value::as_object).into_iter().flatten();
    let is_meant = |key: &str| if keyword == "properties" { key == name } else { Pattern::new(key).matches(name) };
    rules.filter(|(key, _)| is_meant(key)).map(|(_, rule)| rule).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Of each keyword a value that fits and one that does not.
    #[test]
    fn each_keyword_allows_and_forbids() {
        for (schema, fits, does_not) in [
            (json!({"type": "integer"}), json!(2.0), json!(2.5)),
            (json!({"type": ["string", "null"]}), json!(null), json!(0)),
            (json!({"type": "number"}), json!(0.5), json!("0.5")),
            (json!({"type": "object"}), json!({}), json!([])),
            (json!({"const": 3}), json!(3), json!("3")),
            (json!({"enum": ["a", 1]}), json!(1), json!("b")),
            (json!({"minimum": 0}), json!(0), json!(-1)),
            (json!({"minimum": 0.5}), json!("less"), json!(0.4)),
            (
                json!({"maximum": 9_007_199_254_740_992_u64}),
                json!(9_007_199_254_740_992_u64),
                json!(9_007_199_254_740_993_u64),
            ),
            (json!({"pattern": "^[a-c]+$"}), json!("abc"), json!("abd")),
            (json!({"minLength": 2}), json!("éé"), json!("é")),
            (json!({"maxLength": 1}), json!("é"), json!("éé")),
            (json!({"minItems": 1}), json!([0]), json!([])),
            (json!({"maxItems": 1}), json!([0]), json!([0, 0])),
            (json!({"uniqueItems": true}), json!([0, 1]), json!([0, 1, 0])),
            (json!({"items": {"type": "null"}}), json!([null]), json!([null, 0])),
            (json!({"minProperties": 1}), json!({"a": 0}), json!({})),
            (json!({"required": ["a"]}), json!({"a": 0}), json!({"b": 0})),
            (json!({"dependentRequired": {"a": ["b"]}}), json!({"b": 0}), json!({"a": 0})),
            (json!({"propertyNames": {"maxLength": 1}}), json!({"a": 0}), json!({"ab": 0})),
            (json!({"properties": {"a": {"const": 1}}}), json!({"a": 1, "b": 2}), json!({"a": 2})),
            (json!({"patternProperties": {"^a+$": false}}), json!({"b": 1}), json!({"aa": 1})),
            (
                json!({"properties": {"a": true}, "patternProperties": {"^b+$": true}, "additionalProperties": false}),
                json!({"a": 1, "bb": 2}),
                json!({"a": 1, "c": 2}),
            ),
            (json!({"oneOf": [{"minimum": 1}, {"maximum": 2}]}), json!(0), json!(1)),
            (json!({"anyOf": [{"const": 1}, {"const": 2}]}), json!(2), json!(3)),
            (json!({"$ref": "#/$defs/a", "$defs": {"a": {"const": 1}}}), json!(1), json!(2)),
        ] {
            let schema = Schema::new(schema);
            assert!(schema.is_valid(&fits), "{}: {fits}", schema.schema);
            assert_eq!(schema.errors(&does_not).len(), 1, "{}: {does_not}", schema.schema);
        }
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for schema in [
            json!({"format": "uri"}),
            json!({"items": {"type": "int"}}),
            json!({"properties": {"a": {"minItems": -1}}}),
            json!({"oneOf": []}),
            json!({"$ref": "#/$defs/a"}),
            json!({"pattern": "[a-z]"}),
        ] {
            assert!(std::panic::catch_unwind(|| Schema::new(schema.clone())).is_err(), "{schema}");
        }
    }
}
