// How many boxes away a particle is, three signed numbers of 10 bits (two's complement) in one word.

fn imageOffsets(image: u32) -> vec3i {
  return vec3i(i32(image << 22u) >> 22u, i32(image << 12u) >> 22u, i32(image << 2u) >> 22u);
}

fn packedImage(offsets: vec3i) -> u32 {
  let bits = bitcast<vec3u>(offsets) & vec3u(0x3ffu);
  return bits.x | (bits.y << 10u) | (bits.z << 20u);
}
