// A triangle over the whole picture, and what its pixels have in common.
//#expects colourOf

struct Tone {
  width: u32,
  height: u32,
  kind: u32, // of the stretch: 0 logarithm, 1 asinh, 2 linear
  maps: u32,
  contrast: f32, // brightest to darkest of the logarithm
  fewest: f32, // particles of a pixel from which motion has its full colour
  given: f32, // brightest; 0: as the picture says
  spare: f32,
  colours: array<vec4f, 256>, // of t = 0 … 1, or of the species, linear
}

@group(0) @binding(0) var<uniform> tone: Tone;
@group(0) @binding(1) var<storage, read> brightest: array<f32>; // of each map

@vertex
fn whole(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4f {
  return vec4f(f32(4u * (corner & 1u)) - 1.0, f32(2u * (corner & 2u)) - 1.0, 0.0, 1.0);
}

fn ceilingOf(map: u32) -> f32 { return select(brightest[map], tone.given, tone.given > 0.0); }

// Brightness [0…1].
fn stretched(value: f32, ceiling: f32) -> f32 {
  let part = value / ceiling;
  if (!(part > 0.0)) { return 0.0; }
  var t = part;
  if (tone.kind == 0u) { t = 1.0 + log(part) / log(tone.contrast); }
  if (tone.kind == 1u) { t = asinh(part * tone.contrast) / asinh(tone.contrast); }
  return clamp(t, 0.0, 1.0);
}

fn tableColour(t: f32) -> vec4f {
  let place = clamp(t, 0.0, 1.0) * 255.0;
  let entry = min(u32(place), 254u);
  return mix(tone.colours[entry], tone.colours[entry + 1u], place - f32(entry));
}

@fragment
fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(colourOf(u32(at.y) * tone.width + u32(at.x)), 1.0);
}
