// Reads the slice sums of force-split.wgsl, in the order of the slices, for the two ways to fold them.
//#expects Sums, Totals, STRETCH (slices), withSlice

@group(0) @binding(7) var<storage, read> slices: array<Sums>; // by slice, then slot

// The sums of slices [start, stop), from what there is of them already.
fn overSlices(before: Totals, column: u32, width: u32, start: u32, stop: u32) -> Totals {
  var sum = before;
  var at = start * width + column;
  var done = 0u;
  for (var turn = 0u; turn < STRETCH / 4u; turn++) { // four reads on their way at a time
    if (start + done + 4u > stop) { break; }
    let p = slices[at];
    let q = slices[at + width];
    let r = slices[at + 2u * width];
    let s = slices[at + 3u * width];
    sum = withSlice(withSlice(withSlice(withSlice(sum, p), q), r), s);
    at += 4u * width;
    done += 4u;
  }
  for (var rest = 0u; rest < 3u; rest++) {
    if (start + done >= stop) { break; }
    sum = withSlice(sum, slices[at]);
    at += width;
    done += 1u;
  }
  return sum;
}
