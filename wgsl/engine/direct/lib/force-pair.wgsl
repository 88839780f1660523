// What the forces of all orders and softenings share: the separation r = x_there − x_here of two bodies, and roots.
//#import "../../../lib/double-single.wgsl"
//#expects Body, PAIRED (positions as pairs), REFINED

fn separation(here: Body, there: Body) -> vec3f {
  let high = there.position - here.position;
  if (PAIRED) {
    // The difference of close high words is exact; `kept3` stops a compiler from adding the low words first.
    return kept3(high) + (there.positionLow - here.positionLow);
  }
  return high;
}

// Every product that is added goes through fma, so that no kernel shape can round it otherwise than another.
fn dot3(a: vec3f, b: vec3f) -> f32 {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}

fn squareOf(a: vec3f, plus: f32) -> f32 {
  return fma(a.z, a.z, fma(a.y, a.y, fma(a.x, a.x, plus)));
}

fn axpy(a: f32, x: vec3f, y: vec3f) -> vec3f {
  return fma(vec3f(a), x, y);
}

// 1/√s. WGSL allows 2 units in the last place, and GPUs' approximations err to one side, which a sum doesn't average
// out: REFINED takes a step of Newton's iteration, y + y(1 − sy²)/2.
fn inverseRoot(s: f32) -> f32 {
  let y = inverseSqrt(s);
  if (!REFINED) { return y; }
  return fma(0.5 * y, fma(-s * y, y, 1.0), y);
}
