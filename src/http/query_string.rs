//! Query strings as structures. Errors name the parameter and its possible values.

use std::fmt;

use axum::extract::Query;
use axum::http::Uri;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

/// The error of a query string; for a value alone, its possible values.
#[derive(Debug)]
pub(super) struct QueryError(String);

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QueryError {}

impl Error for QueryError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self(reason.to_string())
    }

    fn unknown_field(name: &str, own: &'static [&'static str]) -> Self {
        let own: Vec<_> = own.iter().map(|name| format!("?{name}=")).collect();
        match own.is_empty() {
            true => Self(format!("there is no ?{name}= here: this address has no parameters")),
            false => Self(format!("there is no ?{name}= here; there are: {}", own.join(", "))),
        }
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("?{name}= is missing"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self(format!("?{name}= is given more than once"))
    }
}

/// Reads the query string of an address.
pub(super) fn read<T: DeserializeOwned>(uri: &Uri) -> Result<T, QueryError> {
    // Any text parses as a list of pairs.
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(QueryError::custom)?.0;
    T::deserialize(QueryPairs { pairs: &pairs })
}

/// Names and values not read yet.
struct QueryPairs<'a> {
    pairs: &'a [(String, String)],
}

impl<'de> Deserializer<'de> for QueryPairs<'_> {
    type Error = QueryError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for QueryPairs<'_> {
    type Error = QueryError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, QueryError> {
        let next = self.pairs.first();
        next.map(|(name, _)| seed.deserialize(StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, QueryError> {
        let ((name, text), rest) = self.pairs.split_first().ok_or_else(|| QueryError::custom("a name has no value"))?;
        self.pairs = rest;
        seed.deserialize(QueryValue(text))
            .map_err(|QueryError(own)| QueryError(format!("?{name}= is {own}, not {text:?}")))
    }
}

/// The text of a parameter.
struct QueryValue<'a>(&'a str);

impl<'de> Deserializer<'de> for QueryValue<'_> {
    type Error = QueryError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_bool(self.0.parse().map_err(|_| QueryError::custom("true or false"))?)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// A whole number from `LEAST` to `MOST`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Between<T, const LEAST: u64, const MOST: u64>(pub T);

impl<'de, T: TryFrom<u64>, const LEAST: u64, const MOST: u64> Deserialize<'de> for Between<T, LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = String::deserialize(deserializer)?.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.map(Self).ok_or_else(|| D::Error::custom(format_args!("a whole number from {LEAST} to {MOST}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct SampleQuery {
        text: String,
        length: Option<Between<u8, 2, 30>>,
        count: Option<Between<u64, 0, { u64::MAX }>>,
        all: bool,
    }

    fn sample(query: &str) -> Result<SampleQuery, String> {
        read(&format!("/path?{query}").parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn query_strings_are_read() {
        let SampleQuery { text, length, count, all } =
            sample("text=R+U%27&length=30&all=true&count=18446744073709551615").unwrap();
        assert_eq!((text.as_str(), all), ("R U'", true));
        assert!(length.is_some_and(|Between(length)| length == 30) && count.is_some_and(|Between(n)| n == u64::MAX));
        assert!(sample("").is_ok_and(|none| none.text.is_empty() && none.length.is_none() && !none.all));
    }

    #[test]
    fn refusals_name_the_parameter_and_what_it_may_be() {
        for (query, reason) in [
            ("length=31", "?length= is a whole number from 2 to 30, not \"31\""),
            ("length=1", "?length= is a whole number from 2 to 30, not \"1\""),
            ("length=", "?length= is a whole number from 2 to 30, not \"\""),
            ("count=-1", "?count= is a whole number from 0 to 18446744073709551615, not \"-1\""),
            ("all=yes", "?all= is true or false, not \"yes\""),
            ("colour=red", "there is no ?colour= here; there are: ?text=, ?length=, ?count=, ?all="),
            ("text=a&text=b", "?text= is given more than once"),
        ] {
            assert_eq!(sample(query).unwrap_err(), reason);
        }
    }
}
