// What the reductions ask of a particle: whether it is meant, where it is from the centre, how it moves, which pixel or ring
// it is in; and how a sum is kept: 64 bits of two words, fixed point scaled by a power of two from the largest value.
//#import "../../lib/grid.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "../../lib/box-image.wgsl"
//#expects ISOLATED, RUN, MOST_RANGES, SCALES_AT

struct Side { // of a map
  axis: u32,
  start: u32, // first unit, and the box that it is in
  startBox: i32,
  pixels: u32,
  table: u32, // where in `table` the last units of its pixels begin
  perUnit: f32, // pixels
  unused: vec2u,
}

struct Request {
  centre: vec3u,
  centreImage: u32,
  velocity: vec3f,
  radius2: f32, // of the sphere [boxes²]
  right: Side,
  up: Side,
  box: f32, // [length]
  farthest: f32, // outermost ring [length]
  flat: u32,
  edges: u32, // in `table`, squares [boxes²]
  level: u32, // of ranks
  chosen: u32, // leading bits
  rangeCount: u32, // 0: all particles
  depth: u32, // axis along which a map looks
  across: vec4f, // rows of the turn into the frame of rings: two axes in their plane, and the normal
  along: vec4f,
  normal: vec4f, // fourth: height of rings on either side of their plane [boxes]
  ranges: array<vec4u, MOST_RANGES>, // first id and the one past the last
}

@group(0) @binding(0) var<uniform> request: Request;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> massUnits: array<u32>; // unequal masses
@group(0) @binding(6) var<storage, read> accelerations: array<f32>; // [N, 3]
@group(0) @binding(7) var<storage, read> table: array<u32>; // last units of pixels, or squares of edges
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;

const GROUP = 64u;
const NOWHERE = 0xffffffffu;

// First slot of an invocation and the one past its last.
fn slots(invocation: Invocation) -> vec2u {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  return vec2u(first, min(first + u32(RUN), arrayLength(&ids)));
}

fn wanted(slot: u32) -> bool {
  if (request.rangeCount == 0u) { return true; }
  let id = ids[slot];
  for (var i = 0u; i < request.rangeCount; i++) {
    if (id >= request.ranges[i].x && id < request.ranges[i].y) { return true; }
  }
  return false;
}

// From the centre [boxes].
fn separation(slot: u32) -> vec3f {
  let u = positionOf(slot);
  if (ISOLATED) {
    let boxes = imageOffsets(imageOf(slot)) - imageOffsets(request.centreImage);
    let within = vec3i(u >> vec3u(1u)) - vec3i(request.centre >> vec3u(1u));
    return vec3f(boxes) + vec3f(within) * 0x1p-31;
  }
  return vec3f(bitcast<vec3i>(u - request.centre)) * 0x1p-32;
}

// A vector in the frame of the rings.
fn turned(d: vec3f) -> vec3f {
  return vec3f(dot(d, request.across.xyz), dot(d, request.along.xyz), dot(d, request.normal.xyz));
}

// Squared distance [boxes²].
fn distance2(slot: u32) -> f32 {
  let d = separation(slot);
  return d.x * d.x + d.y * d.y + select(d.z * d.z, 0.0, request.flat != 0u);
}

fn velocityOf(slot: u32) -> vec3f {
  return vec3f(velocities[3u * slot], velocities[3u * slot + 1u], velocities[3u * slot + 2u]);
}

fn accelerationOf(slot: u32) -> vec3f {
  return vec3f(accelerations[3u * slot], accelerations[3u * slot + 1u], accelerations[3u * slot + 2u]);
}

// A 64-bit total of two words.
fn addWide(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&totals[at], term.x) > ~term.x);
  let high = term.y + carry;
  if (high != 0u) { atomicAdd(&totals[at + 1u], high); }
}

// The pixel on one side of the map.
fn pixelOn(side: Side, u: vec3u, boxes: vec3i) -> u32 {
  let units = u[side.axis] - side.start;
  if (ISOLATED) {
    let borrow = select(0, 1, u[side.axis] < side.start);
    if (boxes[side.axis] - side.startBox != borrow) { return NOWHERE; }
  }
  if (units > table[side.table + side.pixels - 1u]) { return NOWHERE; }
  // A float32 is right to a thousandth of a pixel.
  let pixel = min(u32(f32(units) * side.perUnit), side.pixels - 1u);
  if (units > table[side.table + pixel]) { return pixel + 1u; }
  if (pixel > 0u && units <= table[side.table + pixel - 1u]) { return pixel - 1u; }
  return pixel;
}

fn largestValue(which: i32) -> f32 {
  return sqrt(bitcast<f32>(atomicLoad(&totals[which])));
}

// For the host, which is not to work them out anew.
fn keepScale(which: u32, scale: f32, invocation: Invocation) {
  if (flatIndex(invocation, GROUP) == 0u) { atomicStore(&totals[u32(SCALES_AT) + which], bitcast<u32>(scale)); }
}

// Bin of a squared distance among the edges.
fn binOf(r2: f32) -> u32 {
  let edges = request.edges;
  if (r2 < bitcast<f32>(table[0]) || r2 >= bitcast<f32>(table[edges - 1u])) { return NOWHERE; }
  var low = 0u;
  var high = edges - 1u;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (r2 < bitcast<f32>(table[middle])) { high = middle; } else { low = middle; }
  }
  return low;
}
