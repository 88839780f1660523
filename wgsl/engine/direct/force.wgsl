// Direct sum, sources read from global memory (Fujiwara & Nakasato 2009): without unrolling (figure 2, TARGETS = 1),
// targets unrolled (figure 3, TARGETS = 4), targets and sources unrolled (figure 4, TARGETS = 4, SOURCES = 4).
// Sources in slices of SLICE: float32 within a slice, in their order; pairs across slices. Loops over stretches, slices and
// sources go to a constant, with a break before the end: others get a guard against endless ones from the compiler of
// WGSL, which costs a third of the arithmetic of a pair, and words that wait at every barrier; a loop of one turn is none.
//#import "lib/force-targets.wgsl"
//#import "../../lib/double-single.wgsl"
//#expects GROUP, placeOf, sourceRange, endOfStretch, STRETCHES, SLICES, SLICE, SOURCES

@compute @workgroup_size(GROUP)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let at = placeOf(w);
  let slot = firstSlot(at.x, l);
  let here = bodiesFrom(slot, end);
  var folds = foldsBefore(slot, end);
  let range = select(vec2u(0u), sourceRange(at.y), firstSlot(at.x, 0u) < end); // past the end there is nothing to do
  var first = range.x;
  for (var stretch = 0u; stretch < STRETCHES; stretch++) {
    if (first >= range.y) { break; }
    let stop = min(range.y, endOfStretch(first));
    for (var turn = 0u; turn < SLICES; turn++) {
      let last = min(first + SLICE, stop);
      var slice = Slice();
      var done = 0u;
      if (SOURCES == 4u) {
        done = (last - first) & ~3u;
        for (var four = 0u; four < SLICE / 4u; four++) {
          if (4u * four >= done) { break; }
          let j = first + 4u * four;
          let p = sources[j];
          let q = sources[j + 1u];
          let r = sources[j + 2u];
          let s = sources[j + 3u];
          slice = withPairs(slice, here, p);
          slice = withPairs(slice, here, q);
          slice = withPairs(slice, here, r);
          slice = withPairs(slice, here, s);
        }
      }
      for (var k = done; k < SLICE; k++) {
        if (first + k >= last) { break; }
        slice = withPairs(slice, here, sources[first + k]);
      }
      folds = withFolded(folds, slice, slot, end, first);
      first += SLICE;
      if (first >= stop) { break; }
    }
    folds = withStretched(folds, stop);
  }
  endFolds(folds, slot, end);
}
