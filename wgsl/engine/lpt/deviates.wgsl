// From a random word to an exponential deviate, which with a point on the unit circle makes a complex normal deviate (Box &
// Muller 1958). WGSL's own log may be off by 2^-11 and more; this is right to about 2e-7.

const LN_2 = 0.69314718055994530942f;
const SQRT_HALF = 0.70710678118654752440f;
const SQRT_HALF_WORD = 3037000500u; // √½ · 2^32, rounded

// −ln((word + ½)/2^32), accurate relative to itself also where it is small. With v = 2^e·f and s = (f − 1)/(f + 1):
// ln f = 2 (s + s³/3 + s⁵/5 + …), |s| < 0.172.
fn exponentialDeviate(word: u32) -> f32 {
  var past = 0.0; // f − 1
  var powers = 0.0; // −e
  if (word >= SQRT_HALF_WORD) {
    // Counted from 1 downwards, where the logarithm is small.
    past = -(f32(~word) + 0.5) * 0x1p-32;
  } else {
    let bits = bitcast<u32>(f32(word) + 0.5);
    let mantissa = bitcast<f32>((bits & 0x007fffffu) | 0x3f000000u); // [½, 1)
    let low = mantissa < SQRT_HALF;
    past = select(mantissa, 2.0 * mantissa, low) - 1.0;
    // The exponent field counts from 126 for [½, 1).
    powers = 158.0 - f32(bits >> 23u) + select(0.0, 1.0, low);
  }
  let s = past / (2.0 + past);
  let t = s * s;
  let series = 2.0 * s * (1.0 + t * (1.0 / 3.0 + t * (1.0 / 5.0 + t * (1.0 / 7.0 + t * (1.0 / 9.0)))));
  return powers * LN_2 - series;
}
