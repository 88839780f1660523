// Rows of mass words, transformed into another buffer.
//#import "fft-lines.wgsl"
//#import "poisson-mass.wgsl"
//#expects CELLS, written

@group(0) @binding(2) var<storage, read> field: array<vec2u>; // low words
@group(0) @binding(3) var<storage, read> highWords: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> spectrum: array<vec2f>;

fn loadPoint(place: Place, i: u32) -> vec2f {
  return massContrast(field[sourceIndex(place, i)], highWords[place.line * (CELLS / 2u) + i]);
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    spectrum[targetIndex(place, i)] = v;
  }
}
