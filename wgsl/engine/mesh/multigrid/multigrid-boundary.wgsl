// Potential at the ghost centres of an isolated mesh: −Σ F/(4π r) over a coarse mesh of sources, with 1/r as a sum of
// Gaussians that factor over the axes (src/engine/mesh/multigrid/multigrid-boundary-tables.ts). Passes: halve, spread, normal, along1,
// along2, ghosts.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-slab.wgsl"
//#expects CELLS, COARSE (cells a side of the coarse mesh), QUADS (terms / 4), SOURCE_PITCH, HALVED

const SOURCE_MARGIN = 1u;
const TARGET_MARGIN = 2u;
const FACTOR = CELLS / COARSE;
const HALF_SIDE = 2u * COARSE; // cells a side at half the coarse cell
const SOURCES = COARSE + 2u * SOURCE_MARGIN;
const TARGETS = COARSE + 2u * TARGET_MARGIN;
const GHOSTS = CELLS + 2u; // per axis of a face

@group(0) @binding(0) var<storage, read> normalTable: array<vec4f>; // [QUADS × SOURCES] weight·exp(−a d²), low face
@group(0) @binding(1) var<storage, read> alongTable: array<vec4f>; // [QUADS × (TARGETS + 1)] exp(−a d²) by distance
@group(0) @binding(2) var<storage, read_write> first: array<f32>;
@group(0) @binding(3) var<storage, read_write> second: array<f32>;
@group(0) @binding(4) var<storage, read_write> planes: array<vec4f>; // [6, QUADS, SOURCES, SOURCES]
@group(0) @binding(5) var<storage, read_write> halves: array<vec4f>; // [6, QUADS, SOURCES, TARGETS]

const GROUP = 64u;

// SOURCES and QUADS as the compiler doesn't know them: it would unroll the sums, for many seconds.
fn sourceCount() -> u32 {
  return arrayLength(&normalTable) / QUADS;
}

fn quadCount() -> u32 {
  return arrayLength(&normalTable) / SOURCES;
}

// Sums of 8 cells: first [source of the mesh] → second [HALF_SIDE², half as many planes].
@compute @workgroup_size(GROUP)
fn halve(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= slab.planes / 2u * HALF_SIDE * HALF_SIDE) {
    return;
  }
  let x = 2u * (i % HALF_SIDE);
  let y = 2u * (i / HALF_SIDE % HALF_SIDE);
  let z = sourcePlane(slab.first, CELLS) + 2u * (i / HALF_SIDE / HALF_SIDE);
  var sum = 0.0;
  for (var k = 0u; k < 4u; k++) {
    let row = ((z + (k >> 1u)) * CELLS + y + (k & 1u)) * SOURCE_PITCH + x;
    sum += first[row] + first[row + 1u];
  }
  second[i] = sum;
}

// Linear spreading from cells of half a coarse cell: first [HALF_SIDE² a plane, or the mesh's source] → second [SOURCES³];
// slab after slab, each for the coarse planes that it reaches.
@compute @workgroup_size(GROUP)
fn spread(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= slab.transferPlanes * SOURCES * SOURCES) {
    return;
  }
  let pitch = select(SOURCE_PITCH, HALF_SIDE, HALVED);
  // Cells 2c − 1 … 2c + 2 of coarse cell c, weights ¼ ¾ ¾ ¼.
  let coarse = vec3u(i % SOURCES, i / SOURCES % SOURCES, slab.transferFirst + i / SOURCES / SOURCES);
  let corner = 2 * (vec3i(coarse) - i32(SOURCE_MARGIN)) - 1;
  let side = i32(HALF_SIDE);
  let begin = i32(slab.first);
  let end = begin + i32(slab.planes);
  let at = (coarse.z * SOURCES + coarse.y) * SOURCES + coarse.x;
  var sum = 0.0;
  if (max(corner.z, 0) < begin) {
    sum = second[at]; // begun in the slab before
  }
  for (var c = 0; c < 4; c++) {
    let z = corner.z + c;
    if (z < begin || z >= end) {
      continue;
    }
    for (var b = 0; b < 4; b++) {
      let y = corner.y + b;
      if (y < 0 || y >= side) {
        continue;
      }
      let row = (sourcePlane(u32(z), HALF_SIDE) * HALF_SIDE + u32(y)) * pitch;
      var line = 0.0;
      for (var a = 0; a < 4; a++) {
        let x = corner.x + a;
        if (x >= 0 && x < side) {
          line += select(0.25, 0.75, a == 1 || a == 2) * first[row + u32(x)];
        }
      }
      sum += select(0.25, 0.75, b == 1 || b == 2) * select(0.25, 0.75, c == 1 || c == 2) * line;
    }
  }
  second[at] = sum;
}

