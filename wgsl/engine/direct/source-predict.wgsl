// Sources at a common time, each from its own: with h = T − t,
//   x + v h + a h²/2 + j h³/6,  v + a h + j h²/2,  a + j h
// by Horner's rule in pairs of float32 (Portegies Zwart+ 2007, eqs. 3 and 4). Words of a record:
// src/engine/direct/source-records.ts. Bodies are written as words, whatever the order of the force.
//#import "../../lib/grid.wgsl"
//#import "../../lib/double-single.wgsl"
//#expects RECORD (the same of a record), BODY (vectors of four words in a body)

struct Moment {
  count: u32,
  own: u32, // 1: every source stays at its own time
  time: f32,
  timeLow: f32,
  zero: u32,
}

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> records: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> bodies: array<vec4u>;

const GROUP = 64u;
const THIRD = Pair(0.333333343, -9.93410776e-9);

fn vectorOf(word: vec4u) -> vec3f {
  return bitcast<vec3f>(word.xyz);
}

// term·h + rest
fn step3(term: Pair3, h: Pair, rest: Pair3) -> Pair3 {
  return pairAdd3(pairScale3(term, h), rest);
}

@compute @workgroup_size(GROUP)
fn predict(invocation: Invocation) {
  pairZero = moment.zero;
  let i = flatIndex(invocation, GROUP);
  if (i >= moment.count) { return; }
  let at = i * RECORD;
  let place = records[at];
  let placeLow = records[at + 1u];
  let motion = records[at + 2u];
  let motionLow = records[at + 3u];
  var x = Pair3(vectorOf(place), vectorOf(placeLow));
  var v = Pair3(vectorOf(motion), vectorOf(motionLow));
  var a = Pair3(vectorOf(records[at + 4u]), vectorOf(records[at + 5u]));
  if (moment.own == 0u) {
    let j = Pair3(vectorOf(records[at + 6u]), vectorOf(records[at + 7u]));
    let own = Pair(bitcast<f32>(motion.w), bitcast<f32>(motionLow.w));
    let h = pairSubtract(Pair(moment.time, moment.timeLow), own);
    let half = Pair(0.5 * h.high, 0.5 * h.low);
    let third = pairMultiply(h, THIRD);
    x = step3(step3(step3(j, third, a), half, v), h, x);
    v = step3(step3(j, half, a), h, v);
    a = step3(j, h, a);
  }
  let to = i * BODY;
  bodies[to] = vec4u(bitcast<vec3u>(x.high), place.w);
  bodies[to + 1u] = vec4u(bitcast<vec3u>(x.low), placeLow.w);
  if (BODY > 2u) { bodies[to + 2u] = vec4u(bitcast<vec3u>(v.high), 0u); }
  if (BODY > 3u) { bodies[to + 3u] = vec4u(bitcast<vec3u>(a.high), 0u); }
}
