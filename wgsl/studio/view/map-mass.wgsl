// Mass of the pixels of a block, put into the map that a layer belongs to.
//#expects layer, ADDING

@group(0) @binding(4) var<storage, read_write> map: array<vec4f>; // [blocks]

fn putFour(block: u32, counts: vec4f, firsts: vec4f, seconds: vec4f) {
  var mass = layer.mass * counts;
  if (ADDING) { mass += map[block]; }
  map[block] = mass;
}
