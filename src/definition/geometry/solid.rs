//! The Platonic solids and boxes, with the names that puzzles give their faces.

use twistbase_core::math::vector::Vector;

/// How near two places are that are one.
pub(super) const NEAR: f64 = 1e-6;

/// The largest size of a box.
const LARGEST_SIZE: usize = 13;

/// A Platonic solid or a box around the origin. The farthest faces are at distance 1.
#[derive(Debug)]
pub(super) struct Solid {
    pub faces: Vec<Face>,
    /// What can be turned: around faces, vertices and edges.
    pub grips: Vec<Grip>,
}

/// A face of the solid that a puzzle is cut from.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// Its usual name: `U`, `BR`.
    pub name: &'static str,
    /// Its direction, of length 1.
    pub normal: Vector,
    /// Its corners, anticlockwise for whoever looks at it from outside.
    pub corners: Vec<Vector>,
}

/// What a layer is turned around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GripKind {
    Face,
    Vertex,
    Edge,
}

/// A face, a vertex or an edge, as that around which layers turn.
#[derive(Debug)]
pub(super) struct Grip {
    pub kind: GripKind,
    pub name: String,
    /// Out of the solid, of length 1.
    pub direction: Vector,
    /// How far the solid reaches in that direction.
    pub reach: f64,
    /// The number of turns that make a whole one. Each takes the solid to itself.
    pub order: u32,
}

/// A plane around a grip, by its number, at a distance from the centre.
pub(super) type Cut = (usize, f64);

