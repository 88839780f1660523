// Bodies of the mesh pipeline's particles, by id: fixed point u and a box image to a pair of float32 about the centre
// of the box, x − L/2 = (2³²·image + u − 2³¹)·L/2³².
//#import "../../lib/grid.wgsl"
//#import "../../lib/double-single.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "../../lib/box-image.wgsl"
//#expects IMAGES (whether that buffer holds any), BODY (vectors of four words in a body), VELOCITIES (the same)

struct Mesh {
  count: u32, // of these buffers
  first: u32, // ids in [first, last) belong to this block
  last: u32,
  zero: u32,
  unit: f32, // L/2³²
  unitLow: f32,
}

@group(0) @binding(0) var<uniform> mesh: Mesh;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> ids: array<u32>;
@group(0) @binding(3) var<storage, read> images: array<u32>;
@group(0) @binding(4) var<storage, read> velocities: array<u32>;
@group(0) @binding(5) var<storage, read> masses: array<u32>; // G·m of the block's, by id from its first on
@group(0) @binding(6) var<storage, read_write> bodies: array<vec4u>;

const GROUP = 64u;
const TURN = 4294967296.0;

@compute @workgroup_size(GROUP)
fn convert(invocation: Invocation) {
  pairZero = mesh.zero;
  let i = flatIndex(invocation, GROUP);
  if (i >= mesh.count) { return; }
  let id = ids[i];
  if (id < mesh.first || id >= mesh.last) { return; }
  let u = positionOf(i);
  // u − 2³¹ in two exact parts: multiples of 256, and the last 8 bits.
  let about = bitcast<vec3i>(u ^ vec3u(0x80000000u));
  var place = quickTwoSum3(vec3f(about >> vec3u(8u)) * 256.0, vec3f(u & vec3u(0xffu)));
  if (IMAGES) {
    place = pairAddFloat3(place, vec3f(imageOffsets(images[i])) * TURN);
  }
  let x = pairScale3(place, Pair(mesh.unit, mesh.unitLow));
  let row = id - mesh.first;
  let to = row * BODY;
  bodies[to] = vec4u(bitcast<vec3u>(x.high), masses[row]);
  bodies[to + 1u] = vec4u(bitcast<vec3u>(x.low), id);
  if (BODY > 2u) {
    var velocity = vec3u(0u);
    if (VELOCITIES) { velocity = vec3u(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]); }
    bodies[to + 2u] = vec4u(velocity, 0u);
  }
}
