// Shells: m S_lm for l = 1 … 4, S_lm = √(4π/(2l + 1)) Y_lm, real, so that Σ_m S_lm² = 1.
//#import "bins.wgsl"
//#expects SUMS

const ONE = 0x1p24; // |q| ≤ 1 in fixed point, as fine as a float32

var<private> place: vec3f; // of the particle [boxes]

fn prepare(invocation: Invocation) {
  keepScale(0u, ONE, invocation);
}

fn binOfSlot(slot: u32) -> u32 {
  place = turned(separation(slot));
  let r2 = dot(place, place);
  return select(binOf(r2), NOWHERE, r2 == 0.0);
}

// S_lm of a unit vector, for l = 1, 2, 3, 4 and each m = −l … l.
fn polesOf(d: vec3f) -> array<f32, SUMS> {
  let x = d.x;
  let y = d.y;
  let z = d.z;
  let x2 = x * x;
  let y2 = y * y;
  let z2 = z * z;
  return array<f32, SUMS>(
    y, z, x,
    1.7320508 * x * y, 1.7320508 * y * z, 0.5 * (3.0 * z2 - 1.0), 1.7320508 * x * z, 0.8660254 * (x2 - y2),
    0.79056942 * y * (3.0 * x2 - y2), 3.8729833 * x * y * z, 0.61237244 * y * (5.0 * z2 - 1.0),
    0.5 * z * (5.0 * z2 - 3.0),
    0.61237244 * x * (5.0 * z2 - 1.0), 1.9364917 * z * (x2 - y2), 0.79056942 * x * (x2 - 3.0 * y2),
    2.9580399 * x * y * (x2 - y2), 2.0916501 * y * z * (3.0 * x2 - y2), 1.1180340 * x * y * (7.0 * z2 - 1.0),
    0.79056942 * y * z * (7.0 * z2 - 3.0),
    0.125 * ((35.0 * z2 - 30.0) * z2 + 3.0),
    0.79056942 * x * z * (7.0 * z2 - 3.0), 0.55901699 * (x2 - y2) * (7.0 * z2 - 1.0),
    2.0916501 * x * z * (x2 - 3.0 * y2), 0.73950997 * (x2 * (x2 - 6.0 * y2) + y2 * y2),
  );
}

fn termsOf(slot: u32, share: f32) -> Terms {
  var q = polesOf(place / sqrt(dot(place, place)));
  var terms: Terms;
  for (var i = 0; i < SUMS; i++) { terms[i] = fixed(q[i], ONE, share); }
  return terms;
}
