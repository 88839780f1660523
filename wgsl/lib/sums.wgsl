// Sums that don't depend on the order of their terms: integers, 64 bits in an invocation and a workgroup, 96 bits in
// memory, added with carries. Two's complement, low word first.
//#import "wide-terms.wgsl"
//#expects QUANTITIES (sums that a kernel forms at once, at most GROUP), GROUP, totals (array<atomic<u32>>)

alias Sums = array<vec2u, QUANTITIES>;

var<workgroup> lanes: array<vec2u, QUANTITIES * GROUP>;

// Adds the sums of all invocations of the workgroup to the 3-word totals from `first` on. Uniform control flow only.
fn addToTotals(sums: ptr<function, Sums>, first: u32, local: u32) {
  for (var q = 0u; q < QUANTITIES; q++) {
    lanes[q * GROUP + local] = (*sums)[q];
  }
  workgroupBarrier();
  if (local < QUANTITIES) {
    var sum = vec2u(0u);
    for (var lane = 0u; lane < GROUP; lane++) {
      sum = plus(sum, lanes[local * GROUP + lane]);
    }
    if (any(sum != vec2u(0u))) { addToTotal(first + 3u * local, sum); }
  }
}

fn addToTotal(at: u32, term: vec2u) {
  var above = bitcast<u32>(bitcast<i32>(term.y) >> 31u);
  if (atomicAdd(&totals[at + 1u], term.y) > ~term.y) {
    above += 1u;
  }
  if (atomicAdd(&totals[at], term.x) > ~term.x) {
    if (atomicAdd(&totals[at + 1u], 1u) == 0xffffffffu) {
      above += 1u;
    }
  }
  if (above != 0u) {
    atomicAdd(&totals[at + 2u], above);
  }
}

// A total as a float, to float's precision whatever its sign.
fn totalAsFloat(at: u32) -> f32 {
  var words = vec3u(atomicLoad(&totals[at]), atomicLoad(&totals[at + 1u]), atomicLoad(&totals[at + 2u]));
  let negative = words.z >= 0x80000000u;
  if (negative) {
    let low = ~words.x + 1u;
    let middle = ~words.y + select(0u, 1u, low == 0u);
    words = vec3u(low, middle, ~words.z + select(0u, 1u, low == 0u && middle == 0u));
  }
  let size = f32(words.z) * 0x1p64 + f32(words.y) * 0x1p32 + f32(words.x);
  return select(size, -size, negative);
}
