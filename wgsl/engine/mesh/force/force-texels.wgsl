// The force mesh as texels, for kernels that read it many times (engine/time/leapfrog-force-texels.wgsl).
// An invocation takes RUN cells along x.
//#import "../../../lib/grid.wgsl"
//#expects CELLS, RUN, forceIn, forceCells

@group(0) @binding(2) var forceTexels: texture_storage_3d<rgba32float, write>; // [n, n, n] ax, ay, az

const GROUP = 64u;
const SIDE = u32(CELLS);

@compute @workgroup_size(GROUP)
fn texels(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  let row = first / SIDE;
  if (first >= forceCells()) {
    return;
  }
  for (var i = 0u; i < u32(RUN); i++) {
    let cell = first + i;
    let place = vec3u(cell % SIDE, row % SIDE, row / SIDE);
    textureStore(forceTexels, place, vec4f(forceIn(cell), 0.0));
  }
}
