// Number, mass and sums of terms in shells or rings, over the particles of given ids: integers and fixed point. What the bins
// and the terms are: bins-shells, -rings, -waves, -multipoles. A bin has a word for the number, two for mass and each sum.
//#import "reduction-particles.wgsl"
//#import "../../lib/wide-terms.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#expects MASS_UNITS, TOTALS_AT, SUMS
//#expects prepare, binOfSlot (NOWHERE for none), termsOf (of the particle whose bin was asked last)

// Terms at their scales, and one that stays zero: a shell has no others.
alias Terms = array<i32, SUMS + 1>;
alias BinSums = array<vec2u, SUMS + 1>;

// q to an integer at its scale, times the mass as a share of the heaviest.
fn fixed(q: f32, scale: f32, share: f32) -> i32 {
  return i32(round(q * scale * share));
}

fn keepBin(bin: u32, count: u32, mass: vec2u, sums: ptr<function, BinSums>) {
  if (count == 0u) { return; }
  let at = u32(TOTALS_AT) + bin * u32(3 + 2 * SUMS);
  atomicAdd(&totals[at], count);
  addWide(at + 1u, mass);
  for (var i = 0u; i < u32(SUMS); i++) { addWide(at + 3u + 2u * i, (*sums)[i]); }
}

@compute @workgroup_size(GROUP)
fn bins(invocation: Invocation) {
  let range = slots(invocation);
  prepare(invocation);
  // Neighbours in memory often share a bin: what they have goes there at once, and the last at the end.
  var bin = NOWHERE;
  var count = 0u;
  var mass = vec2u(0u);
  var sums: BinSums;
  for (var slot = range.x; slot <= range.y; slot++) {
    var own = NOWHERE;
    if (slot < range.y) {
      if (wanted(slot)) { own = binOfSlot(slot); }
      if (own == NOWHERE) { continue; }
    }
    if (own != bin) {
      keepBin(bin, count, mass, &sums);
      bin = own;
      count = 0u;
      mass = vec2u(0u);
      sums = BinSums();
    }
    if (own == NOWHERE) { break; }
    let units = massOf(slot);
    count += 1u;
    mass = plus(mass, vec2u(units, 0u));
    var terms = termsOf(slot, f32(units) / f32(MASS_UNITS));
    for (var i = 0u; i < u32(SUMS); i++) { sums[i] = plus(sums[i], signedTerm(terms[i])); }
  }
}
