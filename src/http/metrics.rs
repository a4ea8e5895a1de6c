//! Metrics of a server, for Prometheus.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::Service;
use super::jobs::Lane;
use super::listen::Connections;
use super::pace::{Awaited, GivenUp};
use super::problem::HttpProblem;
use super::transfer::Transfers;

/// The media type of `/metrics`.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Labels of the request counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    status: u16,
}

/// Labels of the time histogram.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

/// The metrics of a server.
#[derive(Debug)]
pub(super) struct ServeMetrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
}

impl ServeMetrics {
    pub fn new(resources: Resources) -> Self {
        let mut registry = Registry::with_prefix("twistbase");
        let requests = Family::<RequestLabels, Counter>::default();
        let seconds: Family<RouteLabels, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.0001, 4.0, 9)));
        registry.register("requests", "Requests answered", requests.clone());
        registry.register("request_seconds", "Time to the head of an answer", seconds.clone());
        registry.register_collector(Box::new(resources));
        Self { registry, requests, seconds }
    }
}

/// The resources that requests share, and their use.
#[derive(Debug)]
pub(super) struct Resources {
    pub lanes: [(&'static str, Lane); 3],
    pub connections: Arc<Connections>,
    pub transfers: Arc<Transfers>,
}

impl Collector for Resources {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Self { lanes, connections, transfers } = self;
        let loads = lanes.each_ref().map(|(lane, work)| (*lane, work.load()));
        let mut gauge = |name, help, values: &[(&'static str, &'static str, usize)]| {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            values.iter().try_for_each(|&(label, value, number)| {
                ConstGauge::new(number as i64).encode(metric.encode_family(&[(label, value)])?)
            })
        };
        gauge("running", "Running jobs", &loads.map(|(lane, [running, _])| ("lane", lane, running)))?;
        gauge("waiting", "Waiting jobs", &loads.map(|(lane, [_, waiting])| ("lane", lane, waiting)))?;
        let [open, reserved] = [&connections.places, &connections.reserve].map(|places| places.count());
        gauge("connections", "Connections", &[("place", "open", open), ("place", "reserved", reserved)])?;
        gauge(
            "transfer_bytes",
            "Bytes of bodies and answers in transfer",
            &[("state", "reserved", transfers.reserved())],
        )?;
        let mut counter = |name, help, values: &[(&'static str, &'static str, u64)]| {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            values.iter().try_for_each(|&(label, value, number)| {
                ConstCounter::new(number).encode(metric.encode_family(&[(label, value)])?)
            })
        };
        let [first, second, third] = lanes.each_ref().map(|(lane, work)| ("by", *lane, work.refused()));
        let others = [("by", "transfer", transfers.refused()), ("by", "connections", connections.refused())];
        counter(
            "refused",
            "Requests and connections refused: too much to do",
            &[&[first, second, third], &others[..]].concat(),
        )?;
        let both = [&connections.places.given_up, &connections.reserve.given_up];
        let sum = |count: &dyn Fn(&GivenUp) -> u64| both.iter().map(|given_up| count(given_up)).sum();
        let slow = Awaited::ALL.map(|awaited| {
            let number = sum(&|given_up| given_up.slow[awaited as usize].load(Ordering::Relaxed));
            ("reason", awaited.name(), number)
        });
        let room = ("reason", "room", sum(&|given_up| given_up.for_room.load(Ordering::Relaxed)));
        let help = "Connections dropped: a slow head, body or reader, or to make room";
        counter("dropped", help, &[&slow[..], &[room]].concat())
    }
}

/// Counts an answered request.
pub(super) async fn count(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    // The path is no label: its values are unbounded.
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let (route, started) = (path.unwrap_or_else(|| "other".to_owned()), Instant::now());
    let response = next.run(request).await;
    let metrics = &service.metrics;
    metrics.seconds.get_or_create(&RouteLabels { route: route.clone() }).observe(started.elapsed().as_secs_f64());
    metrics.requests.get_or_create(&RequestLabels { route, status: response.status().as_u16() }).inc();
    response
}

/// `GET /metrics`.
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Result<Response, HttpProblem> {
    let mut text = String::new();
    encode(&mut text, &service.metrics.registry).map_err(|_| HttpProblem::internal())?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}
