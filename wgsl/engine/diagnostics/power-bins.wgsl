// |δ_k|² summed over bins of wavenumber, deconvolved by the assignment window (Hockney & Eastwood 1988, sect. 5-3),
//   W(k) = Π_axis sinc(π k_axis/n)^ORDER,
// of one mesh or of an interlaced pair, whose mean, the second one's shift undone, lacks every alias of odd order
// (Hockney & Eastwood 1988, sect. 7-8; Sefusatti et al. 2016, MNRAS 460, 3624, sect. 3):
//   δ_k = ½ (A_k + e^{iπ(kx+ky+kz)/n} B_k),   k in units of the fundamental.
// `largest` finds each bin's greatest term, `sums` adds the terms as integers of 30 bits, so that their order doesn't matter.
// Spectra: [kz][ky][kx], kx = 0 … n/2, or a slab of their planes kz.
//#import "../../lib/grid.wgsl"
//#import "../../lib/integer-scale.wgsl"
//#import "../../lib/wide-terms.wgsl"
//#expects CELLS, INTERLACED

@group(0) @binding(0) var<storage, read> first: array<vec2f>; // A
@group(0) @binding(1) var<storage, read> second: array<vec2f>; // B
@group(0) @binding(2) var<storage, read> phases: array<vec2f>; // [2n] e^{iπ m/n}
@group(0) @binding(3) var<storage, read> windows: array<f32>; // [n/2] 1/W² of one axis
@group(0) @binding(4) var<storage, read> binOf: array<u32>; // [(n/2)²] by |k|²; NONE: not wanted
@group(0) @binding(5) var<storage, read_write> bins: array<atomic<u32>>; // [bins, 3] bits of the greatest term; sum, low and high word
@group(0) @binding(6) var<uniform> slab: Slab;

struct Slab {
  first: u32, // plane
  planes: u32,
}

const GROUP = 64u;
const SIDE = u32(CELLS);
const HALF = SIDE / 2u;
const NONE = 0xffffffffu;

// The modes that an invocation takes: kx, all ky, kz.
struct Column {
  kx: u32,
  kz: i32,
  square: u32, // kx² + kz²
  start: u32, // of its modes in the spectrum
  window: f32,
}

fn signedMode(j: u32) -> i32 {
  return select(i32(j), i32(j) - i32(SIDE), j > HALF);
}

fn columnOf(index: u32) -> Column {
  let kx = index % HALF;
  let plane = index / HALF;
  let kz = signedMode(slab.first + plane);
  let window = windows[kx] * windows[min(u32(abs(kz)), HALF - 1u)];
  return Column(kx, kz, kx * kx + u32(kz * kz), plane * SIDE * (HALF + 1u) + kx, window);
}

// Bin of a mode; modes on the Nyquist planes and beyond the last bin have none.
fn binAt(column: Column, ky: i32) -> u32 {
  let square = column.square + u32(ky * ky);
  if (square >= HALF * HALF) { return NONE; }
  return binOf[square];
}

fn power(column: Column, jy: u32, ky: i32) -> f32 {
  let at = column.start + jy * (HALF + 1u);
  var mode = first[at];
  if (INTERLACED) {
    let other = second[at];
    let turn = phases[u32(i32(column.kx) + ky + column.kz + 2 * i32(SIDE)) % (2u * SIDE)];
    let back = vec2f(turn.x * other.x - turn.y * other.y, turn.x * other.y + turn.y * other.x);
    mode = 0.5 * (mode + back);
  }
  return dot(mode, mode) * column.window * windows[u32(abs(ky))];
}

@compute @workgroup_size(GROUP)
fn largest(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= HALF * slab.planes) { return; }
  let column = columnOf(index);
  if (column.square >= HALF * HALF) { return; }
  var bin = NONE;
  var most = 0.0;
  for (var jy = 0u; jy < SIDE; jy++) {
    let ky = signedMode(jy);
    let here = binAt(column, ky);
    if (here != bin) {
      if (bin != NONE) { atomicMax(&bins[3u * bin], bitcast<u32>(most)); }
      bin = here;
      most = 0.0;
    }
    if (here != NONE) { most = max(most, power(column, jy, ky)); }
  }
  if (bin != NONE) { atomicMax(&bins[3u * bin], bitcast<u32>(most)); }
}

fn addToBin(bin: u32, sum: vec2u) {
  if (bin == NONE) { return; }
  let before = atomicAdd(&bins[3u * bin + 1u], sum.x);
  let carry = select(0u, 1u, before > ~sum.x);
  if (sum.y + carry != 0u) { atomicAdd(&bins[3u * bin + 2u], sum.y + carry); }
}

@compute @workgroup_size(GROUP)
fn sums(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= HALF * slab.planes) { return; }
  let column = columnOf(index);
  if (column.square >= HALF * HALF) { return; }
  // Half of the spectrum is stored: a mode with kx > 0 stands for its conjugate as well.
  let weight = select(2u, 1u, column.kx == 0u);
  var bin = NONE;
  var sum = vec2u(0u);
  var scale = 0.0;
  for (var jy = 0u; jy < SIDE; jy++) {
    let ky = signedMode(jy);
    let here = binAt(column, ky);
    if (here != bin) {
      addToBin(bin, sum);
      bin = here;
      sum = vec2u(0u);
      if (here != NONE) { scale = integerScale(atomicLoad(&bins[3u * here])); }
    }
    if (here != NONE) {
      sum = plus(sum, vec2u(weight * u32(power(column, jy, ky) * scale + 0.5), 0u));
    }
  }
  addToBin(bin, sum);
}
