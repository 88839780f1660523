// Forces of potentials that turn, grow, decay or move, at the end of the block in progress (src/physics/potentials/motion.ts has the
// equations). Times are in units of the largest step: whole ones as integers and a part, so that late times are as exact as
// early ones. Angles are fixed point, 2^32 a turn. src/engine/direct/external-potentials.ts packs all of this.
//#import "path-derivatives.wgsl"
//#import "../../lib/elementary.wgsl"
//#import "../../lib/unit-circle.wgsl"
//#import "../../lib/wide-product.wgsl"
//#expects settings, control, potentialForces, TICK, POTENTIALS, CHANGES_BINDING

struct Changes {
  phase: u32, // angle of the frame at time 0
  stepHigh: u32, // what it turns in a largest step, and in a tick: high and low words
  stepLow: u32,
  tickHigh: u32,
  tickLow: u32,
  speed: f32, // [rad/time]
  grows: i32, // whole steps before it grows, and the part
  growsPart: f32,
  growth: f32, // 1/duration, 0: doesn't grow
  decays: i32,
  decaysPart: f32,
  decay: f32, // 1/scale, 0: doesn't decay
  ends: i32,
  endsPart: f32,
  pathFirst: u32, // of the pieces of its centre's path, and how many
  pathCount: u32, // with IS_ACCELERATION: of what is added to a uniform field
}

const IS_ACCELERATION = 0x80000000u;

// A cubic of the centre in s = (t − start)/duration.
struct Piece {
  c0: vec3f,
  start: i32,
  c1: vec3f,
  startPart: f32,
  c2: vec3f,
  perTime: f32, // 1/duration
  c3: vec3f,
  padding: f32,
}

struct Timetable {
  changes: array<Changes, POTENTIALS>,
  pieces: array<Piece>,
}

@group(0) @binding(CHANGES_BINDING) var<storage, read> timetable: Timetable;

// Time since one that is given in whole steps and a part.
fn since(whole: i32, part: f32) -> f32 {
  return f32(i32(control.begun) - whole) + (f32(control.now) * TICK - part);
}

fn turned(v: vec3f, turn: vec2f) -> vec3f {
  return vec3f(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

// ω × v about the z axis.
fn aboutZ(speed: f32, v: vec3f) -> vec3f {
  return speed * vec3f(-v.y, v.x, 0.0);
}

// The factor and its derivatives.
fn factorOf(c: Changes) -> vec3f {
  if (since(c.ends, c.endsPart) >= 0.0) { return vec3f(); }
  var g = vec3f(1.0, 0.0, 0.0);
  if (c.growth > 0.0) {
    let scale = 2.0 * c.growth;
    let xi = fma(since(c.grows, c.growsPart), scale, -1.0);
    if (xi <= -1.0) { return vec3f(); }
    if (xi < 1.0) {
      let square = xi * xi;
      let level = 1.0 - square;
      let value = fma(xi, fma(square, fma(square, 0.1875, -0.625), 0.9375), 0.5);
      g = vec3f(value, 0.9375 * level * level * scale, -3.75 * xi * level * scale * scale);
    }
  }
  let decaying = since(c.decays, c.decaysPart) * c.decay;
  if (decaying > 0.0) {
    let rest = expOf(-decaying);
    let rate = g.y - c.decay * g.x;
    g = rest * vec3f(g.x, rate, fma(-c.decay, g.y + rate, g.z));
  }
  return g;
}

// The last piece of a path that has begun; before the first, the first.
fn pieceOf(c: Changes) -> Piece {
  var low = 0u;
  var high = c.pathCount & ~IS_ACCELERATION;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    let piece = timetable.pieces[c.pathFirst + middle];
    if (since(piece.start, piece.startPart) >= 0.0) { low = middle; } else { high = middle; }
  }
  return timetable.pieces[c.pathFirst + low];
}

// What a centre has moved by, and its derivatives.
struct Displacement {
  x: vec3f,
  v: vec3f,
  a: vec3f,
}

fn displacementOf(c: Changes) -> Displacement {
  if (c.pathCount == 0u) { return Displacement(); }
  let piece = pieceOf(c);
  let s = since(piece.start, piece.startPart) * piece.perTime;
  return Displacement(
    fma(vec3f(s), fma(vec3f(s), fma(vec3f(s), piece.c3, piece.c2), piece.c1), piece.c0),
    piece.perTime * fma(vec3f(s), fma(vec3f(3.0 * s), piece.c3, 2.0 * piece.c2), piece.c1),
    piece.perTime * piece.perTime * fma(vec3f(6.0 * s), piece.c3, 2.0 * piece.c2),
  );
}

fn placedForces(k: u32, position: vec3f, velocity: vec3f, acceleration: vec3f) -> PathDerivatives {
  let potential = settings.potential[k];
  let c = timetable.changes[k];
  let g = factorOf(c);
  if (all(g == vec3f())) { return PathDerivatives(); }
  var centre = displacementOf(c);
  var added = PathDerivatives();
  if (c.pathCount >= IS_ACCELERATION) {
    added = PathDerivatives(centre.x, centre.v, centre.a);
    centre = Displacement();
  }
  let x = position - potential.centre - centre.x;
  let v = velocity - centre.v;
  let a = acceleration - centre.a;
  let ofSteps = c.stepHigh * control.begun + highProduct(c.stepLow, control.begun);
  let angle = c.phase + ofSteps + c.tickHigh * control.now + highProduct(c.tickLow, control.now);
  let turn = unitCircle(angle);
  let into = vec2f(turn.x, -turn.y);
  let w = c.speed;
  let relative = v - aboutZ(w, x);
  let inFrame = potentialForces(
    potential.kind,
    potential.parameters,
    turned(x, into),
    turned(relative, into),
    turned(a - aboutZ(w, v + relative), into),
  );
  let force = inFrame.acceleration + added.acceleration;
  let rate = inFrame.jerk + aboutZ(w, force) + added.jerk;
  let second = inFrame.snap + aboutZ(w, inFrame.jerk + rate) + added.snap;
  return PathDerivatives(
    turned(g.x * force, turn),
    turned(fma(vec3f(g.x), rate, g.y * force), turn),
    turned(fma(vec3f(g.x), second, fma(vec3f(2.0 * g.y), rate, g.z * force)), turn),
  );
}
