// AQUAL by the full approximation scheme (in float64 with the equations: src/engine/reference/mesh/aqual.ts). A level has (n + 2)³ words, a
// layer of ghosts about its cells.
//   loadSource    mass words → f = 4πG(ρ − mean)                 loadPotential, store    mesh field ↔ the finest level
//   boundary      ghosts of an isolated finest level, by a parabola, and AQUAL's difference in an external field
//   ghosts        of a periodic level, or of an isolated one in a cycle: the change inside as it falls with the distance, or −wall of it
//   relax         a colour: φ += (A(φ) − f)/D                      restrictLevel, guess, remember, prolong    as their names
//   measure, total    means of f² and of (f − A(φ))²
//#import "../../../lib/grid.wgsl"
//#import "../poisson/poisson-mass.wgsl"
//#expects ISOLATED, PITCH, FINEST (whether it is the finest level), muOf, muSlopeOf

struct Level {
  cells: u32,
  colour: u32,
  run: u32, // cells along x of an invocation
  coarse: u32, // cells of the next coarser level
  inverseCell: f32,
  wall: f32,
  unit: f32, // from mass units to f
  least: f32, // field over a0
  awayFrom: vec3f, // external field g_e
  inverseA0: f32,
  strength: f32, // G·M of a mass unit
  cell: f32,
  decay: f32, // power of the distance with which a change falls beyond an isolated mesh, or 0
  finer: f32, // cells of this level in one of the finest
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage, read_write> phi: array<f32>;
@group(0) @binding(2) var<storage, read_write> old: array<f32>;
@group(0) @binding(3) var<storage, read_write> source: array<f32>;
@group(0) @binding(5) var<storage, read_write> coarsePhi: array<f32>; // of the coarser level, or the mesh field
@group(0) @binding(6) var<storage, read_write> coarseOld: array<f32>; // or the high words, or partial sums
@group(0) @binding(7) var<storage, read_write> coarseSource: array<f32>; // or totals

@group(0) @binding(8) var<storage, read> massCentre: vec4f; // in the finest level's cells

const GROUP = 64u;
const ALL = 256u;

fn placeOf(cell: vec3i, n: i32) -> u32 {
  return u32(((cell.z + 1) * (n + 2) + cell.y + 1) * (n + 2) + cell.x + 1);
}

fn place(n: u32, x: u32, y: u32, z: u32) -> u32 {
  return ((z + 1u) * (n + 2u) + y + 1u) * (n + 2u) + x + 1u;
}

// Square of the field's component along a face, of the four differences beside it: 2⟨d²⟩ − ⟨d⟩².
fn squareAlong(differences: vec4f, away: f32) -> f32 {
  let d = level.inverseCell * differences - away;
  let mean = dot(d, vec4f(0.25));
  return 0.5 * dot(d, d) - mean * mean;
}

// Flux through a face, and its derivative by the potential inside, from differences across and along it.
fn faceOf(difference: f32, second: vec4f, third: vec4f, away: vec3f) -> vec2f {
  let across = level.inverseCell * difference - away.x;
  let square = across * across + squareAlong(second, away.y) + squareAlong(third, away.z);
  let x = max(sqrt(square) * level.inverseA0, level.least);
  let mu = muOf(x);
  let floor2 = level.least / level.inverseA0;
  return vec2f(mu * across, mu * (1.0 + muSlopeOf(x) * across * across / max(square, floor2 * floor2)));
}

// φ at the places below and above one.
fn beside(at: u32, step: u32) -> vec2f {
  return vec2f(phi[at - step], phi[at + step]);
}

// Differences from a value to those on either side.
fn differences(here: f32, sides: vec2f) -> vec2f {
  return vec2f(sides.y - here, here - sides.x);
}

// A(φ) and D at a place, of 19 values.
fn operatorAt(at: u32) -> vec2f {
  let a = level.cells + 2u;
  let b = a * a;
  let here = phi[at];
  let besideX = beside(at, 1u);
  let besideY = beside(at, a);
  let besideZ = beside(at, b);
  // At x − 1 and x + 1 those beside along y, then along z; at y − 1 and y + 1 those along z.
  let lowXy = beside(at - 1u, a);
  let highXy = beside(at + 1u, a);
  let lowXz = beside(at - 1u, b);
  let highXz = beside(at + 1u, b);
  let lowYz = beside(at - a, b);
  let highYz = beside(at + a, b);
  let x = differences(here, besideX);
  let y = differences(here, besideY);
  let z = differences(here, besideZ);
  let e = level.awayFrom;
  let x0 = faceOf(x.y, vec4f(y, differences(besideX.x, lowXy)), vec4f(z, differences(besideX.x, lowXz)), e);
  let x1 = faceOf(x.x, vec4f(y, differences(besideX.y, highXy)), vec4f(z, differences(besideX.y, highXz)), e);
  let lowYx = differences(besideY.x, vec2f(lowXy.x, highXy.x));
  let highYx = differences(besideY.y, vec2f(lowXy.y, highXy.y));
  let y0 = faceOf(y.y, vec4f(x, lowYx), vec4f(z, differences(besideY.x, lowYz)), e.yxz);
  let y1 = faceOf(y.x, vec4f(x, highYx), vec4f(z, differences(besideY.y, highYz)), e.yxz);
  let lowZx = differences(besideZ.x, vec2f(lowXz.x, highXz.x));
  let highZx = differences(besideZ.y, vec2f(lowXz.y, highXz.y));
  let z0 = faceOf(z.y, vec4f(x, lowZx), vec4f(y, differences(besideZ.x, vec2f(lowYz.x, highYz.x))), e.zxy);
  let z1 = faceOf(z.x, vec4f(x, highZx), vec4f(y, differences(besideZ.y, vec2f(lowYz.y, highYz.y))), e.zxy);
  let value = (x1.x - x0.x) + (y1.x - y0.x) + (z1.x - z0.x);
  let diagonal = (x0.y + x1.y) + (y0.y + y1.y) + (z0.y + z1.y);
  return vec2f(value * level.inverseCell, diagonal * level.inverseCell * level.inverseCell);
}

@compute @workgroup_size(GROUP)
fn relax(invocation: Invocation) {
  let n = level.cells;
  let runs = n / level.run;
  let index = flatIndex(invocation, GROUP);
  // Rows of the colour alone.
  let row = index / runs;
  let z = row / (n / 2u);
  let y = 2u * (row % (n / 2u)) + (((level.colour >> 1u) + z) & 1u);
  if (z >= n) { return; }
  let first = index % runs * level.run;
  for (var x = first + ((level.colour + y) & 1u); x < first + level.run; x += 2u) {
    let at = place(n, x, y, z);
    let found = operatorAt(at);
    phi[at] += (found.x - source[at]) / found.y;
  }
}

struct Ghost {
  present: bool,
  at: u32,
  inner: u32, // the nearest cell
  outward: u32, // step from there to the ghost, modulo 2³²
  cell: vec3i,
}

// The six faces with their edges, each (n + 2)²; edges are there more than once.
fn ghostAt(invocation: Invocation) -> Ghost {
  let n = i32(level.cells);
  let side = u32(n + 2);
  let index = flatIndex(invocation, GROUP);
  let face = index / (side * side);
  let u = i32(index % side) - 1;
  let v = i32(index / side % side) - 1;
  let w = select(-1, n, (face & 1u) == 1u);
  var cell = vec3i(w, u, v);
  if (face / 2u == 1u) { cell = vec3i(u, w, v); }
  if (face / 2u == 2u) { cell = vec3i(u, v, w); }
  let near = clamp(cell, vec3i(0), vec3i(n - 1));
  let at = placeOf(cell, n);
  let inner = place(u32(n), u32(near.x), u32(near.y), u32(near.z));
  return Ghost(face < 6u, at, inner, at - inner, cell);
}

@compute @workgroup_size(GROUP)
fn ghosts(invocation: Invocation) {
  let ghost = ghostAt(invocation);
  if (!ghost.present) { return; }
  if (ISOLATED) {
    let step = vec3f(ghost.cell - clamp(ghost.cell, vec3i(0), vec3i(i32(level.cells) - 1)));
    let between = vec3f(ghost.cell) - 0.5 * step + 0.5 - massCentre.xyz * level.finer;
    // Straight in the side of a cell, so that levels agree about it.
    let share = select(1.0 - level.decay * dot(step, between) / dot(between, between), -level.wall, level.decay == 0.0);
    phi[ghost.at] = old[ghost.at] + share * (phi[ghost.inner] - old[ghost.inner]);
    return;
  }
  let n = i32(level.cells);
  let cell = vec3u((ghost.cell + n) % n);
  phi[ghost.at] = phi[place(level.cells, cell.x, cell.y, cell.z)];
}

// A first guess of a coarser isolated level's ghosts: a straight line through the finer ghosts, a quarter of a cell outside, and
// what is a quarter inside. The finer level's potential stands in the place of the coarser one's.
@compute @workgroup_size(GROUP)
fn guess(invocation: Invocation) {
  let ghost = ghostAt(invocation);
  if (!ghost.present) { return; }
  let n = i32(2u * level.cells);
  var sum = 0.0;
  for (var k = 0u; k < 8u; k++) {
    let child = clamp(2 * ghost.cell + vec3i(vec3u(k, k >> 1u, k >> 2u) & vec3u(1u)), vec3i(-1), vec3i(n));
    let near = clamp(child, vec3i(0), vec3i(n - 1));
    sum += 1.5 * coarsePhi[placeOf(child, n)] - 0.5 * coarsePhi[placeOf(near, n)];
  }
  phi[ghost.at] = 0.125 * sum;
}

//#if FINEST
// src/physics/mond/external-boundary.ts
fn boundaryDifference(d: vec3f) -> f32 {
  let size = length(level.awayFrom);
  if (size == 0.0) { return 0.0; }
  let x = size * level.inverseA0;
  let mu = muOf(x);
  let slope = muSlopeOf(x);
  let z = dot(d, level.awayFrom) / size;
  let r2 = dot(d, d);
  let s2 = r2 - z * z;
  let r = sqrt(r2);
  let aqual = -1.0 / (mu * sqrt((1.0 + slope) * s2 + z * z));
  let qumond = -(1.0 / r - 0.5 * slope / (1.0 + slope) * s2 / (r2 * r)) / mu;
  let strength = level.strength * massCentre.w;
  let own = strength / (mu * r2);
  return strength * (aqual - qumond) * size * size / (size * size + own * own);
}

@compute @workgroup_size(GROUP)
fn boundary(invocation: Invocation) {
  let ghost = ghostAt(invocation);
  if (!ghost.present) { return; }
  let inward = 0u - ghost.outward;
  let inner = ghost.inner;
  let parabola = 3.0 * phi[inner] - 3.0 * phi[inner + inward] + phi[inner + 2u * inward];
  let d = (vec3f(ghost.cell) + 0.5 - massCentre.xyz) * level.cell;
  phi[ghost.at] = parabola + boundaryDifference(d);
  old[ghost.at] = phi[ghost.at];
}

@compute @workgroup_size(GROUP)
fn loadSource(invocation: Invocation) {
  let n = level.cells;
  let i = 2u * flatIndex(invocation, GROUP);
  if (i >= n * n * n) { return; }
  let row = i / n;
  let word = row * u32(PITCH) + i % n;
  let low = vec2u(bitcast<u32>(coarsePhi[word]), bitcast<u32>(coarsePhi[word + 1u]));
  let high = vec2u(bitcast<u32>(coarseOld[i]), bitcast<u32>(coarseOld[i + 1u]));
  let f = level.unit * massContrast(low, high);
  let at = place(n, i % n, row % n, row / n);
  source[at] = f.x;
  source[at + 1u] = f.y;
}

@compute @workgroup_size(GROUP)
fn loadPotential(invocation: Invocation) {
  let n = level.cells;
  let i = flatIndex(invocation, GROUP);
  if (i >= n * n * n) { return; }
  let row = i / n;
  let at = place(n, i % n, row % n, row / n);
  phi[at] = coarsePhi[row * u32(PITCH) + i % n];
  old[at] = phi[at];
}

@compute @workgroup_size(GROUP)
fn store(invocation: Invocation) {
  let n = level.cells;
  let i = flatIndex(invocation, GROUP);
  if (i >= n * n * n) { return; }
  let row = i / n;
  coarsePhi[row * u32(PITCH) + i % n] = phi[place(n, i % n, row % n, row / n)];
}

// Row by row: squares of the source and of the residual.
@compute @workgroup_size(GROUP)
fn measure(invocation: Invocation) {
  let n = level.cells;
  let row = flatIndex(invocation, GROUP);
  if (row >= n * n) { return; }
  var sum = vec2f(0.0);
  for (var x = 0u; x < n; x++) {
    let at = place(n, x, row % n, row / n);
    let f = source[at];
    let r = f - operatorAt(at).x;
    sum += vec2f(f * f, r * r);
  }
  coarseOld[2u * row] = sum.x;
  coarseOld[2u * row + 1u] = sum.y;
}

var<workgroup> sums: array<vec2f, ALL>;

@compute @workgroup_size(ALL)
fn total(@builtin(local_invocation_index) local: u32) {
  var sum = vec2f(0.0);
  for (var row = local; row < level.cells * level.cells; row += ALL) {
    sum += vec2f(coarseOld[2u * row], coarseOld[2u * row + 1u]);
  }
  sums[local] = sum;
  for (var stride = ALL / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (local < stride) {
      sums[local] += sums[local + stride];
    }
  }
  if (local == 0u) {
    coarseSource[0] = sums[0].x;
    coarseSource[1] = sums[0].y;
  }
}
//#end

@compute @workgroup_size(GROUP)
fn restrictLevel(invocation: Invocation) {
  let m = level.coarse;
  let i = flatIndex(invocation, GROUP);
  if (i >= m * m * m) { return; }
  let x = i % m;
  let y = i / m % m;
  let z = i / (m * m);
  var potential = 0.0;
  var residual = 0.0;
  for (var k = 0u; k < 8u; k++) {
    let at = place(level.cells, 2u * x + (k & 1u), 2u * y + ((k >> 1u) & 1u), 2u * z + (k >> 2u));
    potential += phi[at];
    residual += source[at] - operatorAt(at).x;
  }
  let to = place(m, x, y, z);
  coarsePhi[to] = 0.125 * potential;
  coarseSource[to] = 0.125 * residual;
}

// Of a coarser level that has its first potential with ghosts: what it was, and the scheme's source.
@compute @workgroup_size(GROUP)
fn remember(invocation: Invocation) {
  let side = level.cells + 2u;
  let i = flatIndex(invocation, GROUP);
  if (i >= side * side * side) { return; }
  old[i] = phi[i];
  let x = i % side;
  let y = i / side % side;
  let z = i / (side * side);
  if (x == 0u || x > level.cells || y == 0u || y > level.cells || z == 0u || z > level.cells) { return; }
  source[i] += operatorAt(i).x;
}

fn change(i: u32) -> f32 {
  return coarsePhi[i] - coarseOld[i];
}

@compute @workgroup_size(GROUP)
fn prolong(invocation: Invocation) {
  let n = level.cells;
  let index = flatIndex(invocation, GROUP);
  if (index >= n * n * n) { return; }
  let x = index % n;
  let y = index / n % n;
  let z = index / (n * n);
  let m = level.coarse + 2u;
  let i = place(level.coarse, x >> 1u, y >> 1u, z >> 1u);
  let j = select(i - 1u, i + 1u, (x & 1u) == 1u);
  let dy = select(0u - m, m, (y & 1u) == 1u);
  let dz = select(0u - m * m, m * m, (z & 1u) == 1u);
  let near = 3.0 * (3.0 * change(i) + change(i + dy)) + (3.0 * change(i + dz) + change(i + dy + dz));
  let far = 3.0 * (3.0 * change(j) + change(j + dy)) + (3.0 * change(j + dz) + change(j + dy + dz));
  phi[place(n, x, y, z)] += (3.0 * near + far) / 64.0;
}
