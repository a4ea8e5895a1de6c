//! Metrics of a server, for Prometheus.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::Service;
use super::jobs::Lane;
use super::problem::HttpProblem;

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
    pub fn new(lanes: [(&'static str, &Lane); 3]) -> Self {
        let mut registry = Registry::with_prefix("twistbase");
        let requests = Family::<RequestLabels, Counter>::default();
        let seconds: Family<RouteLabels, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.0001, 4.0, 9)));
        registry.register("requests", "Requests answered", requests.clone());
        registry.register("request_seconds", "Time to the head of an answer", seconds.clone());
        let lanes = lanes.map(|(name, lane)| (name, lane.clone())).into();
        registry.register_collector(Box::new(LaneCollector { lanes }));
        Self { registry, requests, seconds }
    }
}

/// Reports the numbers of running and waiting jobs.
#[derive(Debug)]
struct LaneCollector {
    lanes: Vec<(&'static str, Lane)>,
}

impl Collector for LaneCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let states = [("running", "Running jobs"), ("waiting", "Waiting jobs")];
        for (state, (name, help)) in states.into_iter().enumerate() {
            let gauge = ConstGauge::new(0i64);
            let mut metric = encoder.encode_descriptor(name, help, None, gauge.metric_type())?;
            for (lane, load) in self.lanes.iter().map(|(lane, work)| (lane, work.load()[state])) {
                let labels = [("lane", *lane)];
                ConstGauge::new(load as i64).encode(metric.encode_family(&labels)?)?;
            }
        }
        Ok(())
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
