// Direct sum, sources through the registers of a subgroup: eight lanes read a source each, and every lane gets them one
// after the other. Where a read of one address by all lanes costs as much as one of eight addresses (processors that
// run a subgroup as a vector), this saves seven of eight reads.
// Subgroups have at least eight lanes.
//#import "lib/force-targets.wgsl"
//#import "../../lib/double-single.wgsl"
//#import "lib/body-lanes.wgsl"
//#expects GROUP, placeOf, sourceRange, endOfStretch, STRETCHES, SLICES, SLICE

const LANES = 8u;

@compute @workgroup_size(GROUP)
fn sum(
  @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
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
      let begin = first + lane % LANES;
      let eights = (last - first + LANES - 1u) / LANES;
      var slice = Slice();
      for (var eight = 0u; eight < SLICE / LANES; eight++) { // to a constant: see force.wgsl
        let mine = begin + eight * LANES;
        var own = sources[min(mine, last - 1u)];
        own.mass = select(0.0, own.mass, mine < last); // adds zeros, which change no bit
        slice = withPairs(slice, here, bodyOfLane(own, 0u));
        slice = withPairs(slice, here, bodyOfLane(own, 1u));
        slice = withPairs(slice, here, bodyOfLane(own, 2u));
        slice = withPairs(slice, here, bodyOfLane(own, 3u));
        slice = withPairs(slice, here, bodyOfLane(own, 4u));
        slice = withPairs(slice, here, bodyOfLane(own, 5u));
        slice = withPairs(slice, here, bodyOfLane(own, 6u));
        slice = withPairs(slice, here, bodyOfLane(own, 7u));
        if (eight + 1u >= eights) { break; }
      }
      folds = withFolded(folds, slice, slot, end, first);
      first += SLICE;
      if (first >= stop) { break; }
    }
    folds = withStretched(folds, stop);
  }
  endFolds(folds, slot, end);
}
