// What colours have in common: the settings of a picture's tone, and stretches.
//#expects tone, KIND (of the stretch: 0 logarithm, 1 asinh, 2 linear), BLUE_FIRST (order of a pixel's bytes), MOST_MAPS

struct Tone {
  width: u32,
  height: u32,
  maps: u32,
  rowWords: u32, // pixels from a row of bytes to the next, as copies want them
  contrast: f32, // brightest to darkest of the logarithm
  fewest: f32, // particles of a pixel from which motion has its full colour
  given: f32, // brightest; 0: as the picture says
  perContrast: f32, // of the logarithm or asinh: 1 over that of the contrast
  shareBits: u32, // of a density's share of the brightest that its table leaves out
  scale: f32, // of a unit of a density's map [mass/length²]
  lights: array<vec4f, MOST_MAPS>, // of the species, linear
}

// Brightness [0…1] of a share of the brightest.
fn stretched(part: f32) -> f32 {
  if (!(part > 0.0)) { return 0.0; }
  var t = part;
  if (KIND == 0) { t = 1.0 + log(part) * tone.perContrast; }
  if (KIND == 1) { t = asinh(part * tone.contrast) * tone.perContrast; }
  return clamp(t, 0.0, 1.0);
}

fn packed(colour: vec3f) -> u32 {
  return pack4x8unorm(vec4f(select(colour, colour.bgr, BLUE_FIRST), 1.0));
}
