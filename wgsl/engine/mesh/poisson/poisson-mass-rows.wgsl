// Points of a line from the mass words of a row, two cells each.
//#import "../fft/fft-lines.wgsl"
//#import "poisson-mass.wgsl"
//#expects CELLS, field (low words)

@group(0) @binding(3) var<storage, read> highWords: array<vec2u>;

fn loadPoint(place: Place, i: u32) -> vec2f {
  return massContrast(field[sourceIndex(place, i)], highWords[place.line * (CELLS / 2u) + i]);
}
