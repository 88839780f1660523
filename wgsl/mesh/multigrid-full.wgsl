// Full multigrid, for a cold start: the source itself and the boundary's values go to the coarser levels, and a level's
// potential is the trilinear interpolation of the coarser level's. One cell an invocation: this runs once.
//#import "../lib/grid.wgsl"
//#import "multigrid-level.wgsl"
//#expects ISOLATED

const GROUP = 64u;

// F_H = 4·mean(F) and potential 0 for i < m³, then the means of 4 boundary values.
@compute @workgroup_size(GROUP)
fn restrictSource(invocation: Invocation) {
  let n = level.cells;
  let coarse = n / 2u;
  let i = flatIndex(invocation, GROUP);
  let x = 2u * (i % coarse);
  if (i < coarse * coarse * coarse) {
    let y = 2u * (i / coarse % coarse);
    let z = 2u * (i / coarse / coarse);
    var sum = 0.0;
    for (var k = 0u; k < 4u; k++) {
      let row = ((z + (k >> 1u)) * n + y + (k & 1u)) * level.sourcePitch + x;
      sum += source[row] + source[row + 1u];
    }
    coarseSource[i] = 0.5 * sum;
    coarsePotential[i] = 0.0;
  } else if (ISOLATED && i < coarse * coarse * (coarse + 6u)) {
    let line = i / coarse - coarse * coarse; // face·coarse + v
    let face = line / coarse;
    let v = line % coarse;
    let one = ghostRow(face, 2u * v) + x;
    let two = ghostRow(face, 2u * v + 1u) + x;
    coarsePotential[coarseGhostIndex(face, i % coarse, v)] =
      0.25 * ((potential[one] + potential[one + 1u]) + (potential[two] + potential[two + 1u]));
  }
}

fn coarseGhostIndex(face: u32, u: u32, v: u32) -> u32 {
  let m = level.cells / 2u;
  return m * m * m + (face * (m + 2u) + v + 1u) * (m + 2u) + u + 1u;
}

// Boundary value of the coarser level at (u, v) of a face, as its ghosts count it.
fn coarseGhost(face: i32, u: i32, v: i32) -> f32 {
  return (1.0 + level.coarseWall) * coarsePotential[coarseGhostIndex(u32(face), u32(u), u32(v))];
}

// The coarser level at a cell that may be a ghost on each axis.
fn coarseAt(cell: vec3i) -> f32 {
  let m = i32(level.cells / 2u);
  if (!ISOLATED) {
    let c = (cell + m) % m;
    return coarsePotential[(c.z * m + c.y) * m + c.x];
  }
  let c = clamp(cell, vec3i(0), vec3i(m - 1));
  var value = coarsePotential[(c.z * m + c.y) * m + c.x];
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
  if (i >= n * n * n) {
    return;
  }
  let cell = vec3i(vec3u(i % n, i / n % n, i / n / n));
  let near = cell / 2;
  let away = (cell & vec3i(1)) * 2 - 1;
  var sum = 0.0;
  for (var k = 0; k < 8; k++) {
    let far = vec3i(k & 1, (k >> 1) & 1, k >> 2);
    let weights = select(vec3f(0.75), vec3f(0.25), far == vec3i(1));
    sum += weights.x * weights.y * weights.z * coarseAt(near + far * away);
  }
  potential[i] = sum;
}
