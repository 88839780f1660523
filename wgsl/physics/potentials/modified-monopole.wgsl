// A monopole's field in modified gravity, with Newton's given: F = (ν(|g|/a0) − 1) g with g = g_N + g_Ne, less F of g_Ne alone, is
// added to the acceleration, and to the potential the integral of (ν − 1) g out to a box's side, where the mesh's own has its zero.
//#expects nuMinusOne, INVERSE_A0, EXTERNAL (g_Ne), REACH_OF_POTENTIAL (side of the box)

const MONOPOLE_STEPS = 8u; // of Simpson's rule in ln r

fn phantomField(g: vec3f) -> vec3f {
  return nuMinusOne(max(length(g) * INVERSE_A0, 1e-12)) * g;
}

fn modifiedMonopole(field: vec4f, d: vec3f) -> vec4f {
  let acceleration = field.xyz + phantomField(field.xyz + EXTERNAL) - phantomField(EXTERNAL);
  let r = max(length(d), 1e-30);
  // That of a point from here on; in an external field by its size.
  let strength = length(field.xyz) * r * r;
  let across = length(EXTERNAL);
  let width = log(REACH_OF_POTENTIAL / r) / f32(MONOPOLE_STEPS);
  var sum = 0.0;
  for (var k = 0u; k <= MONOPOLE_STEPS; k++) {
    let s = r * exp(f32(k) * width);
    let g = strength / (s * s);
    let weight = select(select(2.0, 4.0, (k & 1u) == 1u), 1.0, k == 0u || k == MONOPOLE_STEPS);
    sum += weight * nuMinusOne(max(length(vec2f(g, across)) * INVERSE_A0, 1e-12)) * g * s;
  }
  return vec4f(acceleration, field.w - sum * width / 3.0);
}
