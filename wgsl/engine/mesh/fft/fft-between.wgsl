// Lines read from one buffer (or part of it) and written to another.
//#import "fft-lines.wgsl"
//#expects written

@group(0) @binding(2) var<storage, read_write> source: array<vec2f>; // read only; writable so that both may be parts of one buffer
@group(0) @binding(3) var<storage, read_write> destination: array<vec2f>;

fn loadPoint(place: Place, i: u32) -> vec2f {
  return source[sourceIndex(place, i)];
}

fn storePoint(place: Place, i: u32, v: vec2f) {
  if (written(place)) {
    destination[targetIndex(place, i)] = v;
  }
}
