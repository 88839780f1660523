// Lines read and written in one buffer.
//#import "fft-lines.wgsl"
//#expects written

@group(0) @binding(2) var<storage, read_write> mesh: array<vec2f>;

fn loadPoint(place: Place, i: u32) -> vec2f {
  return mesh[sourceIndex(place, i)];
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    mesh[targetIndex(place, i)] = v;
  }
}
