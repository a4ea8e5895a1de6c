// Solids in space and their projection: the same geometry as the library's pictures.

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => times(a, 1 / Math.hypot(...a));

/** A point turned about an axis of length 1 by the right-hand rule (Rodrigues' formula). */
export function turned(place, axis, degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const along = times(axis, dot(axis, place) * (1 - cosine));
  return plus(plus(times(place, cosine), times(cross(axis, place), sine)), along);
}

/** A solid with all its corners turned. */
export function turnedSolid(solid, axis, degrees) {
  const facets = solid.facets.map((facet) => ({
    ...facet,
    corners: facet.corners.map((corner) => turned(corner, axis, degrees)),
  }));
  return { ...solid, facets };
}

/** The solids after a part (0 to 1) of a step. */
export function turnedSolids(solids, step, part) {
  const result = [...solids];
  for (const { axis, degrees, solids: numbers } of step.turns) {
    for (const number of numbers) result[number] = turnedSolid(result[number], axis, degrees * part);
  }
  return result;
}

/** The centre of some corners. */
export function middle(corners) {
  return times(corners.reduce(plus), 1 / corners.length);
}

/** Corners moved towards their centre. */
export function shrunk(corners, factor) {
  const centre = middle(corners);
  return corners.map((corner) => plus(centre, times(minus(corner, centre), factor)));
}

/** The outward normal of a facet, of length 1. */
export function outwardOf(corners) {
  return unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
}

/** The projection of a direction on the plane with a normal of length 1. */
export function along(direction, outward) {
  return minus(direction, times(outward, dot(direction, outward)));
}

/** An eye that looks at the origin. Its angles: to the right of the front, and above. */
export class Camera {
  constructor(right = 28, above = 26) {
    this.turnTo(right, above);
  }

  turnTo(right, above) {
    [this.angle, this.above] = [right, Math.max(-89, Math.min(89, above))];
    const [a, b] = [(this.angle * Math.PI) / 180, (this.above * Math.PI) / 180];
    this.eye = times([Math.sin(a) * Math.cos(b), Math.sin(b), Math.cos(a) * Math.cos(b)], 8);
    this.forward = unit(times(this.eye, -1));
    this.right = unit(cross(this.forward, [0, 1, 0]));
    this.up = cross(this.right, this.forward);
  }

  /** The picture coordinates of a point: right and down. */
  point(place) {
    const way = minus(place, this.eye);
    const scale = 8 / dot(way, this.forward);
    return [dot(way, this.right) * scale, -dot(way, this.up) * scale];
  }

  /** How far a facet faces the eye: 1 if it is seen from right above, 0 from the side. */
  facing(corners) {
    return Math.max(0, dot(outwardOf(corners), unit(minus(this.eye, middle(corners)))));
  }

  /** The direction from the eye through a point of the picture. */
  ray([x, y]) {
    return plus(plus(times(this.right, x), times(this.up, -y)), times(this.forward, 8));
  }

  /** The point where that direction meets the plane of a facet. */
  onFacet(point, corners) {
    const outward = outwardOf(corners);
    const way = this.ray(point);
    return plus(this.eye, times(way, dot(outward, minus(corners[0], this.eye)) / dot(outward, way)));
  }
}

const TOUCHING = 1e-6;

/** The planes of a solid's facets, seen from an eye, and its corners. */
function outline(solid, eye) {
  const planes = solid.facets.map(({ corners }) => {
    const outward = outwardOf(corners);
    const level = dot(outward, corners[0]);
    return { outward, level, isSeen: dot(outward, eye) > level + TOUCHING };
  });
  return { planes, corners: solid.facets.flatMap((facet) => facet.corners) };
}

const isBeyond = ({ outward, level }, corners) => corners.every((corner) => dot(outward, corner) > level - TOUCHING);

/** Whether solid `a` may hide solid `b`: a separating plane has `a` on the eye's side, and none has it on the far side. */
function mayHide(a, b) {
  let near = false;
  for (const plane of a.planes) {
    if (!isBeyond(plane, b.corners)) continue;
    if (plane.isSeen) return false;
    near = true;
  }
  for (const plane of b.planes) {
    if (!isBeyond(plane, a.corners)) continue;
    if (!plane.isSeen) return false;
    near = true;
  }
  return near;
}

/** The visible facets, farthest first: `{ solid, facet, corners }`. Orders whole solids; they are convex and do not overlap. */
export function seenFacets(solids, eye) {
  const outlines = solids.map((solid) => outline(solid, eye));
  const hides = outlines.map((a, i) => outlines.map((b, j) => i !== j && mayHide(a, b)));
  const left = new Set(solids.keys());
  const seen = [];
  while (left.size > 0) {
    const free = [...left].filter((at) => ![...left].some((other) => hides[at][other]));
    for (const at of free.length > 0 ? free : [left.values().next().value]) {
      left.delete(at);
      solids[at].facets.forEach(({ corners }, facet) => {
        if (outlines[at].planes[facet].isSeen) seen.push({ solid: at, facet, corners });
      });
    }
  }
  return seen;
}
