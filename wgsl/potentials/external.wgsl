// What pulls on a particle besides the mesh: rigid external fields, spherical about fixed centres,
//   Plummer    φ = -GM / sqrt(r² + a²),  acceleration -GM d / (r² + a²)^(3/2)   (Plummer 1911)
//   Hernquist  φ = -GM / (r + a),        acceleration -GM d / (r (r + a)²)      (Hernquist 1990, eqs 5 and 3)
// and, for particles outside an isolated mesh, the monopole of the mass that is inside, softened by a cell:
//   φ = -GM / sqrt(d² + h²),  acceleration -GM d / (d² + h²)^(3/2)
// Separations come from fixed point: as exact near a centre as anywhere. Periodic ones go to the nearest image.
//#import "../lib/box-image.wgsl"
//#expects ISOLATED, surroundings, monopole

struct ExternalField {
  centre: vec3u, // fixed point
  image: u32, // packed box image of the centre
  strength: f32, // G M
  scale: f32, // a
  kind: u32, // 0 Plummer, 1 Hernquist
  padding: u32,
}

struct Surroundings {
  box: f32, // L
  cell: f32, // h
  massUnit: f32, // G times one mass unit
  count: u32, // fields in use
  fields: array<ExternalField, 8>,
}

struct Monopole {
  centre: vec3u, // fixed point
  strength: f32, // G M
}

// x - centre [length]; isolated: with the box images, periodic: to the nearest image.
fn separation(u: vec3u, image: u32, centre: vec3u, centreImage: u32) -> vec3f {
  if (ISOLATED) {
    let boxes = imageOffsets(image) - imageOffsets(centreImage);
    let within = vec3i(u >> vec3u(1u)) - vec3i(centre >> vec3u(1u));
    return (vec3f(boxes) + vec3f(within) * 0x1p-31) * surroundings.box;
  }
  return vec3f(bitcast<vec3i>(u - centre)) * (0x1p-32 * surroundings.box);
}

// Acceleration and potential of a softened point mass (a Plummer sphere).
fn plummerPull(d: vec3f, strength: f32, scale: f32) -> vec4f {
  let inverse = 1.0 / sqrt(dot(d, d) + scale * scale);
  return vec4f(d * (-strength * inverse * inverse * inverse), -strength * inverse);
}

fn hernquistPull(d: vec3f, strength: f32, scale: f32) -> vec4f {
  let r = length(d);
  let inverse = 1.0 / (r + scale);
  // At the centre the direction is undefined and its mean 0: d is 0 there.
  return vec4f(d * (-strength * inverse * inverse / max(r, 1e-30)), -strength * inverse);
}

// Acceleration and potential of all external fields.
fn externalPull(u: vec3u, image: u32) -> vec4f {
  var pull = vec4f();
  for (var i = 0u; i < surroundings.count; i++) {
    let field = surroundings.fields[i];
    let d = separation(u, image, field.centre, field.image);
    if (field.kind == 0u) {
      pull += plummerPull(d, field.strength, field.scale);
    } else {
      pull += hernquistPull(d, field.strength, field.scale);
    }
  }
  return pull;
}

// Acceleration and potential outside an isolated mesh.
fn monopolePull(u: vec3u, image: u32) -> vec4f {
  return plummerPull(separation(u, image, monopole.centre, 0u), monopole.strength, surroundings.cell);
}
