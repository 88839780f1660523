// A layer of a picture of densities: counts in, mass a pixel out.
//#expects layer

@group(0) @binding(3) var<storage, read> counts: array<u32>; // [layers, height, width]
@group(0) @binding(4) var<storage, read_write> map: array<f32>; // [height, width]

fn planeOf(at: u32, plane: u32) -> f32 { return f32(counts[at]); }

fn put(pixel: u32, content: vec3f) {
  let before = select(map[pixel], 0.0, layer.isFirst != 0u);
  map[pixel] = before + layer.mass * content.x;
}
