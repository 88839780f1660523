// The same as layer-mass.wgsl for pictures of an even width: neighbours are read and put together.
//#expects layer, ADDING

@group(0) @binding(3) var<storage, read> counts: array<vec2u>; // [layers, height, width / 2]
@group(0) @binding(4) var<storage, read_write> map: array<vec2f>; // [height, width / 2]

fn planeOf(at: u32, plane: u32) -> f32 { return f32(counts[at / 2u][at % 2u]); }

fn pairOf(at: u32, isThere: bool, plane: u32) -> vec2f { return vec2f(counts[at / 2u]); }

fn putPair(at: u32, isThere: bool, left: vec3f, right: vec3f) {
  var mass = layer.mass * vec2f(left.x, right.x);
  if (ADDING) { mass += map[at / 2u]; }
  map[at / 2u] = mass;
}

fn put(pixel: u32, content: vec3f) {
  var mass = layer.mass * content.x;
  if (ADDING) { mass += map[pixel / 2u][pixel % 2u]; }
  map[pixel / 2u][pixel % 2u] = mass;
}
