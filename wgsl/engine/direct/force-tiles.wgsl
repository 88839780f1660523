// Direct sum, sources through workgroup memory, as on GPUs from the first (Nyland, Harris & Prins 2007; Portegies Zwart+ 2007):
// the workgroup reads a tile of GROUP sources together, each invocation sums over it, and the next tile is on its way
// meanwhile. Tiles divide slices: GROUP divides SLICE.
//#import "lib/force-targets.wgsl"
//#import "../../lib/double-single.wgsl"
//#expects GROUP, placeOf, sourceRange, endOfStretch, STRETCHES, SLICES, SLICE

var<workgroup> tile: array<Body, GROUP>;

// Past the end one without mass: it adds zeros, which change no bit.
fn sourceAt(index: u32, end: u32) -> Body {
  var source = sources[min(index, max(end, 1u) - 1u)];
  source.mass = select(0.0, source.mass, index < end);
  return source;
}

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
  var next = sourceAt(first + l, range.y);
  for (var stretch = 0u; stretch < STRETCHES; stretch++) { // loops go to constants: see force.wgsl
    if (first >= range.y) { break; }
    let stop = min(range.y, endOfStretch(first));
    for (var turn = 0u; turn < SLICES; turn++) {
      var slice = Slice();
      for (var t = 0u; t < SLICE / GROUP; t++) {
        workgroupBarrier(); // the last tile has been read
        tile[l] = next;
        workgroupBarrier();
        next = sourceAt(first + (t + 1u) * GROUP + l, range.y);
        for (var k = 0u; k < GROUP; k++) { slice = withPairs(slice, here, tile[k]); }
      }
      folds = withFolded(folds, slice, slot, end, first);
      first += SLICE;
      if (first >= stop) { break; }
    }
    folds = withStretched(folds, stop);
  }
  endFolds(folds, slot, end);
}
