// Shows scenes, plays their steps, and turns layers by dragging. Works for every puzzle.

import { drawn } from './dom.js';
import { Camera, along, cross, dot, outwardOf, seenFacets, shrunk, turnedSolid, turnedSolids } from './space.js';

const BODY = '#1a1a1a';
/** A sticker that has no colour yet. */
const UNPAINTED = '#6b717c';
/** The size of a sticker relative to its facet. */
const STICKER = 0.82;
/** The width of a sticker's outline in its own colour: it rounds the corners. */
const OUTLINE = 0.04;
/** The width of the outline of the body: it closes the gaps between pieces. */
const EDGE = 0.012;
/** Milliseconds of a quarter turn. */
const QUARTER = 280;
/** A press that moves this many pixels is a drag. */
const DRAG = 6;

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Waits for the next frame; returns its time. */
const nextFrame = () => new Promise((done) => requestAnimationFrame(() => done(performance.now())));

/** `degrees` plus the whole turns that bring it nearest to `other`. */
const nearestTo = (other, degrees) => degrees + 360 * Math.round((other - degrees) / 360);

export class Player {
  /**
   * @param {HTMLElement} stage receives presses and drags
   * @param {SVGElement} view shows the drawing
   * @param {object} on `choice(choice, degrees)`: a layer was dragged by this angle towards a move; `press(at)`: in edit mode, the
   *   piece or sticker of character `at` was pressed; `swap(from, to)`: a piece was dragged to another; `moved(at)`: the place in
   *   the sequence changed
   */
  constructor(stage, view, on) {
    Object.assign(this, { stage, view, on, camera: new Camera(), at: 0, speed: 1, isEditing: false, chosen: null, wrong: new Map() });
    this.scene = { solids: [], steps: [], choices: [] };
    this.snapshots = [[]];
    stage.addEventListener('pointerdown', (event) => this.#press(event));
    // A finger on the puzzle turns it; beside the puzzle it scrolls the page.
    const hold = (event) => event.target.closest('polygon') && event.preventDefault();
    stage.addEventListener('touchstart', hold, { passive: false });
    stage.addEventListener('pointermove', (event) => this.#drag(event));
    for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, (event) => this.#release(event));
  }

  /** Shows a scene after `at` of its steps. */
  show(scene, at = 0) {
    this.#stop();
    this.scene = scene;
    this.snapshots = [scene.solids];
    for (const step of scene.steps) this.snapshots.push(turnedSolids(this.snapshots.at(-1), step, 1));
    this.at = at;
    this.held = null;
    this.wrong = new Map();
    // A drag that holds a layer of the old scene now turns the view.
    if (this.grip?.kind === 'turn') this.grip.kind = 'look';
    this.draw();
    this.on.moved(this.at);
  }

  /** Shows the scene after `at` of its steps; `at` may be a fraction. */
  seek(at) {
    this.#stop();
    this.#set(at);
  }

  /** Plays to step `number`, at `speed` or at the chosen speed. Resolves to false if something else interrupts. */
  async play(number, speed = null) {
    this.#stop();
    const to = this.#within(number);
    if (isStill()) {
      this.#set(to);
      return true;
    }
    const run = (this.run = {});
    let before = performance.now();
    while (this.at !== to) {
      const now = await nextFrame();
      if (this.run !== run) return false;
      const elapsed = Math.max(0, now - before);
      before = now;
      const step = this.scene.steps[Math.min(Math.floor(to > this.at ? this.at : this.at - 1e-9), this.scene.steps.length - 1)];
      const part = elapsed / this.#time(Math.max(...step.turns.map((turn) => Math.abs(turn.degrees))), speed ?? this.speed);
      this.#set(to > this.at ? Math.min(to, this.at + part) : Math.max(to, this.at - part));
    }
    this.run = null;
    return true;
  }

  /** Whether an animation runs. */
  get isPlaying() {
    return Boolean(this.run);
  }

  /** Makes a possible move; its solids are already turned by `from` degrees. Resolves to false if something else interrupts. */
  async make(choice, from = 0) {
    this.#stop();
    const [{ axis, degrees, solids }] = choice.turns;
    const end = nearestTo(from, degrees);
    const run = (this.run = {});
    if (!isStill()) {
      const start = performance.now();
      const time = this.#time(Math.abs(end - from), this.speed);
      for (let part = 0; part < 1; ) {
        await nextFrame();
        if (this.run !== run) return false;
        part = Math.min(1, (performance.now() - start) / time);
        this.held = { axis, degrees: from + (end - from) * part, solids };
        this.draw();
      }
    }
    this.held = { axis, degrees: end, solids };
    this.run = null;
    this.draw();
    return true;
  }

  /** Releases the held solids: they return to their place in the scene. */
  drop() {
    this.held = null;
    this.draw();
  }

  /** Paints the stickers, in the order of their characters, and marks the wrong ones. */
  paint(colours, wrong) {
    this.wrong = wrong;
    for (const solid of this.snapshots[0]) {
      for (const facet of solid.facets) if (facet.at !== undefined) facet.colour = colours[facet.at] ?? UNPAINTED;
    }
    this.draw();
  }

  /** Marks the pieces or stickers of a character. */
  choose(at) {
    this.chosen = at;
    this.draw();
  }

  /** Turns the view. */
  look(right, above) {
    this.camera.turnTo(this.camera.angle + right, this.camera.above + above);
    this.draw();
  }

  /** Looks at the puzzle as at first. A tetrahedron is turned until two of its sides are seen. */
  resetView() {
    const stickers = this.scene.solids.flatMap(({ facets }) => facets.filter(({ colour }) => colour));
    const sides = new Set(stickers.map(({ corners }) => outwardOf(corners).map((part) => Math.round(part * 9)).join()));
    this.camera = new Camera(...(sides.size === 4 ? [48] : []));
    this.draw();
  }

  /** The solids in their current places. */
  #solids() {
    const whole = Math.min(Math.floor(this.at), this.snapshots.length - 1);
    const part = this.at - whole;
    let solids = this.snapshots[whole];
    if (part > 0) solids = turnedSolids(solids, this.scene.steps[whole], part);
    if (!this.held) return solids;
    const { axis, degrees, solids: numbers } = this.held;
    const held = new Set(numbers);
    return solids.map((solid, number) => (held.has(number) ? turnedSolid(solid, axis, degrees) : solid));
  }

  draw() {
    const tiles = [];
    for (const { solid, facet, corners } of seenFacets(this.#solids(), this.camera.eye)) {
      const { colour, at } = this.snapshots[0][solid].facets[facet];
      tiles.push({ corners, fill: BODY, solid, facet });
      if (colour) tiles.push({ corners: shrunk(corners, STICKER), fill: colour, solid, facet, at });
    }
    while (this.view.childElementCount > tiles.length) this.view.lastElementChild.remove();
    while (this.view.childElementCount < tiles.length) this.view.append(drawn('polygon'));
    tiles.forEach((tile, number) => {
      const polygon = this.view.children[number];
      const points = tile.corners.map((corner) => this.camera.point(corner).map((part) => part.toFixed(4)).join(',')).join(' ');
      polygon.setAttribute('points', points);
      polygon.setAttribute('fill', tile.fill);
      polygon.setAttribute('stroke', tile.fill);
      polygon.setAttribute('stroke-width', tile.fill === BODY ? EDGE : OUTLINE * this.camera.facing(tile.corners));
      polygon.classList.toggle('wrong', this.wrong.has(tile.at));
      polygon.classList.toggle('chosen', tile.at !== undefined && tile.at === this.chosen);
      Object.assign(polygon.dataset, { solid: tile.solid, facet: tile.facet, at: tile.at ?? '' });
    });
  }

  /** The duration of a turn in milliseconds. */
  #time(degrees, speed) {
    return (QUARTER * Math.sqrt(Math.max(degrees, 10) / 90)) / speed;
  }

  /** A number, limited to the steps of the scene. */
  #within(at) {
    return Math.max(0, Math.min(this.scene.steps.length, at));
  }

