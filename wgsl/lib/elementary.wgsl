// Elementary functions to float32's precision: those of WGSL may be off by 2^-21 and more where potentials need all digits.

const LN2_HIGH = 0.693359375; // 10 bits
const LN2_LOW = -2.12194440e-4;

// m · 2^exponent with m from √½ to √2, of a normal number above 0.
struct Scaled {
  m: f32,
  exponent: f32,
}

fn scaledOf(x: f32) -> Scaled {
  let bits = bitcast<u32>(x) + (0x3f800000u - 0x3f3504f3u);
  return Scaled(bitcast<f32>((bits & 0x007fffffu) + 0x3f3504f3u), f32(i32(bits >> 23u) - 127));
}

// 2 artanh(z), |z| < 0.18.
fn twiceArtanh(z: f32) -> f32 {
  let q = z * z;
  let series = fma(q, fma(q, fma(q, fma(q, 1.0 / 9.0, 1.0 / 7.0), 0.2), 1.0 / 3.0), 1.0);
  return 2.0 * z * series;
}

// ln(1 + x), x ≥ 0.
fn logOnePlus(x: f32) -> f32 {
  if (x < 0.42) { return twiceArtanh(x / (2.0 + x)); }
  let y = scaledOf(1.0 + x);
  return fma(y.exponent, LN2_HIGH, fma(y.exponent, LN2_LOW, twiceArtanh((y.m - 1.0) / (y.m + 1.0))));
}

// ln x, x > 0.
fn logOf(x: f32) -> f32 {
  let y = scaledOf(x);
  return fma(y.exponent, LN2_HIGH, fma(y.exponent, LN2_LOW, twiceArtanh((y.m - 1.0) / (y.m + 1.0))));
}

// (e^x − 1)/x, |x| ≤ 0.35.
fn growthSeries(x: f32) -> f32 {
  let third = fma(x, fma(x, fma(x, 1.0 / 5040.0, 1.0 / 720.0), 1.0 / 120.0), 1.0 / 24.0);
  return fma(x, fma(x, fma(x, third, 1.0 / 6.0), 0.5), 1.0);
}

// 2^k, whole k from -126 to 127.
fn powerOfTwo(k: f32) -> f32 {
  return bitcast<f32>(u32(i32(k) + 127) << 23u);
}

// e^x; 0 below the normal numbers.
fn expOf(x: f32) -> f32 {
  if (x < -87.0) { return 0.0; }
  let k = round(min(x, 88.0) * 1.44269504);
  let rest = fma(-k, LN2_LOW, fma(-k, LN2_HIGH, min(x, 88.0)));
  return powerOfTwo(k) * fma(rest, growthSeries(rest), 1.0);
}

// (e^x − 1)/x.
fn growthOf(x: f32) -> f32 {
  if (abs(x) <= 0.35) { return growthSeries(x); }
  return (expOf(x) - 1.0) / x;
}

// x^y, x > 0: the exponent's whole part is split off before anything is rounded.
fn powerOf(x: f32, y: f32) -> f32 {
  let base = scaledOf(x);
  let high = bitcast<f32>(bitcast<u32>(y) & 0xfffff000u);
  let whole = high * base.exponent; // exact: 12 bits times 8
  let near = round(whole);
  let rest = (whole - near) + fma(y - high, base.exponent, y * (1.44269504 * twiceArtanh((base.m - 1.0) / (base.m + 1.0))));
  let more = round(rest);
  let k = near + more;
  if (k < -126.0) { return 0.0; }
  let small = (rest - more) * 0.69314718;
  return powerOfTwo(min(k, 127.0)) * fma(small, growthSeries(small), 1.0);
}
