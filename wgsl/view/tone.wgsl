// From maps to the bytes of a picture: what its pixels have in common.
//#expects SIDE (of a workgroup), RUN (pixels of an invocation), BLUE_FIRST (order of a pixel's bytes), colourOf, MOST_MAPS

struct Tone {
  width: u32,
  height: u32,
  kind: u32, // of the stretch: 0 logarithm, 1 asinh, 2 linear
  maps: u32,
  contrast: f32, // brightest to darkest of the logarithm
  fewest: f32, // particles of a pixel from which motion has its full colour
  given: f32, // brightest; 0: as the picture says
  scale: f32, // of the logarithm or asinh: 1 over that of the contrast
  rowWords: u32, // pixels from a row of bytes to the next, as copies want them
  spare: array<u32, 3>,
  lights: array<vec4f, MOST_MAPS>, // of the species, linear
}

@group(0) @binding(0) var<uniform> tone: Tone;
@group(0) @binding(1) var<storage, read> brightest: array<f32>; // of each map
@group(0) @binding(2) var<storage, read_write> bytes: array<u32>; // [height, rowWords] of a picture, four a pixel

fn ceilingOf(map: u32) -> f32 { return select(brightest[map], tone.given, tone.given > 0.0); }

// Brightness [0…1] of a share of the brightest.
fn stretched(part: f32) -> f32 {
  if (!(part > 0.0)) { return 0.0; }
  var t = part;
  if (tone.kind == 0u) { t = 1.0 + log(part) * tone.scale; }
  if (tone.kind == 1u) { t = asinh(part * tone.contrast) * tone.scale; }
  return clamp(t, 0.0, 1.0);
}

fn packed(colour: vec3f) -> u32 {
  return pack4x8unorm(vec4f(select(colour, colour.bgr, BLUE_FIRST), 1.0));
}

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