  #set(at) {
    this.at = this.#within(at);
    this.draw();
    this.on.moved(this.at);
  }

  #stop() {
    this.run = null;
  }

  /** The position of a pointer in the picture. */
  #point(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.view.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  /** The facet under a pointer. */
  #target(event) {
    const { solid, facet, at } = document.elementFromPoint(event.clientX, event.clientY)?.closest('polygon')?.dataset ?? {};
    return solid === undefined ? null : { solid: Number(solid), facet: Number(facet), at: at === '' ? null : Number(at) };
  }

  #press(event) {
    if (event.button !== 0 || this.grip) return;
    this.stage.setPointerCapture(event.pointerId);
    this.grip = { id: event.pointerId, start: [event.clientX, event.clientY], last: [event.clientX, event.clientY] };
    this.grip.target = this.#target(event);
    this.grip.from = this.#point(event);
  }

  #drag(event) {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.id) return;
    const [x, y] = [event.clientX - grip.start[0], event.clientY - grip.start[1]];
    if (!grip.kind) {
      if (Math.hypot(x, y) < DRAG) return;
      grip.kind = this.#kindOfDrag(grip, event);
    }
    if (grip.kind === 'look') {
      this.look((grip.last[0] - event.clientX) * 0.5, (event.clientY - grip.last[1]) * 0.5);
    } else if (grip.kind === 'turn') {
      const [right, down] = this.#point(event).map((part, number) => part - grip.from[number]);
      const { axis, solids, way } = grip.turn;
      const radians = (right * way[0] + down * way[1]) / (way[0] ** 2 + way[1] ** 2);
      this.held = { axis, solids, degrees: (radians * 180) / Math.PI };
      this.draw();
    }
    grip.last = [event.clientX, event.clientY];
  }

  /** The effect of a drag: swap pieces, turn a layer, or turn the view. */
  #kindOfDrag(grip, event) {
    if (!grip.target) return 'look';
    if (this.isEditing) return 'swap';
    if (this.isPlaying || this.at !== this.scene.steps.length) return 'look';
    grip.turn = this.#turnOfDrag(grip, this.#point(event));
    return grip.turn ? 'turn' : 'look';
  }

  /** The turn that moves the held point best along the drag, in the plane of its facet. */
  #turnOfDrag({ target, from }, to) {
    const drag = [to[0] - from[0], to[1] - from[1]];
    const { corners } = this.snapshots.at(-1)[target.solid].facets[target.facet];
    const place = this.camera.onFacet(from, corners);
    const outward = outwardOf(corners);
    const all = this.snapshots[0].length;
    let best = null;
    for (const choice of this.scene.choices) {
      const [turn] = choice.turns;
      if (choice.turns.length !== 1 || !turn.solids.includes(target.solid) || turn.solids.length === all) continue;
      const speed = along(cross(turn.axis, place), outward);
      const near = this.camera.point(place);
      const far = this.camera.point(place.map((part, number) => part + speed[number] * 0.01));
      const way = [(far[0] - near[0]) * 100, (far[1] - near[1]) * 100];
      const length = Math.hypot(...way);
      // A point near the axis, or one that moves towards the eye, gives no direction on the screen.
      if (length < 0.25) continue;
      const score = Math.abs(drag[0] * way[0] + drag[1] * way[1]) / length;
      if (!best || score > best.score + 1e-9) best = { score, axis: turn.axis, solids: turn.solids, way };
    }
    return best;
  }

  #release(event) {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.id) return;
    this.grip = null;
    const { target, kind } = grip;
    if (event.type === 'pointercancel') {
      this.drop();
    } else if (!kind) {
      if (this.isEditing && target?.at !== null && target) this.on.press(target.at);
    } else if (kind === 'swap') {
      const to = this.#target(event);
      if (to && to.at !== null && target.at !== null) this.on.swap(target.at, to.at);
    } else if (kind === 'turn') {
      this.#letGo(grip.turn);
    }
  }

  /** Makes the move nearest to the angle of the held solids, or none. */
  #letGo({ axis, solids }) {
    const { degrees } = this.held;
    const sign = ({ turns: [turn, ...more] }) => {
      const isOfThese = turn.solids.length === solids.length && turn.solids.includes(solids[0]);
      return more.length === 0 && isOfThese ? Math.round(dot(turn.axis, axis)) : 0;
    };
    let best = { distance: Math.abs(degrees - nearestTo(degrees, 0)), choice: null };
    for (const choice of this.scene.choices) {
      const way = sign(choice);
      if (way === 0) continue;
      const distance = Math.abs(degrees - nearestTo(degrees, choice.turns[0].degrees * way));
      if (distance < best.distance) best = { distance, choice, way };
    }
    if (best.choice) {
      this.on.choice(best.choice, degrees * best.way);
    } else {
      this.drop();
    }
  }
}
