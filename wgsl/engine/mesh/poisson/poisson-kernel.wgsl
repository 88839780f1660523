// Open-space Green's function on the padded mesh (HE88 sect. 6-5-4; Vico, Greengard & Ferrando 2016): φ̂ = Ĝ ρ̂ with
// Ĝ real and even in each axis, one octant stored, of the run's modes kx. G and the mass unit are folded in.
// With DERIVATIVE, the z component of −ik φ̂.
//#import "../fft/fft-butterflies.wgsl"
//#import "../fft/fft-lines.wgsl"
//#expects TABLE (the octant's binding number), PERIOD, DERIVATIVE

@group(0) @binding(TABLE) var<storage, read> octant: array<f32>; // [SIDE][SIDE][lanes], x fastest
@group(0) @binding(TABLE + 1) var<storage, read> wavenumbers: array<f32>; // [PERIOD] k along z, 0 at the Nyquist mode

const SIDE = PERIOD / 2 + 1;

var<private> column: u32; // of the line, in the octant

// Index in the octant of a mode of the padded mesh.
fn folded(k: u32) -> u32 {
  return min(k, PERIOD - k);
}

fn prepareTransfer(place: Place) {
  column = folded(place.run) * lines.lanes + place.lane;
}

fn transferFactor(place: Place, kz: u32) -> f32 {
  return octant[folded(kz) * SIDE * lines.lanes + column];
}

fn transferred(factor: f32, kz: u32, v: vec2f) -> vec2f {
  let potential = v * factor;
  if (DERIVATIVE) {
    return turned(potential) * wavenumbers[kz];
  }
  return potential;
}
