// Rows of a spectrum to one component of the pairs (ax, ay) of the force mesh. With DERIVATIVE the row is multiplied by
// −ik first.
//#import "../fft/fft-butterflies.wgsl"
//#import "../fft/fft-lines.wgsl"
//#expects DERIVATIVE, written, CELLS, COMPONENT

@group(0) @binding(2) var<storage, read> source: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> force: array<f32>; // [n³, 2]
@group(0) @binding(4) var<storage, read> wavenumbers: array<f32>; // [modes] k along x, 0 at the Nyquist mode

fn loadPoint(place: Place, i: u32) -> vec2f {
  let v = source[sourceIndex(place, i)];
  if (DERIVATIVE) {
    return turned(v) * wavenumbers[i];
  }
  return v;
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    let first = 2u * (place.line * CELLS + 2u * i) + COMPONENT;
    force[first] = v.x;
    force[first + 2u] = v.y;
  }
}
