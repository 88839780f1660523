// Between a level's cells on its parent's mesh, a cube of COARSE cells a side that begins two of the parent's before the level's
// first, and that mesh:
//   addMass        restricted mass → words of the parent, to the nearest unit
//   takePotential  the parent's smooth potential → the cube
// Of a mesh in slabs a dispatch takes one.
//#import "../../../lib/grid.wgsl"
//#import "level-places.wgsl"
//#import "this-level.wgsl"
//#expects COARSE, LEVELS, CELLS, PER_BOX, PITCH (of the parent)

@group(0) @binding(0) var<storage, read_write> block: array<f32>; // [COARSE³] mass units, or potential
@group(0) @binding(1) var<storage, read_write> field: array<atomic<u32>>; // low words, as deposit-add.wgsl's
@group(0) @binding(2) var<storage, read_write> high: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> potential: array<f32>;
@group(0) @binding(3) var<uniform> slab: vec3u; // first plane, planes, planes of the field before it

const GROUP = 64u;

struct ParentCell {
  present: bool,
  inField: u32,
  inHigh: u32,
}

fn cellOf(index: u32) -> ParentCell {
  let at = vec3u(index % COARSE, index / COARSE % COARSE, index / (COARSE * COARSE));
  var origin = vec3u(0u);
  if (thisLevel.parent < LEVELS) { origin = places[min(thisLevel.parent, LEVELS - 1u)].first; }
  let place = places[thisLevel.number];
  let cell = (place.first / place.refinement + at + vec3u(2u * PER_BOX - 2u) - origin) % PER_BOX;
  let plane = cell.z - slab.x;
  return ParentCell(
    all(cell < vec3u(CELLS)) && plane < slab.y,
    ((plane + slab.z) * CELLS + cell.y) * PITCH + cell.x,
    (plane * CELLS + cell.y) * CELLS + cell.x,
  );
}

@compute @workgroup_size(GROUP)
fn addMass(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= arrayLength(&block)) { return; }
  let units = round(block[index]);
  let cell = cellOf(index);
  if (units == 0.0 || !cell.present) { return; }
  let above = floor(units * 0x1p-32);
  let low = u32(fma(above, -0x1p32, units));
  var carried = u32(above);
  if (atomicAdd(&field[cell.inField], low) > ~low) { carried += 1u; }
  if (carried > 0u) { atomicAdd(&high[cell.inHigh], carried); }
}

@compute @workgroup_size(GROUP)
fn takePotential(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= arrayLength(&block)) { return; }
  let cell = cellOf(index);
  if (cell.present) { block[index] = potential[cell.inField]; }
}
