// Roots of unity in a storage buffer: for GPUs, where neighbouring invocations read neighbouring ones.
@group(0) @binding(1) var<storage, read> twiddles: array<vec2f>; // e^{−2πi j/(LENGTH·TWIDDLE_STEP)}

fn rootOfUnity(j: u32) -> vec2f {
  return twiddles[j];
}
