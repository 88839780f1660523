// The colour of a density.
//#expects tableColour, stretched, ceilingOf

@group(0) @binding(2) var<storage, read> map: array<f32>; // mass of each pixel

fn colourOf(pixel: u32) -> vec3f {
  return tableColour(stretched(map[pixel], ceilingOf(0u))).rgb;
}
