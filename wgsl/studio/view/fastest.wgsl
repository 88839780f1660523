// The largest velocity component of all particles, and the power of two that takes it below 2^15: what velocities are
// counted in.
//#import "../../lib/grid.wgsl"
//#expects GROUP, RUN, SPEED_BITS

@group(0) @binding(0) var<storage, read> velocities: array<u32>; // [N, 3] bits of f32
@group(0) @binding(1) var<storage, read_write> fastest: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> scale: vec4f; // units of a velocity, and the reverse

@compute @workgroup_size(GROUP)
fn largest(invocation: Invocation) {
  let begin = flatIndex(invocation, GROUP) * RUN;
  let end = min(begin + RUN, arrayLength(&velocities));
  var most = 0u;
  for (var i = begin; i < end; i++) { most = max(most, velocities[i] & 0x7fffffffu); }
  if (most > 0u) { atomicMax(&fastest, most); }
}

// An exponent e of f32 is of speeds below 2^(e - 126).
@compute @workgroup_size(1)
fn scaled() {
  let above = clamp(i32(atomicLoad(&fastest) >> 23u) - 126, -100, 100);
  let bits = i32(SPEED_BITS) - above;
  scale = vec4f(bitcast<f32>(u32(127 + bits) << 23u), bitcast<f32>(u32(127 - bits) << 23u), 0.0, 0.0);
}
