// A layer of a picture of densities: counts in, mass a pixel out.
//#expects layer, ADDING

@group(0) @binding(3) var<storage, read> counts: array<u32>; // [layers, height, width]
@group(0) @binding(4) var<storage, read_write> map: array<f32>; // [height, width]

fn planeOf(at: u32, plane: u32) -> f32 { return f32(counts[at]); }

fn put(pixel: u32, content: vec3f) {
  var mass = layer.mass * content.x;
  if (ADDING) { mass += map[pixel]; }
  map[pixel] = mass;
}
