// A triangle over the whole picture, and what its pixels have in common.
//#expects colourOf, MOST_MAPS

struct Tone {
  width: u32,
  height: u32,
  kind: u32, // of the stretch: 0 logarithm, 1 asinh, 2 linear
  maps: u32,
  contrast: f32, // brightest to darkest of the logarithm
  fewest: f32, // particles of a pixel from which motion has its full colour
  given: f32, // brightest; 0: as the picture says
  scale: f32, // of the logarithm or asinh: 1 over that of the contrast
  lights: array<vec4f, MOST_MAPS>, // of the species, linear
}

@group(0) @binding(0) var<uniform> tone: Tone;
@group(0) @binding(1) var<storage, read> brightest: array<f32>; // of each map

struct Corner {
  @builtin(position) at: vec4f,
  @location(0) @interpolate(flat) part: f32, // 1 over the brightest value of the first map
}

@vertex
fn whole(@builtin(vertex_index) corner: u32) -> Corner {
  let at = vec4f(f32(4u * (corner & 1u)) - 1.0, f32(2u * (corner & 2u)) - 1.0, 0.0, 1.0);
  let ceiling = ceilingOf(0u);
  return Corner(at, select(0.0, 1.0 / ceiling, ceiling > 0.0));
}

fn ceilingOf(map: u32) -> f32 { return select(brightest[map], tone.given, tone.given > 0.0); }

// Brightness [0…1] of a share of the brightest.
fn stretched(part: f32) -> f32 {
  if (!(part > 0.0)) { return 0.0; }
  var t = part;
  if (tone.kind == 0u) { t = 1.0 + log(part) * tone.scale; }
  if (tone.kind == 1u) { t = asinh(part * tone.contrast) * tone.scale; }
  return clamp(t, 0.0, 1.0);
}

@fragment
fn shade(corner: Corner) -> @location(0) vec4f {
  let pixel = vec2u(corner.at.xy);
  return vec4f(colourOf(pixel.y * tone.width + pixel.x, corner.part), 1.0);
}
