// Who sums over what: the particles of each stretch of a pencil in groups of GROUP, and the sources within reach of a group in chunks
// of CHUNK, so that what is crowded is shared out. An item is a group with a chunk.
//   groups  how many groups a stretch has
//   items   the cells of each group, and how many items
//#import "../../lib/grid.wgsl"
//#import "../../lib/cells.wgsl"
//#import "reach.wgsl"
//#expects CELLS, ISOLATED, GROUP, CHUNK, STRETCH (cells along x, less than half of the box)

@group(0) @binding(0) var<storage, read> sources: array<vec4u>; // [N]
@group(0) @binding(1) var<storage, read_write> groupStart: array<u32>; // [stretches + 1] groups, then the first of each
@group(0) @binding(3) var<storage, read_write> groups: array<vec4u>; // pencil, first source, count, first and last cell
@group(0) @binding(4) var<storage, read_write> itemStart: array<u32>; // [groups + 1] items, then the first of each group
@group(0) @binding(5) var<storage, read_write> loads: array<vec2u>; // [groups] sources within reach of its cells, and targets

const LANES = 64u;
const ALONG = (u32(CELLS) + STRETCH - 1u) / STRETCH; // stretches of a pencil
const STRETCHES = PENCILS * PENCILS * ALONG;

// Of a stretch, and of the one behind it.
fn stretchSlots(stretch: u32) -> vec2u {
  let pencil = stretch / ALONG;
  let cells = min(vec2u(stretch % ALONG, stretch % ALONG + 1u) * STRETCH, vec2u(u32(CELLS)));
  let places = 4u * (vec2u(pencil * u32(CELLS)) + cells);
  return vec2u(cellStart[places.x], cellStart[places.y]);
}

@compute @workgroup_size(LANES)
fn groupsOfStretches(invocation: Invocation) {
  let stretch = flatIndex(invocation, LANES);
  if (stretch > STRETCHES) { return; }
  var slots = vec2u();
  if (stretch < STRETCHES) { slots = stretchSlots(stretch); }
  groupStart[stretch] = (slots.y - slots.x + GROUP - 1u) / GROUP;
}

fn cellOf(source: u32) -> u32 {
  let x = sources[source].x;
  return baseOnAxis(select(x, x << 1u, ISOLATED), firstCell().x).x;
}

@compute @workgroup_size(LANES)
fn itemsOfGroups(invocation: Invocation) {
  let group = flatIndex(invocation, LANES);
  if (group >= arrayLength(&groups)) { return; }
  itemStart[group] = 0u;
  loads[group] = vec2u();
  if (group >= groupStart[STRETCHES]) { return; }
  var stretch = 0u; // the last that begins with this group or before it
  for (var end = STRETCHES; end - stretch > 1u;) {
    let middle = (stretch + end) / 2u;
    if (groupStart[middle] <= group) { stretch = middle; } else { end = middle; }
  }
  let pencil = stretch / ALONG;
  let slots = stretchSlots(stretch);
  let first = slots.x + (group - groupStart[stretch]) * GROUP;
  let count = min(GROUP, slots.y - first);
  let cells = vec2u(cellOf(first), cellOf(first + count - 1u));
  groups[group] = vec4u(pencil, first, count, cells.x | (cells.y << 16u));
  var reached = 0u;
  for (var k = 0u; k < NEAR_PENCILS; k++) {
    let near = rangesNear(pencil, cells, k);
    reached += near.count.x + near.count.y;
  }
  loads[group] = vec2u(reached, count);
  itemStart[group] = (reached + CHUNK - 1u) / CHUNK;
}
