// Two neighbouring cells' values of the cubic B-splines of cells twice as long, from the five that reach either.
//#import "split-weights.wgsl"
//#expects coarse

alias Near = array<f32, 5>;

// The first four of a walk.
fn nearCoarse(first: u32, stride: u32) -> Near {
  return Near(coarse[first], coarse[first + stride], coarse[first + 2u * stride], coarse[first + 3u * stride], 0.0);
}

// The pair, and on to the next.
fn prolongedPair(near: ptr<function, Near>) -> vec2f {
  let v = *near;
  *near = Near(v[1], v[2], v[3], v[4], 0.0);
  return vec2f(
    fma(v[0], SPLINE[0], fma(v[1], SPLINE[2], fma(v[2], SPLINE[3], v[3] * SPLINE[1]))),
    fma(v[4], SPLINE[0], fma(v[3], SPLINE[2], fma(v[2], SPLINE[3], v[1] * SPLINE[1]))),
  );
}
