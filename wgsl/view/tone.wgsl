// From maps to the bytes of a picture: what its pixels have in common.
//#import "stretch.wgsl"
//#expects SIDE (of a workgroup), RUN (pixels of an invocation), colourOf

@group(0) @binding(0) var<uniform> tone: Tone;
@group(0) @binding(1) var<storage, read> brightest: array<f32>; // of each map
@group(0) @binding(2) var<storage, read_write> bytes: array<u32>; // [height, rowWords] of a picture, four a pixel

fn ceilingOf(map: u32) -> f32 { return select(brightest[map], tone.given, tone.given > 0.0); }

// `part`: 1 over the brightest value of the first map. As often for all invocations, so that compilers unroll it.
@compute @workgroup_size(SIDE, SIDE)
fn shade(@builtin(global_invocation_id) run: vec3u) {
  if (run.y >= tone.height) { return; }
  let ceiling = ceilingOf(0u);
  let part = select(0.0, 1.0 / ceiling, ceiling > 0.0);
  let row = run.y * tone.width;
  let rowTo = run.y * tone.rowWords;
  for (var i = 0u; i < RUN; i++) {
    let x = RUN * run.x + i;
    if (x >= tone.width) { break; }
    bytes[rowTo + x] = colourOf(row + x, part);
  }
}
