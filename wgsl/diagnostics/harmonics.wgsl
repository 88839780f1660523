// Fourier sums in rings, multipoles in shells and motion in the pixels of a map, over the particles of given ids, wherever
// they lie: integers and fixed point, as in reductions.wgsl.
//   waves        number, mass, m cos kφ and m sin kφ for k = 1 … 6, m z, m z², m z cos 2φ, m z sin 2φ in rings
//   multipoles   number, mass and m S_lm for l = 1 … 4 in shells: S_lm = √(4π/(2l + 1)) Y_lm, real, so that Σ_m S_lm² = 1
//   velocityMap  mass, m v and m v² in the pixels of a map, v along its line of sight
// Words of `totals` are laid out as in src/diagnostics/harmonic-words.ts.
//#import "reduction-particles.wgsl"
//#import "../particles/mass.wgsl"
//#expects MASS_UNITS, TOTALS_AT, WAVE_SUMS, POLE_SUMS, PIXEL_WORDS, LARGEST_SPEED2

// |q| ≤ 1 in fixed point, as fine as a float32: an invocation's RUN terms, at most 127, stay below 2^31.
const ONE = 0x1p24;

fn unitTerm(q: f32, share: f32) -> i32 {
  return i32(round(q * ONE * share));
}

// Neighbours in memory often share a bin: what they have goes there at once. Number, mass, then sums of two words.
fn keepCount(at: u32, count: u32, mass: vec2u) {
  atomicAdd(&totals[at], count);
  addWide(at + 1u, mass);
}

alias Waves = array<f32, WAVE_SUMS>;

fn timesComplex(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(GROUP)
fn waves(invocation: Invocation) {
  let range = slots(invocation);
  let height = request.normal.w;
  var bin = NOWHERE;
  var count = 0u;
  var mass = vec2u(0u);
  var sums: array<i32, WAVE_SUMS>;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let d = turned(separation(slot));
    let r2 = d.x * d.x + d.y * d.y;
    let own = binOf(r2);
    if (own == NOWHERE || r2 == 0.0 || abs(d.z) > height) { continue; }
    if (own != bin) {
      if (count > 0u) { keepWaves(bin, count, mass, &sums); }
      bin = own;
      count = 0u;
      mass = vec2u(0u);
      sums = array<i32, WAVE_SUMS>();
    }
    let units = massOf(slot);
    let share = f32(units) / f32(MASS_UNITS);
    count += 1u;
    mass = plus(mass, vec2u(units, 0u));
    // e^{i(k+1)φ} = e^{ikφ} e^{iφ}
    let e1 = d.xy / sqrt(r2);
    let e2 = timesComplex(e1, e1);
    let e3 = timesComplex(e2, e1);
    let e4 = timesComplex(e2, e2);
    let e5 = timesComplex(e3, e2);
    let e6 = timesComplex(e3, e3);
    let z = d.z / height;
    var terms = Waves(
      e1.x, e1.y, e2.x, e2.y, e3.x, e3.y, e4.x, e4.y, e5.x, e5.y, e6.x, e6.y,
      z, z * z, z * e2.x, z * e2.y,
    );
    for (var i = 0; i < WAVE_SUMS; i++) { sums[i] += unitTerm(terms[i], share); }
  }
  if (count > 0u) { keepWaves(bin, count, mass, &sums); }
}

fn keepWaves(bin: u32, count: u32, mass: vec2u, sums: ptr<function, array<i32, WAVE_SUMS>>) {
  let at = u32(TOTALS_AT) + bin * u32(3 + 2 * WAVE_SUMS);
  keepCount(at, count, mass);
  for (var i = 0u; i < u32(WAVE_SUMS); i++) { addWide(at + 3u + 2u * i, signedTerm((*sums)[i])); }
}

alias Poles = array<f32, POLE_SUMS>;

