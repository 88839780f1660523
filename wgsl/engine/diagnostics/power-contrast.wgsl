// Deposited mass, a 64-bit integer in two words, to the density contrast δ = ρ/ρ̄ − 1 in place. The mean is taken off
// in integers, so that a nearly uniform box keeps its contrast.
//#import "../../lib/grid.wgsl"
//#expects CELLS

struct Mean {
  low: u32, // whole part of the mean number of mass units in a cell
  high: u32,
  inverse: f32, // 1 / mean
}

@group(0) @binding(0) var<uniform> mean: Mean;
@group(0) @binding(1) var<storage, read_write> field: array<u32>; // [planes·n rows, n + 2] low words, then f32
@group(0) @binding(2) var<storage, read> high: array<u32>; // [planes·n^2]

const GROUP = 64u;
const SIDE = u32(CELLS);

@compute @workgroup_size(GROUP)
fn contrast(invocation: Invocation) {
  let cell = flatIndex(invocation, GROUP);
  if (cell >= arrayLength(&high)) { return; }
  let at = cell + 2u * (cell / SIDE);
  let word = field[at];
  var low = word - mean.low;
  var above = high[cell] - mean.high - select(0u, 1u, word < mean.low);
  let negative = above >= 0x80000000u;
  if (negative) {
    above = ~above + select(0u, 1u, low == 0u);
    low = ~low + 1u;
  }
  let size = (f32(above) * 0x1p32 + f32(low)) * mean.inverse;
  field[at] = bitcast<u32>(select(size, -size, negative));
}
