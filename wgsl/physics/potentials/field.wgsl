// Acceleration and potential besides the mesh: of the external potentials, and, for particles outside an isolated mesh,
// of the monopole of the mass that is inside, softened by a cell (a Plummer sphere):
//   φ = -GM / sqrt(d² + h²),  acceleration -GM d / (d² + h²)^(3/2)
// Separations come from fixed point: as exact near a centre as anywhere. Periodic ones go to the nearest image.
// A field is a vec4f: acceleration xyz, potential w.
// `potentialField` and the structs of the kinds in use are written by src/physics/potentials/kernel.ts.
//#import "../../lib/box-image.wgsl"
//#import "plummer.wgsl"
//#expects ISOLATED, POTENTIALS, IN_USE (of these), CHANGING, externalForces, monopole, potentialField, Plummer, modifiedMonopole (of Newton's field)

// As it is at the time of the kick.
struct ExternalPotential {
  centre: vec3u, // fixed point
  image: u32, // packed box image of the centre
  kind: u32,
  factor: f32,
  turn: vec2f, // cosine and sine of the frame's angle
  parameters: array<vec4f, 2>,
}

struct ExternalForces {
  box: f32, // L
  cell: f32, // h
  massUnit: f32, // G times one mass unit
  inUse: u32, // potentials; kernels know it as IN_USE, so that their loops are of constant length
  potentials: array<ExternalPotential, POTENTIALS>,
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
    return (vec3f(boxes) + vec3f(within) * 0x1p-31) * externalForces.box;
  }
  return vec3f(bitcast<vec3i>(u - centre)) * (0x1p-32 * externalForces.box);
}

fn externalField(u: vec3u, image: u32) -> vec4f {
  var field = vec4f();
  for (var i = 0u; i < IN_USE; i++) {
    let potential = externalForces.potentials[i];
    var d = separation(u, image, potential.centre, potential.image);
    let turn = potential.turn;
    if (CHANGING) { d = vec3f(turn.x * d.x + turn.y * d.y, turn.x * d.y - turn.y * d.x, d.z); }
    var one = potentialField(potential.kind, potential.parameters, d);
    if (CHANGING) {
      one = potential.factor * vec4f(turn.x * one.x - turn.y * one.y, turn.y * one.x + turn.x * one.y, one.zw);
    }
    field += one;
  }
  return field;
}

// Outside an isolated mesh.
fn monopoleField(u: vec3u, image: u32) -> vec4f {
  let d = separation(u, image, monopole.centre, 0u);
  return modifiedMonopole(plummerField(Plummer(monopole.strength, externalForces.cell), d), d);
}
