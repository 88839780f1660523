// Acceleration, jerk and snap in the fields of rigid spheres, for a particle at x from a centre that moves with v and
// is accelerated by a:
//   A = f x,  J = f v + ḟ x,  S = f a + 2ḟ v + f̈ x
//   Plummer 1911    f = −GM/(r² + b²)^{3/2}
//   Hernquist 1990  f = −GM/(r (r + b)²); at the centre the force has a size but no direction, and is taken as none
// With u = x·v and w = v² + x·a.
//#import "hermite-state.wgsl"

struct FieldForce {
  acceleration: vec3f,
  jerk: vec3f,
  snap: vec3f,
}

// f and its first two derivatives in time.
fn plummerRates(field: Field, r2: f32, u: f32, w: f32) -> vec3f {
  let inverse = inverseSqrt(fma(field.scale, field.scale, r2));
  let inverse2 = inverse * inverse;
  let f = -(field.strength * inverse) * inverse2;
  let alpha = u * inverse2;
  return f * vec3f(1.0, -3.0 * alpha, fma(15.0 * alpha, alpha, -3.0 * w * inverse2));
}

fn hernquistRates(field: Field, r2: f32, u: f32, w: f32) -> vec3f {
  let r = sqrt(r2);
  let b = field.scale;
  let outer = r + b;
  let f = -field.strength / (r * outer * outer);
  // d ln f/dr and d² f/dr² / f
  let slope = -(3.0 * r + b) / (r * outer);
  let curvature = (12.0 * r2 + 8.0 * b * r + 2.0 * b * b) / (r2 * outer * outer);
  let speed = u / r;
  return f * vec3f(1.0, slope * speed, fma(curvature * speed, speed, slope * (w - speed * speed) / r));
}

fn fieldForces(position: vec3f, v: vec3f, a: vec3f) -> FieldForce {
  var sum = FieldForce(vec3f(0.0), vec3f(0.0), vec3f(0.0));
  for (var k = 0u; k < settings.fields; k++) {
    let field = settings.field[k];
    let x = position - field.centre;
    let r2 = dot(x, x);
    if (field.kind == 1u && r2 == 0.0) { continue; }
    let u = dot(x, v);
    let w = dot(v, v) + dot(x, a);
    var rates = vec3f(0.0);
    if (field.kind == 0u) {
      rates = plummerRates(field, r2, u, w);
    } else {
      rates = hernquistRates(field, r2, u, w);
    }
    sum.acceleration += rates.x * x;
    sum.jerk += rates.x * v + rates.y * x;
    sum.snap += rates.x * a + 2.0 * rates.y * v + rates.z * x;
  }
  return sum;
}
