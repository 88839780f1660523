// Spectrum of one linear functional of the Gaussian field, sampled at the centres of the lattice's cells:
//   X_m = f(m) [A(|m|²) g(m) e^{iπ(mx+my+mz)/n} + what is added],  f = i m_j (a displacement) or (2π/L) m_i m_j (a second derivative of φ₁),
//   A = √(P/L³) L/(2π|m|²)
// g: complex normal deviate, ⟨|g|²⟩ = 1, or of modulus 1 where amplitudes are fixed; g(−m) = g*(m). It is drawn anew in every
// pass, which saves a mesh, and from the wave vector itself, so that a finer lattice has the same modes.
//#import "../../lib/grid.wgsl"
//#import "lattice.wgsl"
//#import "../../lib/philox.wgsl"
//#import "../../lib/unit-circle.wgsl"
//#import "deviates.wgsl"
//#expects STREAM, FIXED, ADDED (whether something is)

struct Functional {
  // f = dot(first, m) · (dot(second, m) + constant), times i where it is imaginary.
  first: vec3f,
  imaginary: u32,
  second: vec3f,
  constant: f32,
  firstMode: u32, // of the slab
  modes: u32,
}

@group(0) @binding(0) var<uniform> functional: Functional;
@group(0) @binding(1) var<uniform> seed: vec2u;
@group(0) @binding(2) var<storage, read> amplitudes: array<f32>; // [3(n/2−1)² + 1] A by |m|²
@group(0) @binding(3) var<storage, read> turns: array<u32>; // [2n] πj/n as a fraction of a turn, in units of 2^-32
@group(0) @binding(4) var<storage, read_write> spectrum: array<vec2f>; // of the slab
//#if ADDED
@group(0) @binding(5) var<storage, read> added: array<vec2f>; // of the slab: what local non-Gaussianity adds to A g
//#end

// Of the two modes m and −m, is it the one that is drawn?
fn drawn(m: vec3i) -> bool {
  return m.x > 0 || (m.x == 0 && (m.y > 0 || (m.y == 0 && m.z > 0)));
}

// A g, as seen from the centres of the lattice's cells.
fn gaussianMode(mode: Mode) -> vec2f {
  let direct = drawn(mode.m);
  let counter = select(-mode.m, mode.m, direct);
  let words = philox4x32(vec4u(bitcast<vec3u>(counter), STREAM), seed);
  // Angles are words: sums wrap as turns do.
  let shift = turns[u32(mode.m.x + mode.m.y + mode.m.z + 2 * i32(SIDE)) % (2u * SIDE)];
  let angle = select(0u - words.y, words.y, direct) + shift;
  var radius = amplitudes[mode.square];
  if (!FIXED) { radius *= sqrt(exponentialDeviate(words.x)); }
  return unitCircle(angle) * radius;
}

// A g alone.
@compute @workgroup_size(GROUP)
fn gaussian(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= functional.modes) { return; }
  let mode = modeAt(functional.firstMode + index);
  var value = vec2f(0.0);
  if (mode.kept) { value = gaussianMode(mode); }
  spectrum[index] = value;
}

@compute @workgroup_size(GROUP)
fn modes(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= functional.modes) { return; }
  let mode = modeAt(functional.firstMode + index);
  if (!mode.kept) {
    spectrum[index] = vec2f(0.0);
    return;
  }
  var value = gaussianMode(mode);
//#if ADDED
  value += added[index];
//#end
  let m = vec3f(mode.m);
  value *= dot(functional.first, m) * (dot(functional.second, m) + functional.constant);
  spectrum[index] = select(value, -turnedBack(value), functional.imaginary == 1u);
}
