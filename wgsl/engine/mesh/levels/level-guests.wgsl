// Adds the mass of guests to a level's own: RUN cells along x an invocation.
//#import "../../../lib/grid.wgsl"
//#expects CELLS, PITCH, RUN

@group(0) @binding(0) var<storage, read_write> field: array<u32>; // [n² rows, PITCH] low words
@group(0) @binding(1) var<storage, read_write> high: array<u32>; // [n³]
@group(0) @binding(2) var<storage, read> guests: array<u32>;
@group(0) @binding(3) var<storage, read> highGuests: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn addGuests(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  if (first >= arrayLength(&high)) { return; }
  let start = first / CELLS * PITCH + first % CELLS;
  for (var i = 0u; i < RUN; i++) {
    let low = field[start + i] + guests[start + i];
    high[first + i] += highGuests[first + i] + select(0u, 1u, low < guests[start + i]);
    field[start + i] = low;
  }
}
