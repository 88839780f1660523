// Deposit through windows in workgroup memory, for GPUs: a workgroup takes SLOTS consecutive particles in order. Of those in one
// window, WINDOW cells along x of a pencil (2 x 2 rows), its invocations sum four neighbours each in registers and add that to the
// window's words; these go to the mesh row by row, so that neighbouring invocations meet neighbouring words there. Atomics in
// workgroup memory return nothing: the sums of so few particles don't carry.
//#import "../../../lib/grid.wgsl"
//#import "../../../lib/section.wgsl"
//#import "deposit-add.wgsl"
//#import "deposit-slots.wgsl"
//#expects ORDER, WINDOW, SLOTS

@group(0) @binding(6) var<storage, read> cellStart: array<u32>; // [n^3 + 2]

const GROUP = 256u;
const RUN = 4u;
const_assert SLOTS < 1024u && SLOTS <= GROUP * RUN;
const ROWS = 1u + u32(ORDER); // that a pencil's particles reach on an axis
const WIDTH = WINDOW + u32(ORDER) - 1u;
const WORDS = ROWS * ROWS * WIDTH;
// From a base cell to the lowest that its stencil reaches; what is added may lie one mesh beyond.
const LOW = vec3u(select(0u, SIDE - 1u, ORDER > 2));

var<workgroup> sums: array<atomic<u32>, WORDS>;
var<workgroup> windowStart: u32; // first slot of the window
var<workgroup> slotsEnd: u32; // of the workgroup
var<private> corner: vec3u; // lowest cell that the window's particles reach

fn addTo(cell: vec3u, mass: u32) {
  let d = cell - corner;
  if (mass > 0u) { atomicAdd(&sums[(d.z * ROWS + d.y) * WIDTH + d.x], mass); }
}

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let local = invocation.local;
  if (local == 0u) {
    let inside = cellStart[SIDE * SIDE * SIDE];
    windowStart = min(flatWorkgroup(invocation) * SLOTS, inside);
    slotsEnd = min(windowStart + SLOTS, inside);
  }
  for (var at = local; at < WORDS; at += GROUP) { atomicStore(&sums[at], 0u); }
  let end = workgroupUniformLoad(&slotsEnd);
  for (var turn = 0u; turn < SLOTS; turn++) {
    let start = workgroupUniformLoad(&windowStart);
    if (start >= end) { break; }
    let first = baseOf(positionOf(start)).cell;
    let pencil = (first.z >> 1u) * (SIDE / 2u) + (first.y >> 1u);
    let to = min(end, cellStart[4u * (pencil * SIDE + min(SIDE, first.x + WINDOW))]);
    corner = vec3u(first.x, first.yz & vec2u(~1u)) + LOW;
    depositSlots(start + RUN * local, min(start + RUN * (local + 1u), to));
    workgroupBarrier();
    let width = baseOf(positionOf(to - 1u)).cell.x - first.x + u32(ORDER);
    for (var at = local; at < ROWS * ROWS * width; at += GROUP) {
      let row = at / width;
      let x = at % width;
      let sum = atomicExchange(&sums[row * WIDTH + x], 0u);
      addToMesh(corner + vec3u(x, row % ROWS, row / ROWS), sum);
    }
    if (local == 0u) { windowStart = to; }
  }
}