// Of a unit vector, l = 1, 2, 3, 4, of each m = −l … l.
fn polesOf(d: vec3f) -> Poles {
  let x = d.x;
  let y = d.y;
  let z = d.z;
  let x2 = x * x;
  let y2 = y * y;
  let z2 = z * z;
  return Poles(
    y, z, x,
    1.7320508 * x * y, 1.7320508 * y * z, 0.5 * (3.0 * z2 - 1.0), 1.7320508 * x * z, 0.8660254 * (x2 - y2),
    0.79056942 * y * (3.0 * x2 - y2), 3.8729833 * x * y * z, 0.61237244 * y * (5.0 * z2 - 1.0),
    0.5 * z * (5.0 * z2 - 3.0),
    0.61237244 * x * (5.0 * z2 - 1.0), 1.9364917 * z * (x2 - y2), 0.79056942 * x * (x2 - 3.0 * y2),
    2.9580399 * x * y * (x2 - y2), 2.0916501 * y * z * (3.0 * x2 - y2), 1.1180340 * x * y * (7.0 * z2 - 1.0),
    0.79056942 * y * z * (7.0 * z2 - 3.0),
    0.125 * ((35.0 * z2 - 30.0) * z2 + 3.0),
    0.79056942 * x * z * (7.0 * z2 - 3.0), 0.55901699 * (x2 - y2) * (7.0 * z2 - 1.0),
    2.0916501 * x * z * (x2 - 3.0 * y2), 0.73950997 * (x2 * (x2 - 6.0 * y2) + y2 * y2),
  );
}

@compute @workgroup_size(GROUP)
fn multipoles(invocation: Invocation) {
  let range = slots(invocation);
  var bin = NOWHERE;
  var count = 0u;
  var mass = vec2u(0u);
  var sums: array<i32, POLE_SUMS>;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let d = turned(separation(slot));
    let r2 = dot(d, d);
    let own = binOf(r2);
    if (own == NOWHERE || r2 == 0.0) { continue; }
    if (own != bin) {
      if (count > 0u) { keepPoles(bin, count, mass, &sums); }
      bin = own;
      count = 0u;
      mass = vec2u(0u);
      sums = array<i32, POLE_SUMS>();
    }
    let units = massOf(slot);
    let share = f32(units) / f32(MASS_UNITS);
    count += 1u;
    mass = plus(mass, vec2u(units, 0u));
    var poles = polesOf(d / sqrt(r2));
    for (var i = 0u; i < u32(POLE_SUMS); i++) { sums[i] += unitTerm(poles[i], share); }
  }
  if (count > 0u) { keepPoles(bin, count, mass, &sums); }
}

fn keepPoles(bin: u32, count: u32, mass: vec2u, sums: ptr<function, array<i32, POLE_SUMS>>) {
  let at = u32(TOTALS_AT) + bin * u32(3 + 2 * POLE_SUMS);
  keepCount(at, count, mass);
  for (var i = 0u; i < u32(POLE_SUMS); i++) { addWide(at + 3u + 2u * i, signedTerm((*sums)[i])); }
}

@compute @workgroup_size(GROUP)
fn velocityMap(invocation: Invocation) {
  let range = slots(invocation);
  let speed = largestValue(LARGEST_SPEED2);
  let scale = scaleFor(speed);
  let scale2 = scaleFor(speed * speed);
  keepScale(0u, scale, invocation);
  keepScale(1u, scale2, invocation);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let u = positionOf(slot);
    let boxes = imageOffsets(imageOf(slot));
    let column = pixelOn(request.right, u, boxes);
    let row = pixelOn(request.up, u, boxes);
    if (column == NOWHERE || row == NOWHERE) { continue; }
    let pixel = (request.up.pixels - 1u - row) * request.right.pixels + column;
    let at = u32(TOTALS_AT) + pixel * u32(PIXEL_WORDS);
    let units = massOf(slot);
    let share = f32(units) / f32(MASS_UNITS);
    let v = velocityOf(slot)[request.depth] - request.velocity[request.depth];
    addWide(at, vec2u(units, 0u));
    addWide(at + 2u, term(v, scale, share));
    addWide(at + 4u, term(v * v, scale2, share));
  }
}
