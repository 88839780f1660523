// Rings about an axis: m cos kφ and m sin kφ for k = 1 … 6, m z, m z², m z cos 2φ, m z sin 2φ, with z over the height.
//#import "bins.wgsl"
//#expects SUMS

const ONE = 0x1p24; // |q| ≤ 1 in fixed point, as fine as a float32

var<private> place: vec3f; // of the particle [boxes]

fn prepare(invocation: Invocation) {
  keepScale(0u, ONE, invocation);
}

fn binOfSlot(slot: u32) -> u32 {
  place = turned(separation(slot));
  let r2 = place.x * place.x + place.y * place.y;
  return select(binOf(r2), NOWHERE, r2 == 0.0 || abs(place.z) > request.normal.w);
}

fn timesComplex(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn termsOf(slot: u32, share: f32) -> Terms {
  // e^{i(k+1)φ} = e^{ikφ} e^{iφ}
  let e1 = place.xy / sqrt(place.x * place.x + place.y * place.y);
  let e2 = timesComplex(e1, e1);
  let e3 = timesComplex(e2, e1);
  let e4 = timesComplex(e2, e2);
  let e5 = timesComplex(e3, e2);
  let e6 = timesComplex(e3, e3);
  let z = place.z / request.normal.w;
  var q = array<f32, SUMS>(
    e1.x, e1.y, e2.x, e2.y, e3.x, e3.y, e4.x, e4.y, e5.x, e5.y, e6.x, e6.y,
    z, z * z, z * e2.x, z * e2.y,
  );
  var terms: Terms;
  for (var i = 0; i < SUMS; i++) { terms[i] = fixed(q[i], ONE, share); }
  return terms;
}
