// Direct sum, sources through workgroup memory: the workgroup reads a tile of GROUP sources together, then each
// invocation sums over it. Tiles divide slices: GROUP divides SLICE.
//#import "lib/force-targets.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Body, GROUP, sourceRange, endOfStretch, STRETCHES, SLICES, SLICE

var<workgroup> tile: array<Body, GROUP>;

@compute @workgroup_size(GROUP)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let slot = firstSlot(w.x, l);
  let here = bodiesFrom(slot, end);
  var folds = foldsBefore(slot, end);
  let range = select(vec2u(0u), sourceRange(w.y), firstSlot(w.x, 0u) < end); // past the end there is nothing to do
  var first = range.x;
  for (var stretch = 0u; stretch < STRETCHES; stretch++) {
    if (first >= range.y) { break; }
    let stop = min(range.y, endOfStretch(first));
    for (var turn = 0u; turn < SLICES; turn++) {
      let last = min(first + SLICE, stop);
      var slice = noSlice();
      for (var t = 0u; t < SLICE / GROUP; t++) {
        let j = first + t * GROUP;
        workgroupBarrier(); // the last tile has been read
        if (j + l < last) { tile[l] = sources[j + l]; }
        workgroupBarrier();
        let size = min(GROUP, last - j);
        for (var k = 0u; k < GROUP; k++) { // to a constant: see force.wgsl
          if (k >= size) { break; }
          slice = withPairs(slice, here, tile[k]);
        }
        if (j + GROUP >= last) { break; }
      }
      folds = withFolded(folds, slice, slot, end, first);
      first += SLICE;
      if (first >= stop) { break; }
    }
    folds = withStretched(folds, stop);
  }
  endFolds(folds, slot, end);
}
