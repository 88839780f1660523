// Rows of mass words, replaced by their transform.
//#import "../fft/fft-lines.wgsl"
//#import "poisson-mass-rows.wgsl"
//#expects written

@group(0) @binding(2) var<storage, read_write> field: array<vec2u>; // low words, then complex numbers

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    field[targetIndex(place, i)] = bitcast<vec2u>(v);
  }
}
