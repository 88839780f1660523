// Deposit by atomics, a particle an invocation. Its sums are 64 bits wide: a carry out of the low word is seen by the
// value that the atomic returns. With BOUNDED that isn't asked for where the particles around are too few to overflow a
// word: a GPU then needn't send anything back.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#import "deposit-add.wgsl"
//#expects ISOLATED, BOUNDED, ORDER, CELLS, addParticle, slotsOfSection, isOwnPlane, keyInSlab

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(5) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(6) var<storage, read> cellStart: array<u32>; // [n^3 + 2], of a slab its own

const GROUP = 64u;
// Particles whose sum is below 2^32 for certain.
const SAFE_COUNT = 1023u;
// What adds to the cells that a particle of `cell` adds to lies this many cells around it.
const AROUND = u32(ORDER) - 1u;
const PENCILS = u32(CELLS) / 2u; // per axis

// Whether a sum that a particle of `cell` adds to may pass 2^32: all particles around count, by whole pencils.
fn mayOverflow(cell: vec3u) -> bool {
  if (cell.x < AROUND || cell.x + AROUND >= u32(CELLS)) { return true; } // the row's ends aren't worth more code
  var count = 0u;
  let low = (cell.yz + vec2u(2u * PENCILS - AROUND)) / 2u;
  let last = (cell.yz + vec2u(2u * PENCILS + AROUND)) / 2u;
  if (!isOwnPlane(2u * (low.y % PENCILS)) || !isOwnPlane(2u * (last.y % PENCILS))) { return true; }
  for (var z = low.y; z <= last.y; z++) {
    for (var y = low.x; y <= last.x; y++) {
      let row = (z % PENCILS * PENCILS + y % PENCILS) * u32(CELLS) + cell.x;
      count += cellStart[keyInSlab(4u * (row + AROUND) + 4u)] - cellStart[keyInSlab(4u * (row - AROUND))];
    }
  }
  return count > SAFE_COUNT;
}

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let slots = slotsOfSection(arrayLength(&ids));
  let i = slots.x + flatIndex(invocation, GROUP);
  if (i >= slots.y) { return; }
  let u = positionOf(i);
  let cell = baseOf(u).cell;
  if (ISOLATED && !insideMesh(cell, imageOf(i))) { return; }
  let corner = select(cell, cell + vec3u(SIDE - 1u), ORDER == 3); // the first cell reached, wrapped when it is added to
  addParticle(corner, massOf(i), u, !BOUNDED || mayOverflow(cell));
}
