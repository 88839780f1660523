// Counts particles in the pixels of a picture: integers, so that the order in which they come doesn't matter. For pictures
// of motion also Σ w (v + 2^16) and Σ w v² of the velocity along the line of sight, 64 bits each, in units of the fastest
// velocity's power of two.
//#import "../lib/grid.wgsl"
//#import "../lib/wide-product.wgsl"
//#import "project.wgsl"
//#expects GROUP, RUN, PLAIN, SPARSE (every few are drawn), WEIGHTED, MOMENTS, MOST_RANGES, SPEED_BIAS

struct Picture {
  projection: Projection,
  count: u32, // slots of the window
  every: u32,
  rangeCount: u32,
  firstLayer: u32, // layers that this dispatch counts
  layers: u32,
  firstWeight: u32, // ids whose weights are bound
  weights: u32,
  spare: u32,
  ranges: array<vec4u, MOST_RANGES>, // first id, one past the last, layer, whether it is weighted
}

const NOWHERE = 0xffffffffu;

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> weights: array<u32>; // by id
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // [layers, height, width]
@group(0) @binding(7) var<storage, read_write> first: array<atomic<u32>>; // [layers, height, width, 2]
@group(0) @binding(8) var<storage, read_write> second: array<atomic<u32>>; // the same
@group(0) @binding(9) var<uniform> speed: vec4f; // x: units of a velocity

struct Place {
  layer: u32, // NOWHERE: not drawn
  weight: u32,
}

fn placeOf(slot: u32) -> Place {
  if (PLAIN) { return Place(0u, 1u); }
  let id = ids[slot];
  if (SPARSE && id % picture.every != 0u) { return Place(NOWHERE, 0u); }
  let place = id - picture.firstWeight;
  if (WEIGHTED && place >= picture.weights) { return Place(NOWHERE, 0u); }
  for (var i = 0u; i < picture.rangeCount; i++) {
    let range = picture.ranges[i];
    if (id >= range.x && id < range.y) {
      if (WEIGHTED && range.w != 0u) { return Place(range.z, weights[place]); }
      return Place(range.z, 1u);
    }
  }
  return Place(NOWHERE, 0u);
}

// Along the line of sight, below 2^16.
fn speedOf(slot: u32) -> i32 {
  let v = vec3f(velocities[3u * slot], velocities[3u * slot + 1u], velocities[3u * slot + 2u]);
  return dot(picture.projection.away, vec3i(floor(v * speed.x + 0.5))) >> 14u;
}

fn addFirst(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&first[at], term.y) > ~term.y);
  let high = term.x + carry;
  if (high != 0u) { atomicAdd(&first[at + 1u], high); }
}

fn addSecond(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&second[at], term.y) > ~term.y);
  let high = term.x + carry;
  if (high != 0u) { atomicAdd(&second[at + 1u], high); }
}

fn addParticle(at: u32, weight: u32, slot: u32) {
  atomicAdd(&counts[at], weight);
  if (MOMENTS >= 1) {
    let v = speedOf(slot);
    addFirst(2u * at, wideProduct(u32(v + SPEED_BIAS), weight));
    if (MOMENTS >= 2) { addSecond(2u * at, wideProduct(u32(v * v), weight)); }
  }
}

// As often for all invocations, so that compilers unroll it.
@compute @workgroup_size(GROUP)
fn count(invocation: Invocation) {
  let pixels = u32(picture.projection.width * picture.projection.height);
  let begin = flatIndex(invocation, GROUP) * RUN;
  for (var i = 0u; i < RUN; i++) {
    let slot = begin + i;
    if (slot >= picture.count) { break; }
    let place = placeOf(slot);
    let layer = place.layer - picture.firstLayer;
    let pixel = pixelOf(slot, picture.projection);
    if (layer < picture.layers && pixel != NOWHERE) { addParticle(layer * pixels + pixel, place.weight, slot); }
  }
}
