// Points of an axis that hold floats.
//#expects axis (struct Axis)

@group(0) @binding(2) var<storage, read_write> source: array<f32>; // read only; writable so that both may be parts of one buffer

// Zero beyond the range.
fn pointOf(outer: u32, lane: u32, point: u32) -> f32 {
  let i = point - axis.first;
  if (i >= axis.count) {
    return 0.0;
  }
  return source[(outer * axis.count + i) * axis.inner + lane];
}
