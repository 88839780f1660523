// Periodic Green's function: φ̂ = −4πG ρ̂ / (K_x + K_y + K_z), 0 at k = 0 (HE88 ch. 6), with K = k² (exact) or
// (2 sin(kh/2)/h)² (discrete) from a float64 table in which 4πG, the mass unit and 1/n³ are already folded.
// With DERIVATIVE, the z component of −ik φ̂; with NEUTRINOS times what their response adds, by |m|.
//#import "../fft/fft-butterflies.wgsl"
//#import "../fft/fft-lines.wgsl"
//#expects TABLE (the first table's binding number), DERIVATIVE, NEUTRINOS, LENGTH

@group(0) @binding(TABLE) var<storage, read> laplacian: array<f32>; // [n] K, with NEUTRINOS then factors at |m| = 0, 1, …
@group(0) @binding(TABLE + 1) var<storage, read> wavenumbers: array<f32>; // [n] k along z, 0 at the Nyquist mode

var<private> lineShare: f32; // K_x + K_y of the line
var<private> modeOfLine: vec2u;

fn prepareTransfer(place: Place) {
  modeOfLine = vec2u(lines.firstMode + place.lane, place.run);
  lineShare = laplacian[modeOfLine.x] + laplacian[modeOfLine.y];
}

fn transferFactor(place: Place, kz: u32) -> f32 {
  let sum = lineShare + laplacian[kz];
  let factor = select(-1.0 / sum, 0.0, sum == 0.0);
  if (NEUTRINOS) {
    let k = vec3u(modeOfLine, kz);
    let m = length(vec3f(min(k, LENGTH - k)));
    let low = LENGTH + u32(m);
    return factor * mix(laplacian[low], laplacian[low + 1u], fract(m));
  }
  return factor;
}

fn transferred(factor: f32, kz: u32, v: vec2f) -> vec2f {
  let potential = v * factor;
  if (DERIVATIVE) {
    return turned(potential) * wavenumbers[kz];
  }
  return potential;
}
