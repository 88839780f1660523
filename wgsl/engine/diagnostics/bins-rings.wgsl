// Rings about an axis: m v_R, m v_φ, m v_z, their squares, and the pull inward, −m R a_R.
//#import "bins.wgsl"
//#expects LARGEST_SPEED2, LARGEST_ACCELERATION2

var<private> scales: vec3f; // of velocities, their squares and the pull
var<private> place: vec2f; // of the particle [boxes]

fn prepare(invocation: Invocation) {
  let speed = largestValue(LARGEST_SPEED2);
  let pull = request.farthest * largestValue(LARGEST_ACCELERATION2);
  scales = vec3f(scaleFor(speed), scaleFor(speed * speed), scaleFor(pull));
  for (var i = 0u; i < 3u; i++) { keepScale(i, scales[i], invocation); }
}

fn binOfSlot(slot: u32) -> u32 {
  place = turned(separation(slot)).xy;
  let r2 = place.x * place.x + place.y * place.y;
  return select(binOf(r2), NOWHERE, r2 == 0.0);
}

fn termsOf(slot: u32, share: f32) -> Terms {
  let v = turned(velocityOf(slot) - request.velocity);
  let a = turned(accelerationOf(slot));
  let outward = place / sqrt(place.x * place.x + place.y * place.y);
  let radial = dot(outward, v.xy);
  let azimuthal = outward.x * v.y - outward.y * v.x;
  return Terms(
    fixed(radial, scales.x, share),
    fixed(azimuthal, scales.x, share),
    fixed(v.z, scales.x, share),
    fixed(radial * radial, scales.y, share),
    fixed(azimuthal * azimuthal, scales.y, share),
    fixed(v.z * v.z, scales.y, share),
    fixed(-request.box * dot(place, a.xy), scales.z, share),
    0,
  );
}
