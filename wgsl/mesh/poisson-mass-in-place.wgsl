// Rows of mass words, replaced by their transform.
//#import "fft-lines.wgsl"
//#import "poisson-mass.wgsl"
//#expects CELLS, written

@group(0) @binding(2) var<storage, read_write> field: array<vec2u>; // low words, then complex numbers
@group(0) @binding(3) var<storage, read> highWords: array<vec2u>;

fn loadPoint(place: Place, i: u32) -> vec2f {
  return massContrast(field[sourceIndex(place, i)], highWords[place.line * (CELLS / 2u) + i]);
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    field[targetIndex(place, i)] = bitcast<vec2u>(v);
  }
}
