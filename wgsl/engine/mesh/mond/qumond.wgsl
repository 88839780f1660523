// QUMOND between and after two linear solves (src/engine/mesh/mond/qumond.ts; in float64: src/engine/reference/mesh/qumond.ts).
//   phantom  Newton's potential → the phantom matter, as mass words, less the reference's where the mesh is isolated
//   finish   field = field + Newton's potential + the reference's + that of phantom matter beyond the box
// F = (ν − 1) g at the faces of cells: across by the difference across, along by the mean of the four differences beside.
// An invocation walks RUN cells along x.
//#import "../../../lib/grid.wgsl"
//#import "mond-reference.wgsl"
//#expects CELLS, PITCH, RUN, ISOLATED, ORDER (of the series), nuMinusOne

struct Qumond {
  uniformField: vec3f, // Newton's external field g_Ne
  inverseCell: f32, // 1/h
  axis: vec3f, // its direction
  inverseA0: f32,
  mean: vec2u, // mass words that the solver takes away
  first: u32, // plane of the slab, how many, and rows of the field before its own
  planes: u32,
  ghostRows: u32,
  unit: f32, // from h·∇·F to mass units
  referenceUnit: f32, // from the reference's source to mass units
  spacing: f32, // of its tables [cells]
}

@group(0) @binding(0) var<uniform> qumond: Qumond;
@group(0) @binding(1) var<storage, read> newton: array<f32>;
@group(0) @binding(2) var<storage, read_write> field: array<u32>;
@group(0) @binding(3) var<storage, read_write> high: array<u32>;
@group(0) @binding(4) var<storage, read> massCentre: vec4f;
@group(0) @binding(6) var<storage, read> series: array<f32>; // coefficients by powers of z, y and x (src/physics/mond/beyond-box.ts)

const GROUP = 64u;
const SIDE = u32(CELLS);
const RUNS = SIDE / u32(RUN);
const LEAST_Y = 1e-12;

// Component across a face of F from three differences: across it, and sums of four along it.
fn flux(towards: vec3f, across: f32, second: f32, third: f32) -> f32 {
  let g = towards - qumond.inverseCell * vec3f(across, 0.25 * second, 0.25 * third);
  return nuMinusOne(max(length(g) * qumond.inverseA0, LEAST_Y)) * g.x;
}

fn around(i: u32, up: bool) -> u32 {
  return select((i + SIDE - 1u) % SIDE, (i + 1u) % SIDE, up);
}

// Where the rows about a cell's begin: [z − 1, z, z + 1][y − 1, y, y + 1].
struct Rows {
  below: vec3u,
  middle: vec3u,
  above: vec3u,
}

// Planes about a slab's own are its ghosts, or the whole mesh's other end.
fn rowsAt(y: u32, z: u32) -> Rows {
  let lines = vec3u(around(y, false), y, around(y, true)) * u32(PITCH);
  let ghosts = qumond.ghostRows > 0u;
  let own = qumond.ghostRows + z * SIDE;
  let below = select(select(own - SIDE, own + (SIDE - 1u) * SIDE, z == 0u), own - SIDE, ghosts);
  let above = select(select(own + SIDE, own - (SIDE - 1u) * SIDE, z == SIDE - 1u), own + SIDE, ghosts);
  return Rows(below * u32(PITCH) + lines, own * u32(PITCH) + lines, above * u32(PITCH) + lines);
}

// Values at x of the nine rows: [z][y].
fn columnAt(rows: Rows, x: u32) -> mat3x3f {
  return mat3x3f(
    newton[rows.below.x + x], newton[rows.below.y + x], newton[rows.below.z + x],
    newton[rows.middle.x + x], newton[rows.middle.y + x], newton[rows.middle.z + x],
    newton[rows.above.x + x], newton[rows.above.y + x], newton[rows.above.z + x],
  );
}

fn fluxX(a: mat3x3f, b: mat3x3f) -> f32 {
  let alongY = (a[1].z - a[1].x) + (b[1].z - b[1].x);
  let alongZ = (a[2].y - a[0].y) + (b[2].y - b[0].y);
  return flux(qumond.uniformField, b[1].y - a[1].y, alongY, alongZ);
}

// Into a cell through its faces across y, of three values along y each; and across z.
fn fluxY(west: vec3f, below: vec3f, here: vec3f, above: vec3f, east: vec3f) -> f32 {
  let alongZ = above - below;
  let alongX = east - west;
  let lower = flux(qumond.uniformField.yzx, here.y - here.x, alongZ.x + alongZ.y, alongX.x + alongX.y);
  let upper = flux(qumond.uniformField.yzx, here.z - here.y, alongZ.y + alongZ.z, alongX.y + alongX.z);
  return lower - upper;
}

