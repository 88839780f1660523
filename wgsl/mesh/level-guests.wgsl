// Adds the mass of guests to a level's own.
//#import "../lib/grid.wgsl"
//#expects CELLS, PITCH

@group(0) @binding(0) var<storage, read_write> field: array<u32>; // [n² rows, PITCH] low words
@group(0) @binding(1) var<storage, read_write> high: array<u32>; // [n³]
@group(0) @binding(2) var<storage, read> guests: array<u32>;
@group(0) @binding(3) var<storage, read> highGuests: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn addGuests(invocation: Invocation) {
  let cell = flatIndex(invocation, GROUP);
  if (cell >= arrayLength(&high)) { return; }
  let at = cell / CELLS * PITCH + cell % CELLS;
  let low = field[at] + guests[at];
  high[cell] += highGuests[cell] + select(0u, 1u, low < guests[at]);
  field[at] = low;
}
