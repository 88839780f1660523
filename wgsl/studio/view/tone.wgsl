// From maps to the bytes of a picture: what its pixels have in common.
//#import "stretch.wgsl"
//#expects SIDE (of a workgroup), RUN (blocks of an invocation), colourOf

@group(0) @binding(0) var<uniform> tone: Tone;
@group(0) @binding(1) var<storage, read> found: array<f32>; // the brightest of each map
@group(0) @binding(2) var<storage, read_write> bytes: array<vec2u>; // [height, rowWords / 2] of a picture, four a pixel

fn ceilingOf(map: u32) -> f32 { return select(found[map], tone.given, tone.given > 0.0); }

// `part`: a unit of the first map over its brightest value. As often for all invocations, so that compilers unroll it.
@compute @workgroup_size(SIDE, SIDE)
fn shade(@builtin(global_invocation_id) run: vec3u) {
  let row = 2u * run.y;
  if (row >= tone.height) { return; }
  let ceiling = ceilingOf(0u);
  let part = select(0.0, tone.scale / ceiling, ceiling > 0.0);
  let across = (tone.width + 1u) / 2u;
  let pairs = tone.rowWords / 2u;
  for (var i = 0u; i < RUN; i++) {
    let x = RUN * run.x + i;
    if (x >= across) { break; }
    let at = 4u * (run.y * across + x);
    bytes[row * pairs + x] = vec2u(colourOf(at, part), colourOf(at + 1u, part));
    if (row + 1u < tone.height) {
      bytes[(row + 1u) * pairs + x] = vec2u(colourOf(at + 2u, part), colourOf(at + 3u, part));
    }
  }
}
