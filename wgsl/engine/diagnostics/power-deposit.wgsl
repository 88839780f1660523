// Mass on the mesh of a power spectrum, by atomics of 64 bits. All particles are shifted by the same fixed-point distance on
// every axis, which wraps: the second mesh of an interlaced pair holds them half a cell further (Hockney & Eastwood 1988,
// sect. 7-8). The mesh must be zero; it may be a slab of planes, and the particles a chunk of them.
//#import "../../lib/grid.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../../lib/assignment.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#import "../gpu-particles/position.wgsl"
//#expects CELLS, ORDER

struct Target {
  shift: u32, // [L/2^32]
  firstPlane: u32,
  planes: u32,
}

@group(0) @binding(0) var<uniform> onto: Target;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read> massUnits: array<u32>; // [N] by id, in chunks by slot
@group(0) @binding(4) var<storage, read_write> field: array<atomic<u32>>; // [planes·n rows, n + 2], low words
@group(0) @binding(5) var<storage, read_write> high: array<atomic<u32>>; // [planes·n^2]

const GROUP = 64u;
const SIDE = u32(CELLS);

fn addTo(x: u32, row: u32, mass: u32) {
  let before = atomicAdd(&field[row * (SIDE + 2u) + x], mass);
  if (before > ~mass) { atomicAdd(&high[row * SIDE + x], 1u); }
}

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&ids)) { return; }
  let u = positionOf(i) + vec3u(onto.shift);
  let base = baseOf(u);
  // First cell of the stencil.
  var corner = base.cell;
  if (ORDER == 3) {
    corner = select(corner - vec3u(1u), vec3u(SIDE - 1u), corner == vec3u(0u));
  }
  var reached = false;
  for (var c = 0u; c < u32(ORDER); c++) {
    reached = reached || wrapped(corner.z + c) - onto.firstPlane < onto.planes;
  }
  if (!reached) { return; }
  let wx = axisWeights(base.offset.x);
  let wy = axisWeights(base.offset.y);
  let wz = axisWeights(base.offset.z);
  let mass = f32(massOf(i));
  for (var c = 0u; c < u32(ORDER); c++) {
    let plane = wrapped(corner.z + c) - onto.firstPlane;
    if (plane >= onto.planes) { continue; }
    for (var b = 0u; b < u32(ORDER); b++) {
      let row = plane * SIDE + wrapped(corner.y + b);
      let weighted = mass * wz[c] * wy[b];
      for (var a = 0u; a < u32(ORDER); a++) {
        // At most MASS_UNITS = 2^22: rounding to the nearest unit is exact.
        addTo(wrapped(corner.x + a), row, u32(weighted * wx[a] + 0.5));
      }
    }
  }
}
