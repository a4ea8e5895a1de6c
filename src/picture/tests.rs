use std::collections::BTreeSet;

use super::*;

/// Where which colour is, whatever solids it is on.
pub(crate) fn stickers(solids: &[Solid]) -> BTreeSet<([i64; 3], String)> {
    let facets = solids.iter().flat_map(|solid| &solid.facets);
    let sticker = |facet: &Facet| {
        let middle: [f64; 3] = Vector::centroid(facet.corners.iter().copied()).into();
        facet.colour.map(|colour| (middle.map(|part| (part * 1000.0).round() as i64), colour.to_string()))
    };
    facets.filter_map(sticker).collect()
}