fn fluxZ(west: vec3f, south: vec3f, here: vec3f, north: vec3f, east: vec3f) -> f32 {
  let alongX = east - west;
  let alongY = north - south;
  let lower = flux(qumond.uniformField.zxy, here.y - here.x, alongX.x + alongX.y, alongY.x + alongY.y);
  let upper = flux(qumond.uniformField.zxy, here.z - here.y, alongX.y + alongX.z, alongY.y + alongY.z);
  return lower - upper;
}

fn isFace(i: u32) -> bool {
  return i == 0u || i == SIDE - 1u;
}

fn fromCentre(x: u32, y: u32, z: u32) -> vec3f {
  return vec3f(f32(x), f32(y), f32(z)) + 0.5 - massCentre.xyz;
}

// A number of mass units as a signed integer of two words, plus the mean.
fn massWords(units: f32) -> vec2u {
  let size = abs(round(units));
  let top = floor(size * 0x1p-32);
  var words = vec2u(u32(size - top * 0x1p32), u32(top));
  if (units < 0.0) {
    words = vec2u(~words.x + 1u, ~words.y + select(0u, 1u, words.x == 0u));
  }
  let low = words.x + qumond.mean.x;
  return vec2u(low, words.y + qumond.mean.y + select(0u, 1u, low < words.x));
}

@compute @workgroup_size(GROUP)
fn phantom(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let row = index / RUNS;
  if (row >= qumond.planes * SIDE) { return; }
  let y = row % SIDE;
  let z = row / SIDE;
  let begin = index % RUNS * u32(RUN);
  let place = (qumond.ghostRows + row) * u32(PITCH);
  let edge = ISOLATED && (isFace(y) || isFace(qumond.first + z));
  let rows = rowsAt(y, z);
  var west = columnAt(rows, around(begin, false));
  var here = columnAt(rows, begin);
  var into = fluxX(west, here);
  for (var x = begin; x < begin + u32(RUN); x++) {
    let east = columnAt(rows, around(x, true));
    let out = fluxX(here, east);
    var units = into - out;
    units += fluxY(west[1], here[0], here[1], here[2], east[1]);
    units += fluxZ(
      vec3f(west[0].y, west[1].y, west[2].y),
      vec3f(here[0].x, here[1].x, here[2].x),
      vec3f(here[0].y, here[1].y, here[2].y),
      vec3f(here[0].z, here[1].z, here[2].z),
      vec3f(east[0].y, east[1].y, east[2].y),
    );
    units *= qumond.unit;
    if (ISOLATED) {
      let reference = referenceAt(fromCentre(x, y, qumond.first + z), qumond.axis, qumond.spacing);
      units = select(units - qumond.referenceUnit * reference.source, 0.0, edge || isFace(x));
    }
    let words = massWords(units);
    field[place + x] = words.x;
    high[row * SIDE + x] = words.y;
    west = here;
    here = east;
    into = out;
  }
}

// Of a row: the series as a polynomial in x, lengths from the centre in sides of the box.
fn seriesAlong(y: f32, z: f32) -> array<f32, ORDER + 1> {
  var along = array<f32, ORDER + 1>();
  var term = 0;
  var powerZ = 1.0;
  for (var c = 0; c <= ORDER; c++) {
    var power = powerZ;
    for (var b = 0; b <= ORDER - c; b++) {
      for (var a = 0; a <= ORDER - c - b; a++) {
        along[a] += series[term] * power;
        term++;
      }
      power *= y;
    }
    powerZ *= z;
  }
  return along;
}

fn fromMiddle(i: u32) -> f32 {
  return (f32(i) + 0.5) / f32(SIDE) - 0.5;
}

@compute @workgroup_size(GROUP)
fn finish(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let row = index / RUNS;
  if (row >= qumond.planes * SIDE) { return; }
  let begin = index % RUNS * u32(RUN);
  let place = (qumond.ghostRows + row) * u32(PITCH);
  var along = array<f32, ORDER + 1>();
  if (ISOLATED) { along = seriesAlong(fromMiddle(row % SIDE), fromMiddle(qumond.first + row / SIDE)); }
  for (var x = begin; x < begin + u32(RUN); x++) {
    var potential = bitcast<f32>(field[place + x]);
    if (ISOLATED) {
      potential += referenceAt(fromCentre(x, row % SIDE, qumond.first + row / SIDE), qumond.axis, qumond.spacing).potential;
      var beyond = 0.0;
      for (var a = ORDER; a >= 0; a--) { beyond = beyond * fromMiddle(x) + along[a]; }
      potential += beyond;
    }
    field[place + x] = bitcast<u32>(newton[place + x] + potential);
  }
}
