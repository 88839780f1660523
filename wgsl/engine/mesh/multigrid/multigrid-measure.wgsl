// Sums over the finest level that depend on neither the adapter's scheduling nor the variant of other kernels: every invocation adds
// up SHARE cells a fixed stride apart, slab after slab, `total` adds those PARTIALS sums in a fixed order. MEASURE is SOURCE, RESIDUAL
// (their squares), POTENTIAL or SIZE (its square).
//#import "../../../lib/grid.wgsl"
//#import "multigrid-level.wgsl"
//#expects MEASURE, POTENTIAL, SIZE, SOURCE, laplacianAt, PARTIALS, SHARE

@group(0) @binding(3) var<storage, read_write> partials: array<f32>; // [PARTIALS]
@group(0) @binding(4) var<storage, read_write> totals: array<f32>;

const GROUP = 64u;
const TOTAL_GROUP = 256u;

// What cell i of the mesh adds.
fn cellValue(i: u32) -> f32 {
  let n = level.cells;
  let at = i + (planeOf(slab.first, n) - slab.first) * n * n;
  if (MEASURE == POTENTIAL) {
    return potential[at];
  }
  if (MEASURE == SIZE) {
    return potential[at] * potential[at];
  }
  let x = i % n;
  let rowIndex = i / n;
  let f = source[sourceRowOf(rowIndex % n, rowIndex / n) + x];
  if (MEASURE == SOURCE) {
    return f * f;
  }
  let residual = f - laplacianAt(x, rowIndex % n, rowIndex / n);
  return residual * residual;
}

@compute @workgroup_size(GROUP)
fn measure(invocation: Invocation) {
  let plane = level.cells * level.cells;
  let begin = slab.first * plane;
  let end = begin + slab.planes * plane;
  let index = begin / (GROUP * SHARE) * GROUP + flatIndex(invocation, GROUP);
  if (index >= PARTIALS) {
    return;
  }
  // A workgroup takes a chunk of neighbours, GROUP at a time.
  let first = index / GROUP * (GROUP * SHARE) + index % GROUP;
  var sum = 0.0;
  if (first < begin) {
    sum = partials[index]; // begun in the slab before
  }
  for (var i = 0u; i < SHARE; i++) {
    let cell = first + i * GROUP;
    if (cell >= begin && cell < end) {
      sum += cellValue(cell);
    }
  }
  partials[index] = sum;
}

var<workgroup> sums: array<f32, TOTAL_GROUP>;

// totals[MEASURE]: the mean over the cells.
@compute @workgroup_size(TOTAL_GROUP)
fn total(@builtin(local_invocation_index) local: u32) {
  var sum = 0.0;
  for (var i = local; i < PARTIALS; i += TOTAL_GROUP) {
    sum += partials[i];
  }
  sums[local] = sum;
  for (var stride = TOTAL_GROUP / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (local < stride) {
      sums[local] += sums[local + stride];
    }
  }
  if (local == 0u) {
    totals[MEASURE] = sums[0] / f32(level.cells * level.cells * level.cells);
  }
}
