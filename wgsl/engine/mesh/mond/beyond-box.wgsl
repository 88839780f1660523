// Phantom matter beyond an isolated box (equations: src/physics/mond/beyond-box.ts; in float64: src/engine/reference/mesh/beyond-box.ts). Lengths are
// in sides of the box, from its centre.
//   sources  blocks of mass → −∇·F at points beyond the box, less the reference's
//   series   → coefficients of the potential's Taylor series, a workgroup each
//#import "../../../lib/grid.wgsl"
//#expects CELLS, BLOCKS, nuMinusOne

struct Beyond {
  uniformField: vec3f, // Newton's external field
  inverseA0: f32,
  strength: f32, // field of a mass unit a side away
  softening2: f32, // of the reference
  fieldStep: f32, // d ln g of the difference that stands for dν/d ln g
}

@group(0) @binding(0) var<uniform> beyond: Beyond;
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
@group(0) @binding(2) var<storage, read> weights: array<f32>; // [terms][points]
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>; // centre of mass [cells], mass units
@group(0) @binding(4) var<storage, read> massCentre: vec4f;
@group(0) @binding(5) var<storage, read_write> found: array<f32>;
@group(0) @binding(6) var<storage, read_write> coefficients: array<f32>;

const GROUP = 64u;
const LEAST_Y = 1e-12;

var<private> g: vec3f;
var<private> tide: mat3x3f; // ∇g

fn attract(at: vec3f, mass: vec4f, softening2: f32) {
  let d = mass.xyz / f32(CELLS) - 0.5 - at;
  let square = dot(d, d) + softening2;
  let weight = beyond.strength * mass.w / (square * sqrt(square));
  let stretch = 3.0 * weight / square * d;
  g += weight * d;
  tide += mat3x3f(stretch * d.x, stretch * d.y, stretch * d.z);
  tide -= mat3x3f(weight, 0.0, 0.0, 0.0, weight, 0.0, 0.0, 0.0, weight);
}

fn share(size: f32) -> f32 {
  return nuMinusOne(max(size * beyond.inverseA0, LEAST_Y));
}

fn source() -> f32 {
  let size = max(length(g), 1e-30);
  let slope = (share((1.0 + beyond.fieldStep) * size) - share((1.0 - beyond.fieldStep) * size)) / (2.0 * beyond.fieldStep);
  let direction = g / size;
  return -share(size) * (tide[0].x + tide[1].y + tide[2].z) - slope * dot(direction, tide * direction);
}

@compute @workgroup_size(GROUP)
fn sources(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&points)) { return; }
  let at = points[i].xyz;
  g = beyond.uniformField;
  for (var block = 0u; block < BLOCKS * BLOCKS * BLOCKS; block++) {
    if (blocks[block].w > 0.0) { attract(at, blocks[block], 0.0); }
  }
  let all = source();
  g = beyond.uniformField;
  tide = mat3x3f();
  attract(at, massCentre, beyond.softening2);
  found[i] = all - source();
}

var<workgroup> sums: array<f32, GROUP>;

@compute @workgroup_size(GROUP)
fn series(invocation: Invocation) {
  let term = flatWorkgroup(invocation);
  let count = arrayLength(&points);
  var sum = 0.0;
  for (var i = invocation.local; i < count; i += GROUP) {
    sum += weights[term * count + i] * found[i];
  }
  sums[invocation.local] = sum;
  for (var stride = GROUP / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (invocation.local < stride) {
      sums[invocation.local] += sums[invocation.local + stride];
    }
  }
  if (invocation.local == 0u) {
    coefficients[term] = sums[0];
  }
}
