//! Places and directions in space.

use serde::Serialize;

/// A place or a direction in space: x to the right, y up, z towards the reader. The puzzle's centre is the origin, and half
/// its edge is the unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "[f64; 3]")]
pub struct Vector {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Towards the reader.
    pub z: f64,
}

impl From<Vector> for [f64; 3] {
    /// Six decimals: more than any screen shows.
    fn from(Vector { x, y, z }: Vector) -> Self {
        [x, y, z].map(|part| (part * 1e6).round() / 1e6 + 0.0)
    }
}

impl Vector {
    /// The origin.
    pub const ORIGIN: Self = Self::new(0.0, 0.0, 0.0);

    /// A vector by its parts.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// The mean of places; the origin if there are none.
    #[must_use]
    pub fn centroid(places: impl IntoIterator<Item = Self>) -> Self {
        let (sum, count) =
            places.into_iter().fold((Self::ORIGIN, 0_u32), |(sum, count), place| (sum.plus(place), count + 1));
        sum.times(1.0 / f64::from(count.max(1)))
    }

    /// The sum of two vectors.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }

    /// The vector `factor` times as long.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The way from another place to this one.
    #[must_use]
    pub fn from(self, other: Self) -> Self {
        self.plus(other.times(-1.0))
    }

    /// The product of the lengths and the cosine between them.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector that is perpendicular to both, by the right-hand rule.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The vector turned about an axis of length 1 by the right-hand rule (Rodrigues' formula).
    #[must_use]
    pub fn turned(self, axis: Self, degrees: f64) -> Self {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let along = axis.times(axis.dot(self) * (1.0 - cosine));
        self.times(cosine).plus(axis.cross(self).times(sine)).plus(along)
    }

    /// The vector of length 1 in the same direction.
    #[must_use]
    pub fn unit(self) -> Self {
        self.times(1.0 / self.dot(self).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_follow_the_right_hand_rule() {
        let up = Vector::new(0.0, 1.0, 0.0);
        let turned: [f64; 3] = Vector::new(0.0, 0.5, 1.0).turned(up, 90.0).into();
        assert_eq!(turned, [1.0, 0.5, 0.0]);
    }

    #[test]
    fn a_centroid_is_the_mean_of_places() {
        let places = [Vector::new(3.0, 0.0, -1.0), Vector::ORIGIN, Vector::new(0.0, 6.0, 4.0)];
        assert_eq!(<[f64; 3]>::from(Vector::centroid(places)), [1.0, 2.0, 1.0]);
        assert_eq!(Vector::centroid([]), Vector::ORIGIN);
    }
}
