// Lines of a spectrum read from one buffer, multiplied by −ik (the negative derivative along the line) and written to
// another.
//#import "fft-butterflies.wgsl"
//#import "fft-lines.wgsl"
//#expects written

@group(0) @binding(2) var<storage, read> source: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> destination: array<vec2f>;
@group(0) @binding(4) var<storage, read> wavenumbers: array<f32>; // [modes] k along the line, 0 at the Nyquist mode

fn loadPoint(place: Place, i: u32) -> vec2f {
  return turned(source[sourceIndex(place, i)]) * wavenumbers[i];
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    destination[targetIndex(place, i)] = v;
  }
}
