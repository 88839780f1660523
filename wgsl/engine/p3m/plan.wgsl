// Who sums over what: the particles of each pencil in groups of GROUP, and the sources within reach of a group in chunks of CHUNK,
// so that what is crowded is shared out. An item is a group with a chunk.
//   groups  how many groups a pencil has
//   items   the cells of each group, and how many items
//#import "../../lib/grid.wgsl"
//#import "../../lib/cells.wgsl"
//#import "reach.wgsl"
//#expects CELLS, ISOLATED, GROUP, CHUNK

@group(0) @binding(0) var<storage, read> sources: array<vec4u>; // [N]
@group(0) @binding(1) var<storage, read_write> groupStart: array<u32>; // [pencils + 1] groups, then the first of each pencil
@group(0) @binding(3) var<storage, read_write> groups: array<vec4u>; // pencil, first source, count, first and last cell
@group(0) @binding(4) var<storage, read_write> itemStart: array<u32>; // [groups + 1] items, then the first of each group
@group(0) @binding(5) var<storage, read_write> loads: array<vec2u>; // [groups] sources within reach, and targets

const LANES = 64u;

fn pencilStart(pencil: u32) -> u32 {
  return cellStart[4u * u32(CELLS) * pencil];
}

@compute @workgroup_size(LANES)
fn groupsOfPencils(invocation: Invocation) {
  let pencil = flatIndex(invocation, LANES);
  if (pencil > PENCILS * PENCILS) { return; }
  var count = 0u;
  if (pencil < PENCILS * PENCILS) { count = pencilStart(pencil + 1u) - pencilStart(pencil); }
  groupStart[pencil] = (count + GROUP - 1u) / GROUP;
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
  if (group >= groupStart[PENCILS * PENCILS]) { return; }
  var pencil = 0u; // the last that begins with this group or before it
  for (var end = PENCILS * PENCILS; end - pencil > 1u;) {
    let middle = (pencil + end) / 2u;
    if (groupStart[middle] <= group) { pencil = middle; } else { end = middle; }
  }
  let first = pencilStart(pencil) + (group - groupStart[pencil]) * GROUP;
  let count = min(GROUP, pencilStart(pencil + 1u) - first);
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
