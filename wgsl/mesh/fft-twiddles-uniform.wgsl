// Roots of unity in a uniform buffer, which CPU adapters read without a check of each invocation's bounds.
//#expects ROOTS (their number)

@group(0) @binding(1) var<uniform> twiddles: array<vec4f, ROOTS>; // xy: e^{−2πi j/(LENGTH·TWIDDLE_STEP)}

fn rootOfUnity(j: u32) -> vec2f {
  return twiddles[j].xy;
}
