// Direct sum, sources through workgroup memory: the workgroup reads a tile of GROUP sources together, then each
// invocation sums over it. Tiles divide slices: GROUP divides SLICE.
//#import "lib/force-targets.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Body, GROUP, sourceRange, SLICE

var<workgroup> tile: array<Body, GROUP>;

@compute @workgroup_size(GROUP)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  if (firstSlot(w.x, 0u) >= end) { return; }
  let slot = firstSlot(w.x, l);
  let here = bodiesFrom(slot, end);
  var folds = foldsBefore(slot, end);
  let range = sourceRange(w.y);
  for (var first = range.x; first < range.y; first += SLICE) {
    let last = min(first + SLICE, range.y);
    var slice = noSlice();
    for (var j = first; j < last; j += GROUP) {
      workgroupBarrier(); // the last tile has been read
      if (j + l < last) { tile[l] = sources[j + l]; }
      workgroupBarrier();
      let size = min(GROUP, last - j);
      for (var k = 0u; k < GROUP; k++) { // to a constant: see force.wgsl
        if (k >= size) { break; }
        slice = withPairs(slice, here, tile[k]);
      }
    }
    folds = withFolded(folds, slice, slot, end, first);
  }
  endFolds(folds, slot, end);
}
