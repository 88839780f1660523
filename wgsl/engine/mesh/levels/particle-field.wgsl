// The field of meshes with levels, acceleration (xyz) and potential (w) of each particle or point, added up mesh by mesh with
// the parts of level-weights.wgsl:
//   ofBox    writes what the mesh of the box gives: nothing outside an isolated one
//   ofLevel  adds what a level gives
// An invocation takes RUN of them.
//#import "../../../lib/section.wgsl"
//#import "../../../lib/cells.wgsl"
//#import "level-slots.wgsl"
//#import "level-weights.wgsl"
//#import "this-level.wgsl"
//#import "../../../lib/interpolate.wgsl"
//#import "../mesh-field.wgsl"
//#expects RUN, LEVELS, ISOLATED, POINTS (whether they are points, in any order), positionOf, imageOf

@group(0) @binding(2) var<storage, read_write> fields: array<vec4f>; // [N] or [K]
@group(0) @binding(5) var<storage, read> meshPotential: array<f32>; // [n² rows × PITCH]

const GROUP = 64u;

struct Kept {
  cell: vec3u,
  values: Stencil,
}

fn meshFieldAt(kept: ptr<function, Kept>, u: vec3u) -> vec4f {
  let base = baseOf(u);
  if (POINTS) { return interpolatedAt(base); }
  if (any((*kept).cell != base.cell)) {
    (*kept).values = stencilAround(base.cell);
    (*kept).cell = base.cell;
  }
  var values = (*kept).values;
  return interpolated(&values, base.offset);
}

@compute @workgroup_size(GROUP)
fn ofBox(invocation: Invocation) {
  var slots = vec2u(0u, arrayLength(&fields));
  if (!POINTS) { slots = slotsOfSection(slots.y); }
  let first = slots.x + flatIndex(invocation, GROUP) * u32(RUN);
  var kept: Kept;
  kept.cell = vec3u(0xffffffffu);
  for (var slot = first; slot < min(first + u32(RUN), slots.y); slot++) {
    let u = positionOf(slot);
    let image = imageOf(slot);
    let share = shareOf(LEVELS, u, image);
    let cell = baseOf(u).cell;
    let outside = ISOLATED && !insideMesh(cell, image);
    if (!isOwnPlane(select(cell.z, 0u, outside))) { continue; }
    var field = vec4f();
    if (!outside && share > 0.0) { field = share * meshFieldAt(&kept, u); }
    fields[slot] = field;
  }
}

@compute @workgroup_size(GROUP)
fn ofLevel(invocation: Invocation) {
  let level = thisLevel.number;
  let slots = runInPlanes(flatIndex(invocation, GROUP), arrayLength(&fields), planesOfLevel(level));
  var kept: Kept;
  kept.cell = vec3u(0xffffffffu);
  for (var slot = slots.x; slot < slots.y; slot++) {
    let u = positionOf(slot);
    let share = shareOf(level, u, imageOf(slot));
    if (share > 0.0) {
      fields[slot] += share * (meshFieldAt(&kept, u) + vec4f(0.0, 0.0, 0.0, thisLevel.offset));
    }
  }
}