// Along the axis across a pair of faces: first [SOURCES³] → planes.
@compute @workgroup_size(GROUP)
fn normal(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  let size = SOURCES * SOURCES;
  if (i >= 3u * size) {
    return;
  }
  let axis = i / size;
  let u = i % SOURCES;
  let v = i % size / SOURCES;
  let stride = vec3u(1u, SOURCES, size);
  let start = u * stride[select(0u, 1u, axis == 0u)] + v * stride[select(2u, 1u, axis == 2u)];
  let count = sourceCount();
  var low: array<vec4f, QUADS>;
  var high: array<vec4f, QUADS>;
  for (var s = 0u; s < count; s++) {
    let value = first[start + s * stride[axis]];
    for (var q = 0u; q < QUADS; q++) {
      low[q] += value * normalTable[q * SOURCES + s];
      high[q] += value * normalTable[q * SOURCES + SOURCES - 1u - s];
    }
  }
  for (var q = 0u; q < QUADS; q++) {
    planes[(2u * axis * QUADS + q) * size + i % size] = low[q];
    planes[((2u * axis + 1u) * QUADS + q) * size + i % size] = high[q];
  }
}

// exp(−a d²) of the terms `q` between a target point and source s along a face; the target may be one before the first.
fn alongWeight(q: u32, point: i32, s: u32) -> vec4f {
  let distance = abs(point + i32(SOURCE_MARGIN) - i32(s + TARGET_MARGIN));
  return alongTable[q * (TARGETS + 1u) + u32(distance)];
}

// Along the face's first axis: planes → halves. Four neighbouring targets an invocation: from one source to the next the
// weights move on by one target.
@compute @workgroup_size(GROUP)
fn along1(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= 6u * QUADS * SOURCES * TARGETS / 4u) {
    return;
  }
  let line = i / (TARGETS / 4u); // (face·QUADS + q)·SOURCES + v
  let point = i32(4u * (i % (TARGETS / 4u)));
  let q = line / SOURCES % QUADS;
  let count = sourceCount();
  var w = array<vec4f, 4>(
    alongWeight(q, point, 0u), alongWeight(q, point + 1, 0u), alongWeight(q, point + 2, 0u), alongWeight(q, point + 3, 0u),
  );
  var sum: array<vec4f, 4>;
  for (var s = 0u; s < count; s++) {
    let value = planes[line * SOURCES + s];
    sum[0] += w[0] * value;
    sum[1] += w[1] * value;
    sum[2] += w[2] * value;
    sum[3] += w[3] * value;
    w[3] = w[2];
    w[2] = w[1];
    w[1] = w[0];
    w[0] = alongWeight(q, point, s + 1u);
  }
  for (var k = 0u; k < 4u; k++) {
    halves[4u * i + k] = sum[k];
  }
}

// Along the face's second axis, and the sum over the terms: halves → first [6, TARGETS, TARGETS], four targets again.
@compute @workgroup_size(GROUP)
fn along2(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= 6u * TARGETS * TARGETS / 4u) {
    return;
  }
  let u = i % TARGETS;
  let point = i32(4u * (i / TARGETS % (TARGETS / 4u)));
  let face = i / TARGETS / (TARGETS / 4u);
  let count = sourceCount();
  var sum: vec4f;
  for (var q = 0u; q < quadCount(); q++) {
    let plane = (face * QUADS + q) * SOURCES;
    var w = array<vec4f, 4>(
      alongWeight(q, point, 0u), alongWeight(q, point + 1, 0u), alongWeight(q, point + 2, 0u), alongWeight(q, point + 3, 0u),
    );
    for (var s = 0u; s < count; s++) {
      let value = halves[(plane + s) * TARGETS + u];
      sum += vec4f(dot(w[0], value), dot(w[1], value), dot(w[2], value), dot(w[3], value));
      w[3] = w[2];
      w[2] = w[1];
      w[1] = w[0];
      w[0] = alongWeight(q, point, s + 1u);
    }
  }
  for (var k = 0u; k < 4u; k++) {
    first[(face * TARGETS + u32(point) + k) * TARGETS + u] = sum[k];
  }
}

fn cubicWeights(t: f32) -> vec4f {
  return vec4f(
    -t * (t - 1.0) * (t - 2.0) / 6.0,
    (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0,
    -(t + 1.0) * t * (t - 2.0) / 2.0,
    (t + 1.0) * t * (t - 1.0) / 6.0,
  );
}

// Cubic interpolation to the ghost centres: first [6, TARGETS, TARGETS] → second, where the faces' ghosts begin.
@compute @workgroup_size(GROUP)
fn ghosts(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= 6u * GHOSTS * GHOSTS) {
    return;
  }
  let ghost = vec2u(i % GHOSTS, i / GHOSTS % GHOSTS);
  let face = i / GHOSTS / GHOSTS;
  // In coarse cells from the first target point; the first ghost lies half a cell outside the mesh.
  let place = (vec2f(ghost) - 0.5) / f32(FACTOR) - 0.5 + f32(TARGET_MARGIN);
  let start = vec2u(place) - 1u;
  let u = cubicWeights(fract(place.x));
  let v = cubicWeights(fract(place.y));
  var sum = 0.0;
  for (var b = 0u; b < 4u; b++) {
    let row = (face * TARGETS + start.y + b) * TARGETS + start.x;
    sum += v[b] * (u.x * first[row] + u.y * first[row + 1u] + u.z * first[row + 2u] + u.w * first[row + 3u]);
  }
  second[slab.facesBegin + i] = sum;
}
