// The pairs of P³M, with r in cells of the mesh
//   a += Gm [soft(r) − f(r)] r,  φ −= Gm [soft_φ(r) − f_φ(r)]   inside CUTOFF,  f, f_φ: polynomials in r² (src/engine/p3m/long-range.ts)
//   sum   of a group of targets over a chunk of the sources within their reach (pairs-tiles.wgsl, pairs-subgroups.wgsl)
//   fold  adds up the chunks' sums for each particle in their order, however items are cut into dispatches
// The mesh has a particle's own smooth potential, which the pair of it with itself takes away.
//#import "reach.wgsl"
//#expects CUTOFF, GROUP, UNIT (cells of a unit of position), CELL (its side), softened
//#expects smoothed (f and f_φ by t = 2r²/CUTOFF² − 1), OF_RANKS (fields are in the order of sources)

struct Work {
  first: u32, // items of this dispatch
  end: u32,
  softening: f32, // ε in cells
}

@group(0) @binding(0) var<uniform> work: Work;
@group(0) @binding(1) var<storage, read> sources: array<vec4u>; // [N] position, and Gm/h² as the bits of a float
@group(0) @binding(3) var<storage, read> groups: array<vec4u>; // pencil, first source, count, first and last cell
@group(0) @binding(4) var<storage, read> itemStart: array<u32>; // [groups + 1]
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>; // [items of a dispatch, GROUP] acceleration, potential
@group(0) @binding(6) var<storage, read> slots: array<u32>; // [N] of each source
@group(0) @binding(7) var<storage, read_write> fields: array<vec4f>; // [N] by slot, or in the order of sources

const CUTOFF2 = CUTOFF * CUTOFF;

var<workgroup> firsts: array<u32, 2u * NEAR_PENCILS>; // slots of the ranges within reach
var<workgroup> ends: array<u32, 2u * NEAR_PENCILS + 1u>; // sources up to each

// The group of an item: the last that begins with it or before.
fn groupOf(item: u32) -> u32 {
  var group = 0u;
  for (var end = arrayLength(&groups); end - group > 1u;) {
    let middle = (group + end) / 2u;
    if (itemStart[middle] <= item) { group = middle; } else { end = middle; }
  }
  return group;
}

var<private> range: u32; // that of the last source that the invocation has read

// A source by its number among those within reach, which increases; past the end one without mass.
fn sourceAt(number: u32, end: u32) -> vec4u {
  let present = min(number, end - 1u);
  while (ends[range + 1u] <= present) { range++; }
  let source = sources[firsts[range] + present - ends[range]];
  return select(vec4u(source.xyz, 0u), source, number < end);
}

// Finds what is within reach of a group; `l` of so many invocations.
fn findReach(group: vec4u, l: u32, invocations: u32) {
  let cells = vec2u(group.w & 0xffffu, group.w >> 16u);
  for (var k = l; k < NEAR_PENCILS; k += invocations) {
    let near = rangesNear(group.x, cells, k);
    firsts[2u * k] = near.first.x;
    firsts[2u * k + 1u] = near.first.y;
    ends[2u * k + 1u] = near.count.x;
    ends[2u * k + 2u] = near.count.y;
  }
  workgroupBarrier();
  if (l == 0u) {
    ends[0] = 0u;
    for (var k = 0u; k < 2u * NEAR_PENCILS; k++) { ends[k + 1u] += ends[k]; }
  }
}

// `sums` has distances in units of position.
fn withPair(sums: vec4f, here: vec3u, there: vec4u) -> vec4f {
  let r = vec3f(bitcast<vec3i>(there.xyz - here));
  let square = dot(r, r) * (UNIT * UNIT);
  let near = softened(square) - smoothed(min(fma(square, 2.0 / CUTOFF2, -1.0), 1.0));
  let mass = select(0.0, bitcast<f32>(there.w), square < CUTOFF2);
  return vec4f(fma(vec3f(mass * near.x), r, sums.xyz), fma(-mass, near.y, sums.w));
}

@compute @workgroup_size(GROUP)
fn fold(@builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) all: vec3u, @builtin(local_invocation_index) l: u32) {
  let item = work.first + w.y * all.x + w.x;
  if (item >= work.end) { return; }
  let number = groupOf(item);
  let group = groups[number];
  let first = itemStart[number];
  if (item != max(first, work.first) || l >= group.z) { return; }
  let slot = select(slots[group.y + l], group.y + l, OF_RANKS);
  var field = vec4f(0.0, 0.0, 0.0, bitcast<f32>(sources[group.y + l].w) * CELL / work.softening);
  if (item != first) { field = fields[slot]; }
  for (var i = item; i < min(itemStart[number + 1u], work.end); i++) {
    let part = partial[(i - work.first) * GROUP + l];
    field = vec4f(fma(part.xyz, vec3f(UNIT), field.xyz), fma(part.w, CELL, field.w));
  }
  fields[slot] = field;
}
