// WGSL's own sin and cos may be off by 2^-11 and more; these are right to about 2e-7.

const RADIANS = 1.4629180792671596e-9f; // 2π / 2^32

// (cos, sin) of 2π·word/2^32: the nearest quarter turn in integers, the rest, at most an eighth, by Taylor's series.
fn unitCircle(word: u32) -> vec2f {
  let quarter = (word + 0x20000000u) >> 30u;
  let x = f32(bitcast<i32>(word - (quarter << 30u))) * RADIANS;
  let t = x * x;
  let sine = x * (1.0 - t * (1.0 / 6.0 - t * (1.0 / 120.0 - t * (1.0 / 5040.0 - t * (1.0 / 362880.0)))));
  let cosine = 1.0 - t * (0.5 - t * (1.0 / 24.0 - t * (1.0 / 720.0 - t * (1.0 / 40320.0))));
  switch (quarter & 3u) {
    case 0u: { return vec2f(cosine, sine); }
    case 1u: { return vec2f(-sine, cosine); }
    case 2u: { return vec2f(-cosine, -sine); }
    default: { return vec2f(sine, -cosine); }
  }
}
