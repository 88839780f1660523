// Direct sum, sources through workgroup memory: the workgroup reads a tile of GROUP sources together, then each
// invocation sums over it. Tiles divide slices, and runs tiles: RUN divides GROUP, which divides SLICE.
//#import "lib/force-targets.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Body, GROUP, sourceRange, SLICE

// Sources between two looks whether the tile ends: loops to a constant need no guard against endless ones, and unroll.
const RUN = 8u;

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
      tile[l] = sources[min(j + l, last - 1u)];
      if (j + l >= last) { tile[l].mass = 0.0; } // adds zeros, which change no bit
      workgroupBarrier();
      let size = min(GROUP, last - j);
      for (var run = 0u; run < GROUP / RUN; run++) {
        if (run * RUN >= size) { break; }
        for (var k = 0u; k < RUN; k++) { slice = withPairs(slice, here, tile[run * RUN + k]); }
      }
    }
    folds = withFolded(folds, slice, slot, end, first);
  }
  endFolds(folds, slot, end);
}
