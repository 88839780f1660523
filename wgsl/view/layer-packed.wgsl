// A layer of a picture of densities whose pixels hold few particles: a byte for each of the four of a block.

@group(0) @binding(3) var<storage, read> counts: array<u32>; // [layers, blocks]

fn wordOf(block: u32) -> u32 { return counts[block]; }

fn numberOf(word: u32) -> f32 {
  let pairs = (word & 0x00ff00ffu) + ((word >> 8u) & 0x00ff00ffu);
  return f32((pairs & 0xffffu) + (pairs >> 16u));
}

fn fourIn(word: u32) -> vec4f { return vec4f((vec4u(word) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu)); }

fn fourOf(block: u32, plane: u32) -> vec4f { return fourIn(counts[block]); }
