// A layer of a picture of densities: counts in, mass a pixel out.
//#expects layer

@group(0) @binding(3) var<storage, read> counts: array<u32>; // [layers, height, width]
@group(0) @binding(4) var<storage, read_write> map: array<f32>; // [height, width]

fn sumsOf(at: u32) -> vec3f { return vec3f(f32(counts[at]), 0.0, 0.0); }

fn put(pixel: u32, content: vec3f) {
  let before = select(map[pixel], 0.0, layer.isFirst != 0u);
  map[pixel] = before + layer.mass * content.x;
}
