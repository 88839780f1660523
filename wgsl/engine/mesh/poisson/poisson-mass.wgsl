// Deposited mass, a 64-bit integer in two words, less the mean of a periodic box, as floats of mass units. The
// difference is taken in integers: a nearly uniform box keeps its contrast. Two cells at a time.
@group(0) @binding(4) var<uniform> mean: vec2u; // low and high word

fn massContrast(low: vec2u, high: vec2u) -> vec2f {
  var l = low - vec2u(mean.x);
  var h = high - vec2u(mean.y) - select(vec2u(0u), vec2u(1u), low < vec2u(mean.x));
  let negative = h >= vec2u(0x80000000u);
  h = select(h, ~h + select(vec2u(0u), vec2u(1u), l == vec2u(0u)), negative);
  l = select(l, ~l + vec2u(1u), negative);
  let size = vec2f(h) * 0x1p32 + vec2f(l);
  return select(size, -size, negative);
}
