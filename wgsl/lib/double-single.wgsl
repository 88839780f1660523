// Double-single arithmetic: a number as the unevaluated sum of two float32, high + low with |low| <= ulp(high)/2:
// 48 bits. Error-free sums after Knuth (TAOCP 2, 4.2.2) and products after Dekker 1971; the pair operations are those
// of Bédorf+ 2015 (§2.2.2).
//
// WGSL lets a compiler reassociate, so that the plain form of a two-sum is simplified to low = 0. Every intermediate
// sum or product that must be rounded as written passes through `kept`: exclusive or with a zero that comes from a
// uniform, which no compiler can see through. An entry point that uses this file sets `pairZero` first, from a u32
// of its uniform that the host leaves zero. src/engine/direct/arithmetic.ts proves on the adapter that it holds.
//
// Names: no suffix for scalars, 3 for vectors component by component. Nothing here handles infinities.

struct Pair {
  high: f32,
  low: f32,
}

struct Pair3 {
  high: vec3f,
  low: vec3f,
}

var<private> pairZero: u32;

// x, rounded here and nowhere else.
fn kept(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ pairZero);
}

fn kept3(x: vec3f) -> vec3f {
  return bitcast<vec3f>(bitcast<vec3u>(x) ^ vec3u(pairZero));
}

// a + b exactly, where |a| >= |b| or a = 0.
fn quickTwoSum(a: f32, b: f32) -> Pair {
  let high = kept(a + b);
  return Pair(high, kept(b - kept(high - a)));
}

fn quickTwoSum3(a: vec3f, b: vec3f) -> Pair3 {
  let high = kept3(a + b);
  return Pair3(high, kept3(b - kept3(high - a)));
}

// a + b exactly.
fn twoSum(a: f32, b: f32) -> Pair {
  let high = kept(a + b);
  let ofB = kept(high - a);
  let ofA = kept(high - ofB);
  return Pair(high, kept(kept(a - ofA) + kept(b - ofB)));
}

fn twoSum3(a: vec3f, b: vec3f) -> Pair3 {
  let high = kept3(a + b);
  let ofB = kept3(high - a);
  let ofA = kept3(high - ofB);
  return Pair3(high, kept3(kept3(a - ofA) + kept3(b - ofB)));
}

// The upper 12 bits of a mantissa: products of such parts are exact, and unlike Dekker's split it can't overflow.
fn upper(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

fn upper3(x: vec3f) -> vec3f {
  return bitcast<vec3f>(bitcast<vec3u>(x) & vec3u(0xfffff000u));
}

// a·b exactly, where the rounding error of the product is a normal number or zero (|a·b| > 2^-101). No fma: drivers
// may round it twice.
fn twoProduct(a: f32, b: f32) -> Pair {
  let high = kept(a * b);
  let aHigh = upper(a);
  let bHigh = upper(b);
  let aLow = kept(a - aHigh);
  let bLow = kept(b - bHigh);
  let outer = kept(kept(aHigh * bHigh) - high);
  let inner = kept(kept(outer + kept(aHigh * bLow)) + kept(aLow * bHigh));
  return Pair(high, kept(inner + kept(aLow * bLow)));
}

fn twoProduct3(a: vec3f, b: vec3f) -> Pair3 {
  let high = kept3(a * b);
  let aHigh = upper3(a);
  let bHigh = upper3(b);
  let aLow = kept3(a - aHigh);
  let bLow = kept3(b - bHigh);
  let outer = kept3(kept3(aHigh * bHigh) - high);
  let inner = kept3(kept3(outer + kept3(aHigh * bLow)) + kept3(aLow * bHigh));
  return Pair3(high, kept3(inner + kept3(aLow * bLow)));
}

// a + b for a float32 b, to within 2^-47 of the sum where nothing cancels.
fn pairAddFloat(a: Pair, b: f32) -> Pair {
  let sum = twoSum(a.high, b);
  return quickTwoSum(sum.high, kept(sum.low + a.low));
}

fn pairAddFloat3(a: Pair3, b: vec3f) -> Pair3 {
  let sum = twoSum3(a.high, b);
  return quickTwoSum3(sum.high, kept3(sum.low + a.low));
}

// a + b; the error is relative to the sum, also where the high words cancel (Bailey's accurate addition).
fn pairAdd(a: Pair, b: Pair) -> Pair {
  let highs = twoSum(a.high, b.high);
  let lows = twoSum(a.low, b.low);
  let sum = quickTwoSum(highs.high, kept(highs.low + lows.high));
  return quickTwoSum(sum.high, kept(sum.low + lows.low));
}

fn pairAdd3(a: Pair3, b: Pair3) -> Pair3 {
  let highs = twoSum3(a.high, b.high);
  let lows = twoSum3(a.low, b.low);
  let sum = quickTwoSum3(highs.high, kept3(highs.low + lows.high));
  return quickTwoSum3(sum.high, kept3(sum.low + lows.low));
}

fn pairSubtract(a: Pair, b: Pair) -> Pair {
  return pairAdd(a, Pair(-b.high, -b.low));
}

fn pairSubtract3(a: Pair3, b: Pair3) -> Pair3 {
  return pairAdd3(a, Pair3(-b.high, -b.low));
}

// a·b for a float32 b.
fn pairTimesFloat3(a: Pair3, b: vec3f) -> Pair3 {
  let product = twoProduct3(a.high, b);
  return quickTwoSum3(product.high, kept3(product.low + kept3(a.low * b)));
}

// a·b.
fn pairMultiply(a: Pair, b: Pair) -> Pair {
  let product = twoProduct(a.high, b.high);
  let cross = kept(kept(a.high * b.low) + kept(a.low * b.high));
  return quickTwoSum(product.high, kept(product.low + cross));
}

fn pairMultiply3(a: Pair3, b: Pair3) -> Pair3 {
  let product = twoProduct3(a.high, b.high);
  let cross = kept3(kept3(a.high * b.low) + kept3(a.low * b.high));
  return quickTwoSum3(product.high, kept3(product.low + cross));
}

// A vector times a scalar pair.
fn pairScale3(a: Pair3, b: Pair) -> Pair3 {
  return pairMultiply3(a, Pair3(vec3f(b.high), vec3f(b.low)));
}
