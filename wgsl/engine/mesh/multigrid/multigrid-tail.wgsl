// The small levels in one workgroup, in its own memory: the program lists what a cycle does from level TOP down and back,
// one operation on a level after the other. Level k has TOP >> k cells a side; source and potential are those of level
// TOP, rows of TOP.
//#import "multigrid-level.wgsl"
//#expects TAIL_CELLS (cells of all levels together), TAIL_GROUP, TOP, ISOLATED

@group(0) @binding(3) var<storage, read> program: array<vec2u>;
@group(0) @binding(4) var<storage, read> relaxation: array<vec2f>; // per level of the tail: wall, its own ω

// Operations of the program, one barrier each; low byte of the word. The count of cells is behind it.
const OP_RED = 0u; // half sweeps with ω of the level uniform
const OP_BLACK = 1u;
const OP_SOLVE_RED = 2u; // half sweeps with the level's own ω
const OP_SOLVE_BLACK = 3u;
const OP_RESTRICT = 4u; // residual of a level → source of the next, potential 0
const OP_PROLONG = 5u; // correction of the next level → potential of a level

var<workgroup> phi: array<f32, TAIL_CELLS>;
var<workgroup> rhs: array<f32, TAIL_CELLS>;
var<workgroup> partials: array<f32, TAIL_GROUP>;

struct Place {
  side: u32,
  base: u32, // where the level begins
  wall: f32,
}

fn placeOf(k: u32) -> Place {
  let side = TOP >> k;
  // Σ_{j<k} (TOP/2^j)³, a geometric series: 8/7 of the difference of first and last.
  return Place(side, (TOP * TOP * TOP - side * side * side) / 7u * 8u, relaxation[k].x);
}

fn cellOf(i: u32, n: u32) -> vec3u {
  return vec3u(i % n, i / n % n, i / n / n);
}

// Sum of the six neighbours of a cell in .x, and the diagonal in .y.
fn around(place: Place, cell: vec3u) -> vec2f {
  let n = place.side;
  let here = place.base + (cell.z * n + cell.y) * n + cell.x;
  let stride = vec3u(1u, n, n * n);
  let atLow = cell == vec3u(0u);
  let atHigh = cell == vec3u(n - 1u);
  var low = vec3u(here) - stride;
  var high = vec3u(here) + stride;
  var lowWeight = vec3f(1.0);
  var highWeight = vec3f(1.0);
  var diagonal = 6.0;
  if (ISOLATED) {
    low = select(low, vec3u(here), atLow);
    high = select(high, vec3u(here), atHigh);
    lowWeight = select(lowWeight, vec3f(0.0), atLow);
    highWeight = select(highWeight, vec3f(0.0), atHigh);
    diagonal += place.wall * (6.0 - dot(lowWeight + highWeight, vec3f(1.0)));
  } else {
    low = select(low, vec3u(here) + (n - 1u) * stride, atLow);
    high = select(high, vec3u(here) - (n - 1u) * stride, atHigh);
  }
  let x = phi[low.x] * lowWeight.x + phi[high.x] * highWeight.x;
  let y = phi[low.y] * lowWeight.y + phi[high.y] * highWeight.y;
  let z = phi[low.z] * lowWeight.z + phi[high.z] * highWeight.z;
  return vec2f(x + y + z, diagonal);
}

fn restrictedAt(place: Place, coarse: vec3u, eight: u32) -> f32 {
  let n = place.side;
  var sum = 0.0;
  // A count that the compiler doesn't know keeps it from unrolling, which takes it seconds.
  for (var c = 0u; c < eight; c++) {
    let cell = 2u * coarse + vec3u(c & 1u, (c >> 1u) & 1u, c >> 2u);
    let at = place.base + (cell.z * n + cell.y) * n + cell.x;
    let beside = around(place, cell);
    sum += rhs[at] - beside.x + beside.y * phi[at];
  }
  return 0.5 * sum;
}

fn interpolatedAt(below: Place, cell: vec3u, eight: u32) -> f32 {
  let m = i32(below.side);
  let near = vec3i(cell / 2u);
  let away = vec3i(cell & vec3u(1u)) * 2 - 1;
  var sum = 0.0;
  for (var c = 0u; c < eight; c++) {
    let far = vec3i(vec3u(c & 1u, (c >> 1u) & 1u, c >> 2u));
    var weights = select(vec3f(0.75), vec3f(0.25), far == vec3i(1));
    var other = near + far * away;
    if (ISOLATED) {
      let inside = clamp(other, vec3i(0), vec3i(m - 1));
      weights *= select(vec3f(1.0), vec3f(-below.wall), other != inside);
      other = inside;
    } else {
      other = (other + m) % m;
    }
    sum += weights.x * weights.y * weights.z * phi[below.base + u32((other.z * m + other.y) * m + other.x)];
  }
  return sum;
}

@compute @workgroup_size(TAIL_GROUP)
fn tail(@builtin(local_invocation_index) local: u32) {
  let size = TOP * TOP * TOP;
  var sum = 0.0;
  for (var i = local; i < size; i += TAIL_GROUP) {
    rhs[i] = source[i];
    sum += source[i];
    phi[i] = potential[i];
  }
  partials[local] = sum;
  workgroupBarrier();
  if (!ISOLATED) {
    // Rounding leaves the source a mean that no periodic potential has.
    var mean = 0.0;
    for (var i = 0u; i < TAIL_GROUP; i++) {
      mean += partials[i];
    }
    mean /= f32(size);
    for (var i = local; i < size; i += TAIL_GROUP) {
      rhs[i] -= mean;
    }
    workgroupBarrier();
  }
  for (var step = 0u; step < arrayLength(&program); step++) {
    let operation = program[step].x & 255u;
    let count = program[step].x >> 8u;
    let k = program[step].y & 255u;
    let eight = program[step].y >> 8u;
    let place = placeOf(k);
    let below = placeOf(k + 1u);
    let n = place.side;
    let omega = select(level.omega, relaxation[k].y, operation >= OP_SOLVE_RED);
    for (var i = local; i < count; i += TAIL_GROUP) {
      if (operation <= OP_SOLVE_BLACK) {
        var cell = cellOf(2u * i, n);
        cell.x += (operation + cell.y + cell.z) & 1u;
        let at = place.base + (cell.z * n + cell.y) * n + cell.x;
        let beside = around(place, cell);
        phi[at] += omega * ((beside.x - rhs[at]) / beside.y - phi[at]);
      } else if (operation == OP_RESTRICT) {
        rhs[below.base + i] = restrictedAt(place, cellOf(i, below.side), eight);
        phi[below.base + i] = 0.0;
      } else {
        phi[place.base + i] += interpolatedAt(below, cellOf(i, n), eight);
      }
    }
    workgroupBarrier();
  }
  for (var i = local; i < size; i += TAIL_GROUP) {
    potential[i] = phi[i];
  }
}
