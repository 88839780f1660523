// Counts the particles of each cell, and gives each its place among those of its cell: the first part of ordering.
// The place is a by-product of the atomic count, so the order within a cell is not reproducible: nothing that feeds
// back into particles may depend on it.
//#import "../../lib/grid.wgsl"
//#import "order-key.wgsl"

@group(0) @binding(1) var<storage, read_write> places: array<u32>; // [N]
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated

const GROUP = 64u;
// Particles that an invocation counts: equal neighbours share an atomic, so a crowded cell is no bottleneck.
const COUNT_RUN = 16u;

@compute @workgroup_size(GROUP)
fn count(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * COUNT_RUN;
  let last = min(first + COUNT_RUN, arrayLength(&places));
  var i = first;
  while (i < last) {
    let key = keyOf(i);
    var end = i + 1u;
    while (end < last && keyOf(end) == key) { end++; }
    let before = atomicAdd(&counts[key], end - i);
    for (var k = i; k < end; k++) { places[k] = before + k - i; }
    i = end;
  }
}
