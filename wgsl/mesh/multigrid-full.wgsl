// Full multigrid, for a cold start: the source itself and the boundary's values go to the coarser levels, and a level's
// potential is the trilinear interpolation of the coarser level's. One cell an invocation: this runs once.
//#import "../lib/grid.wgsl"
//#import "multigrid-level.wgsl"
//#expects ISOLATED, coarseFacesBegin, coarseGhostOf, coarsePlaneOf, coarseSourcePlane, facesBegin, transferFirst, transferPlanes

const GROUP = 64u;

// F_H = 4·mean(F) and potential 0.
@compute @workgroup_size(GROUP)
fn restrictSource(invocation: Invocation) {
  let coarse = level.cells / 2u;
  let i = flatIndex(invocation, GROUP);
  if (i >= transferPlanes(coarse) * coarse * coarse) {
    return;
  }
  let x = i % coarse;
  let y = i / coarse % coarse;
  let z = transferFirst() + i / coarse / coarse;
  var sum = 0.0;
  for (var k = 0u; k < 4u; k++) {
    let row = sourceRowOf(2u * y + (k & 1u), 2u * z + (k >> 1u)) + 2u * x;
    sum += source[row] + source[row + 1u];
  }
  coarseSource[(coarseSourcePlane(z) * coarse + y) * coarse + x] = 0.5 * sum;
  coarsePotential[(coarsePlaneOf(z, coarse) * coarse + y) * coarse + x] = 0.0;
}

// Means of 4 boundary values, for all faces: `potential` and `coarsePotential` are what holds their ghosts.
@compute @workgroup_size(GROUP)
fn restrictFaces(invocation: Invocation) {
  let n = level.cells;
  let coarse = n / 2u;
  let i = flatIndex(invocation, GROUP);
  if (i >= 6u * coarse * coarse) {
    return;
  }
  let face = i / coarse / coarse;
  let u = i % coarse;
  let v = i / coarse % coarse;
  let one = facesBegin(n) + (face * (n + 2u) + 2u * v + 1u) * (n + 2u) + 2u * u + 1u;
  let two = one + n + 2u;
  let into = coarseFacesBegin(coarse) + (face * (coarse + 2u) + v + 1u) * (coarse + 2u) + u + 1u;
  coarsePotential[into] = 0.25 * ((potential[one] + potential[one + 1u]) + (potential[two] + potential[two + 1u]));
}

// Boundary value of the coarser level at (u, v) of a face, as its ghosts count it.
fn coarseGhost(face: i32, u: i32, v: i32) -> f32 {
  return (1.0 + level.coarseWall) * coarsePotential[coarseGhostOf(u32(face), u32(v), level.cells / 2u) + u32(u)];
}

fn coarseCell(cell: vec3i) -> f32 {
  let m = level.cells / 2u;
  let c = vec3u(cell);
  return coarsePotential[(coarsePlaneOf(c.z, m) * m + c.y) * m + c.x];
}

// The coarser level at a cell that may be a ghost on each axis.
fn coarseAt(cell: vec3i) -> f32 {
  let m = i32(level.cells / 2u);
  if (!ISOLATED) {
    return coarseCell((cell + m) % m);
  }
  let c = clamp(cell, vec3i(0), vec3i(m - 1));
  var value = coarseCell(c);
  let up = vec3i(cell > c);
  if (cell.x != c.x) {
    value = coarseGhost(up.x, c.y, c.z) - level.coarseWall * value;
  }
  if (cell.y != c.y) {
    value = coarseGhost(2 + up.y, c.x, c.z) - level.coarseWall * value;
  }
  if (cell.z != c.z) {
    value = coarseGhost(4 + up.z, c.x, c.y) - level.coarseWall * value;
  }
  return value;
}

@compute @workgroup_size(GROUP)
fn interpolate(invocation: Invocation) {
  let n = level.cells;
  let i = flatIndex(invocation, GROUP);
  if (i >= 2u * transferPlanes(n / 2u) * n * n) {
    return;
  }
  let fine = vec3u(i % n, i / n % n, 2u * transferFirst() + i / n / n);
  let cell = vec3i(fine);
  let near = cell / 2;
  let away = (cell & vec3i(1)) * 2 - 1;
  var sum = 0.0;
  for (var k = 0; k < 8; k++) {
    let far = vec3i(k & 1, (k >> 1) & 1, k >> 2);
    let weights = select(vec3f(0.75), vec3f(0.25), far == vec3i(1));
    sum += weights.x * weights.y * weights.z * coarseAt(near + far * away);
  }
  potential[rowOf(fine.y, fine.z) + fine.x] = sum;
}
