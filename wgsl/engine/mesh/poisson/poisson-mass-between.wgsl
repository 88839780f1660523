// Rows of mass words, transformed into another buffer.
//#import "../fft/fft-lines.wgsl"
//#import "poisson-mass-rows.wgsl"
//#expects written

@group(0) @binding(2) var<storage, read> field: array<vec2u>; // low words
@group(0) @binding(5) var<storage, read_write> spectrum: array<vec2f>;

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    spectrum[targetIndex(place, i)] = v;
  }
}
