// Friends of friends, first part: which particles share a cell.
//   insert    enters every particle's cell and block in the tables, counts the particles of each cell under its head
//   scatter   (the counts summed up) positions next to those of the same cell
//#import "../../lib/grid.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "friends-search.wgsl"

// Zeroed at the start: cells, blocks, counts.
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read_write> heads: array<u32>; // [N] head of the particle's cell
@group(0) @binding(3) var<storage, read_write> ranks: array<u32>; // [N] among the particles of the cell
@group(0) @binding(4) var<storage, read_write> cells: array<atomic<u32>>; // insert: 0: no entry
@group(0) @binding(4) var<storage, read> starts: array<u32>; // scatter: [N + 1] `counts`, summed up
@group(0) @binding(5) var<storage, read_write> blocks: array<atomic<u32>>; // insert: 0: no entry
@group(0) @binding(5) var<storage, read_write> sorted: array<u32>; // scatter: [N, 3]
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // insert: [N + 1] by head
@group(0) @binding(7) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(8) var<storage, read_write> parents: array<atomic<u32>>; // [N]

// Which particle of a cell becomes its head is a race; nothing that follows depends on it. No invocation waits for another.

fn enterBlock(place: Place, octant: u32) {
  var at = place.home;
  loop {
    var found = atomicLoad(&blocks[at]);
    if (found == 0u) {
      let exchange = atomicCompareExchangeWeak(&blocks[at], 0u, place.mark | octant);
      if (exchange.exchanged) { return; }
      found = exchange.old_value;
      if (found == 0u) { continue; }
    }
    if ((found & ~OCTANTS) == place.mark) {
      atomicOr(&blocks[at], octant);
      return;
    }
    at = (at + 1u) & search.mask;
  }
}

@compute @workgroup_size(GROUP)
fn insert(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let cell = cellOf(positionOf(i), imageOf(i));
  let octant = octantOf(cell);
  let hash = hashOf(cell >> vec3u(1u));
  let place = cellPlace(hash, octant);
  let entry = place.mark | (i + 1u);
  var at = place.home;
  var head = i;
  loop {
    var found = atomicLoad(&cells[at]);
    if (found == 0u) {
      let exchange = atomicCompareExchangeWeak(&cells[at], 0u, entry);
      if (exchange.exchanged) { break; }
      found = exchange.old_value;
      if (found == 0u) { continue; } // failed for no reason: again
    }
    if ((found & ~search.headMask) == place.mark) {
      let other = headIn(found);
      if (all(cellOf(positionOf(other), imageOf(other)) == cell)) {
        head = other;
        break;
      }
    }
    at = (at + 1u) & search.mask;
  }
  if (head == i) { enterBlock(blockPlace(hash), 1u << octant); }
  heads[i] = head;
  ranks[i] = atomicAdd(&counts[head], 1u);
  atomicStore(&parents[i], i);
}

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let slot = starts[heads[i]] + ranks[i];
  for (var axis = 0u; axis < 3u; axis++) { sorted[3u * slot + axis] = positions[3u * i + axis]; }
}
