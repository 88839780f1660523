// The phantom matter of a Plummer sphere about the centre of mass (src/physics/mond/reference-field.ts): its potential and source
// at a distance, by tables of (potential, slope, source) at steps of the radius, ORDERS of Legendre polynomials about the
// external field.
//#expects ORDERS, TABLE (their binding)

@group(0) @binding(TABLE) var<storage, read> referenceTable: array<vec4f>; // [nodes][ORDERS]

struct Reference {
  potential: f32,
  source: f32,
}

fn referenceAt(d: vec3f, axis: vec3f, step: f32) -> Reference {
  let r = length(d);
  let place = r / step;
  let last = arrayLength(&referenceTable) / u32(ORDERS) - 2u;
  let i = min(u32(place), last);
  let t = place - f32(i);
  let s = 1.0 - t;
  // Cubic between two values with their slopes.
  let weights = vec4f(s * s * (1.0 + 2.0 * t), s * s * t * step, t * t * (1.0 + 2.0 * s), -t * t * s * step);
  let cosine = dot(d, axis) / max(r, 1e-30);
  var before = 0.0;
  var legendre = 1.0;
  var result = Reference(0.0, 0.0);
  for (var l = 0u; l < u32(ORDERS); l++) {
    let a = referenceTable[i * u32(ORDERS) + l];
    let b = referenceTable[(i + 1u) * u32(ORDERS) + l];
    result.potential += legendre * dot(weights, vec4f(a.x, a.y, b.x, b.y));
    result.source += legendre * (a.z + t * (b.z - a.z));
    let next = (f32(2u * l + 1u) * cosine * legendre - f32(l) * before) / f32(l + 1u);
    before = legendre;
    legendre = next;
  }
  return result;
}