impl Solid {
    /// The solid of a word: of a letter, or a box. A box comes with its cuts.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of_word(word: &str) -> Result<(Self, Vec<Cut>), String> {
        if let Some(solid) = Self::of_letter(word) {
            return Ok((solid, Vec::new()));
        }
        let is_size = |size: &&str| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
        let sizes: Vec<&str> = word.split('x').filter(is_size).collect();
        if sizes.len() != 3 || word.len() != sizes.concat().len() + 2 {
            return Err("the first word is the solid: t, c, o, d, i, or a box such as 3x3x2".to_owned());
        }
        let size = |size: &&str| size.parse().ok().filter(|size| (1..=LARGEST_SIZE).contains(size));
        let Some(&[width, depth, height]) = sizes.iter().map(size).collect::<Option<Vec<usize>>>().as_deref() else {
            return Err(format!("each size of a box is 1 to {LARGEST_SIZE}"));
        };
        let longest = width.max(depth).max(height);
        if longest == 1 {
            return Err("a box of one piece has no layers: one size must be 2 or more".to_owned());
        }
        let solid = Self::of_box([width, depth, height].map(|size| size as f64 / longest as f64));
        let cuts = [("U", height), ("F", depth), ("R", width)].into_iter().flat_map(|(name, size)| {
            let grip = solid.grips.iter().position(|grip| grip.name == name).expect("a face of each box");
            (1..size).map(move |layer| (grip, (size as f64 - 2.0 * layer as f64) / longest as f64))
        });
        let cuts = cuts.collect();
        Ok((solid, cuts))
    }

    /// A box whose faces are at these distances: R, F and U.
    fn of_box([right, front, up]: [f64; 3]) -> Self {
        let planes = [
            ("U", [0., 1., 0.], up),
            ("D", [0., -1., 0.], up),
            ("F", [0., 0., 1.], front),
            ("B", [0., 0., -1.], front),
            ("R", [1., 0., 0.], right),
            ("L", [-1., 0., 0.], right),
        ];
        Self::of_faces(&planes.map(|(name, [x, y, z], distance)| (name, Vector::new(x, y, z).times(1.0 / distance))))
    }

    /// The solid of a letter: tetrahedron, cube, octahedron, dodecahedron, icosahedron.
    pub fn of_letter(letter: &str) -> Option<Self> {
        let vector = |[x, y, z]: [f64; 3]| Vector::new(x, y, z).unit();
        let named = |names: &[&'static str], normals: &[[f64; 3]]| {
            names.iter().copied().zip(normals.iter().copied().map(vector)).collect::<Vec<_>>()
        };
        Some(match letter {
            "t" => {
                let (level, around) = (1.0 / 3.0, 8.0_f64.sqrt() / 3.0);
                let [(front, _), (left, _), (right, _)] = [("F", 0.0), ("BL", 240.0), ("BR", 120.0)];
                let mut faces = vec![("D", Vector::new(0.0, -1.0, 0.0))];
                faces.extend(
                    [(front, 0.0), (left, 240.0), (right, 120.0)]
                        .map(|(name, degrees)| (name, around_y(level, around, degrees))),
                );
                Self::of_faces(&faces)
            }
            "c" => Self::of_box([1.0; 3]),
            // A vertex is in front, as the FTO is held.
            "o" => {
                let (far, near) = ((2.0_f64 / 3.0).sqrt(), (1.0_f64 / 3.0).sqrt());
                let faces = named(
                    &["U", "F", "R", "L"],
                    &[[0., far, near], [0., -far, near], [far, 0., near], [-far, 0., near]],
                );
                Self::of_faces(&with_opposites(faces, &["D", "B", "BL", "BR"]))
            }
            "d" => Self::of_faces(&dodecahedron()),
            "i" => {
                const NAMES: [&str; 20] = [
                    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T",
                ];
                let mut vertices = vertices_of(&dodecahedron().map(|(_, normal)| normal));
                // From above, and around from the front to the right.
                let key = |vertex: &Vector| {
                    let [_, height, _] = <[f64; 3]>::from(*vertex);
                    let around = vertex.x.atan2(vertex.z).to_degrees().rem_euclid(360.0);
                    ((-height * 1e3).round() as i64, around.round() as i64)
                };
                vertices.sort_by_key(key);
                Self::of_faces(&NAMES.into_iter().zip(vertices.into_iter().map(Vector::unit)).collect::<Vec<_>>())
            }
            _ => return None,
        })
    }

    /// The solid with these faces: names, and the direction of each, divided by its distance.
    fn of_faces(faces: &[(&'static str, Vector)]) -> Self {
        let (names, poles): (Vec<&str>, Vec<Vector>) = faces.iter().copied().unzip();
        let vertices = vertices_of(&poles);
        let is_on = |vertex: Vector, pole: Vector| (vertex.dot(pole) - 1.0).abs() < NEAR;
        let face = |(name, &pole): (&'static str, &Vector)| {
            let (normal, corners) = (pole.unit(), vertices.iter().copied().filter(|&vertex| is_on(vertex, pole)));
            Face { name, normal, corners: anticlockwise(corners.collect(), normal) }
        };
        let faces: Vec<Face> = names.into_iter().zip(&poles).map(face).collect();
        // Of as many faces around it, the most turns that take the solid to itself.
        let order = |direction: Vector, around: usize| {
            let is_kept = |&turns: &u32| {
                let turned = |pole: &Vector| pole.turned(direction, 360.0 / f64::from(turns));
                poles.iter().map(turned).all(|there| poles.iter().any(|&pole| near(pole, there)))
            };
            (1..=around as u32).rev().find(is_kept).unwrap_or(1)
        };
        let of_face = |(face, &pole): (&Face, &Vector)| Grip {
            kind: GripKind::Face,
            name: face.name.to_owned(),
            direction: face.normal,
            reach: 1.0 / pole.dot(pole).sqrt(),
            order: order(face.normal, face.corners.len()),
        };
        let mut grips: Vec<Grip> = faces.iter().zip(&poles).map(of_face).collect();
        let around = |place: Vector, kind: GripKind| {
            let meeting: Vec<usize> = (0..faces.len()).filter(|&face| is_on(place, poles[face])).collect();
            let (direction, reach) = (place.unit(), place.dot(place).sqrt());
            let name = name_around(&faces, &meeting, direction);
            Grip { kind, name, direction, reach, order: order(direction, meeting.len()) }
        };
        grips.extend(vertices.iter().map(|&vertex| around(vertex, GripKind::Vertex)));
        for face in &faces {
            for (corner, next) in face.corners.iter().zip(face.corners.iter().cycle().skip(1)) {
                let middle = corner.plus(*next).times(0.5);
                let is_new =
                    grips.iter().all(|grip| grip.kind != GripKind::Edge || !near(grip.direction, middle.unit()));
                if is_new {
                    grips.push(around(middle, GripKind::Edge));
                }
            }
        }
        if faces.len() == 4 {
            name_tetrahedron(&mut grips);
        }
        Self { faces, grips }
    }

    /// How far the vertices are from the centre.
    pub fn radius(&self) -> f64 {
        self.grips.iter().map(|grip| grip.reach).fold(0.0, f64::max)
    }
}

/// The vertices of a tetrahedron are called by the direction in which they are: opposite D is U, opposite BR is L.
fn name_tetrahedron(grips: &mut [Grip]) {
    let faces: Vec<Vector> = grips[..4].iter().map(|grip| grip.direction).collect();
    for vertex in grips.iter_mut().filter(|grip| grip.kind == GripKind::Vertex) {
        let opposite = faces.iter().position(|normal| near(normal.times(-1.0), vertex.direction));
        vertex.name = ["U", "B", "R", "L"][opposite.expect("a face is opposite")].to_owned();
    }
}

/// The directions of the faces of the dodecahedron, with the names of the megaminx.
fn dodecahedron() -> [(&'static str, Vector); 12] {
    let (level, around) = (0.2_f64.sqrt(), 2.0 * 0.2_f64.sqrt());
    let ring = [("F", 0.0), ("R", 72.0), ("BR", 144.0), ("BL", 216.0), ("L", 288.0)];
    let mut faces = vec![("U", Vector::new(0.0, 1.0, 0.0))];
    faces.extend(ring.map(|(name, degrees)| (name, around_y(level, around, degrees))));
    let all = with_opposites(faces, &["D", "B", "DL", "FL", "FR", "DR"]);
    all.try_into().expect("six and six")
}

/// The same, then the opposite faces with their names.
fn with_opposites(mut faces: Vec<(&'static str, Vector)>, names: &[&'static str]) -> Vec<(&'static str, Vector)> {
    let opposites: Vec<_> = names.iter().zip(&faces).map(|(&name, (_, normal))| (name, normal.times(-1.0))).collect();
    faces.extend(opposites);
    faces
}

/// A place at a height, so far from the vertical axis, at an angle from the front to the right.
fn around_y(height: f64, far: f64, degrees: f64) -> Vector {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    Vector::new(far * sine, height, far * cosine)
}

/// The vertices of the solid whose faces have these directions, divided by their distances.
fn vertices_of(poles: &[Vector]) -> Vec<Vector> {
    let mut vertices: Vec<Vector> = Vec::new();
    for (one, first) in poles.iter().enumerate() {
        for (two, second) in poles.iter().enumerate().skip(one + 1) {
            for third in &poles[two + 1..] {
                let volume = first.cross(*second).dot(*third);
                if volume.abs() < NEAR {
                    continue;
                }
                // Cramer's rule, with 1 for each right-hand side.
                let sum = second.cross(*third).plus(third.cross(*first)).plus(first.cross(*second));
                let place = sum.times(1.0 / volume);
                let is_inside = poles.iter().all(|pole| pole.dot(place) < 1.0 + NEAR);
                if is_inside && !vertices.iter().any(|&known| near(known, place)) {
                    vertices.push(place);
                }
            }
        }
    }
    vertices
}

pub(super) fn near(one: Vector, other: Vector) -> bool {
    let way = one.from(other);
    way.dot(way) < NEAR * NEAR
}

/// Corners of a convex polygon in their order around its middle, for whoever looks against `outward`.
pub(super) fn anticlockwise(mut corners: Vec<Vector>, outward: Vector) -> Vec<Vector> {
    let middle = Vector::centroid(corners.iter().copied());
    let Some(&first) = corners.first() else { return corners };
    let right = first.from(middle).unit();
    let up = outward.cross(right);
    let angle = |corner: &Vector| {
        let way = corner.from(middle);
        way.dot(up).atan2(way.dot(right)).rem_euclid(std::f64::consts::TAU)
    };
    // The first corner's own angle may be a hair below a whole turn.
    corners[1..].sort_by(|one, other| angle(one).total_cmp(&angle(other)));
    corners
}

/// A name from faces around a direction: anticlockwise, from the first in the order of faces on.
pub(super) fn name_around(faces: &[Face], meeting: &[usize], direction: Vector) -> String {
    let Some(&first) = meeting.iter().min() else { return String::new() };
    let flat = |face: usize| faces[face].normal.from(direction.times(faces[face].normal.dot(direction)));
    let right = flat(first);
    let up = direction.cross(right);
    let angle = |&face: &usize| match face == first {
        true => 0.0,
        false => flat(face).dot(up).atan2(flat(face).dot(right)).rem_euclid(std::f64::consts::TAU),
    };
    let mut around = meeting.to_vec();
    around.sort_by(|one, other| angle(one).total_cmp(&angle(other)));
    around.iter().map(|&face| faces[face].name).collect()
}
