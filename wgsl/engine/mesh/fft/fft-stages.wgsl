// Fourier transform of a line of LENGTH = A·B·C complex points, X_k = Σ_j x_j e^{−2πi jk/LENGTH}, in two or three
// stages (B = 1: two) of short transforms with twiddles between them (Cooley & Tukey 1965).
//   forward   points j = j' + BC·a     → first → middle → last   → frequency k1 + A·k2 + AB·k3
//   inverse   the same stages mirrored: last → middle → first, from frequencies back to points.
// Between the stages a line lives in place. The inverse runs on numbers with real and imaginary part exchanged: that
// turns each forward stage into its inverse, unnormalised.
//
//#import "fft-butterflies.wgsl"
//#import "fft-lines.wgsl"
//#expects RADIX_B, RADIX_C, RADIX_A, TWIDDLE_STEP, THREADS, butterflyA, butterflyHalfA, butterflyB, butterflyC (of these radices)
//#expects LENGTH, FILLED (points from there on are zero, and not wanted), loadPoint, keep, exchange, recall, storePoint

@group(0) @binding(1) var<storage, read> twiddles: array<vec2f>; // e^{−2πi j/(LENGTH·TWIDDLE_STEP)}

const BLOCK = RADIX_B * RADIX_C;
const HALF_A = RADIX_A / 2;
const HALVED = 2 * FILLED == LENGTH && RADIX_A % 2 == 0; // half of the first stage's points are zero
const ROW_COUNT = RADIX_A * RADIX_B; // of the last stage
const MIDDLE_COUNT = RADIX_A * RADIX_C; // columns of the middle stage

// Turns that a line's invocations take over the first stage's columns, the middle one's, and the last one's rows, all or
// up to the middle one.
const FIRST_TURNS = (BLOCK + THREADS - 1) / THREADS;
const MIDDLE_TURNS = (MIDDLE_COUNT + THREADS - 1) / THREADS;
const LAST_TURNS = (ROW_COUNT + THREADS - 1) / THREADS;
const MIRROR_TURNS = (ROW_COUNT / 2 + THREADS) / THREADS;

// e^{−2πi j/LENGTH}
fn twiddle(j: u32) -> vec2f {
  return twiddles[j * TWIDDLE_STEP];
}

// Point k times twiddle(step·k) for k < radix. Every fourth factor and three small ones are read, the others are
// their products: a third of the reads for one more rounding. All loops have literal bounds, so that compilers need no
// guard against endless ones, unroll them, and keep the points in registers.
fn twiddleAll(radix: u32, step: u32, p: ptr<function, Points>) {
  var small: array<vec2f, 4>;
  for (var k = 1u; k < 4u; k++) {
    if (k < radix) {
      small[k] = twiddle(step * k);
      (*p)[k] = times((*p)[k], small[k]);
    }
  }
  for (var quarter = 1u; quarter < 4u; quarter++) {
    let fourth = 4u * quarter;
    if (fourth < radix) {
      let large = twiddle(step * fourth);
      (*p)[fourth] = times((*p)[fourth], large);
      for (var k = 1u; k < 4u; k++) {
        if (fourth + k < radix) {
          (*p)[fourth + k] = times((*p)[fourth + k], times(large, small[k]));
        }
      }
    }
  }
}

// Point j + a·BLOCK; for most a that is known to compilers.
fn isFilled(a: u32, j: u32) -> bool {
  return FILLED == LENGTH || (a + 1u) * BLOCK <= FILLED || (a * BLOCK < FILLED && j + a * BLOCK < FILLED);
}

fn forwardFirst(place: Place) {
  for (var turn = 0u; turn < FIRST_TURNS; turn++) {
    let j = place.thread + turn * THREADS;
    if (FIRST_TURNS * THREADS > BLOCK && j >= BLOCK) {
      break;
    }
    if (HALVED) {
      forwardColumnPadded(place, j);
    } else {
      var x: Points;
      for (var a = 0u; a < RADIX_A; a++) {
        x[a] = vec2f();
        if (isFilled(a, j)) {
          x[a] = loadPoint(place, j + a * BLOCK);
        }
      }
      butterflyA(&x);
      twiddleAll(RADIX_A, j, &x);
      for (var k = 0u; k < RADIX_A; k++) {
        keep(place, j + k * BLOCK, x[k]);
      }
    }
  }
  exchange();
}

// Half of the points are zero: even and odd frequencies are transforms of half the radix, of the points as they are
// and of the points times w_A^a. The odd ones take their share of the twiddle, w^j, together with that.
fn oddFactors(j: u32, p: ptr<function, Points>) {
  let share = twiddle(j);
  for (var a = 0u; a < HALF_A; a++) {
    (*p)[a] = times((*p)[a], times(share, twiddle(a * BLOCK)));
  }
}

fn forwardColumnPadded(place: Place, j: u32) {
  var even: Points;
  for (var a = 0u; a < HALF_A; a++) {
    even[a] = loadPoint(place, j + a * BLOCK);
  }
  var odd = even;
  butterflyHalfA(&even);
  twiddleAll(HALF_A, 2u * j, &even);
  for (var k = 0u; k < HALF_A; k++) {
    keep(place, j + 2u * k * BLOCK, even[k]);
  }
  oddFactors(j, &odd);
  butterflyHalfA(&odd);
  twiddleAll(HALF_A, 2u * j, &odd);
  for (var k = 0u; k < HALF_A; k++) {
    keep(place, j + (2u * k + 1u) * BLOCK, odd[k]);
  }
}

fn forwardMiddle(place: Place) {
  if (RADIX_B == 1u) {
    return;
  }
  for (var turn = 0u; turn < MIDDLE_TURNS; turn++) {
    let q = place.thread + turn * THREADS;
    if (MIDDLE_TURNS * THREADS > MIDDLE_COUNT && q >= MIDDLE_COUNT) {
      break;
    }
    let j = q % RADIX_C;
    let base = q / RADIX_C * BLOCK + j;
    var x: Points;
    for (var b = 0u; b < RADIX_B; b++) {
      x[b] = recall(place, base + b * RADIX_C);
    }
    butterflyB(&x);
    twiddleAll(RADIX_B, RADIX_A * j, &x);
    for (var k = 0u; k < RADIX_B; k++) {
      keep(place, base + k * RADIX_C, x[k]);
    }
  }
  exchange();
}

// The last stage has A·B rows: row f holds the frequencies f + A·B·c, and is kept from rowStart(f) on.
fn rowStart(f: u32) -> u32 {
  return f % RADIX_A * BLOCK + f / RADIX_A * RADIX_C;
}

fn forwardLast(place: Place, f: u32) -> Points {
  let start = rowStart(f);
  var x: Points;
  for (var c = 0u; c < RADIX_C; c++) {
    x[c] = recall(place, start + c);
  }
  butterflyC(&x);
  return x;
}

fn inverseLast(place: Place, f: u32, points: Points) {
  let start = rowStart(f);
  var x = points;
  butterflyC(&x);
  for (var c = 0u; c < RADIX_C; c++) {
    keep(place, start + c, x[c]);
  }
}

fn inverseMiddle(place: Place) {
  exchange();
  if (RADIX_B == 1u) {
    return;
  }
  for (var turn = 0u; turn < MIDDLE_TURNS; turn++) {
    let q = place.thread + turn * THREADS;
    if (MIDDLE_TURNS * THREADS > MIDDLE_COUNT && q >= MIDDLE_COUNT) {
      break;
    }
    let j = q % RADIX_C;
    let base = q / RADIX_C * BLOCK + j;
    var x: Points;
    for (var k = 0u; k < RADIX_B; k++) {
      x[k] = recall(place, base + k * RADIX_C);
    }
    twiddleAll(RADIX_B, RADIX_A * j, &x);
    butterflyB(&x);
    for (var b = 0u; b < RADIX_B; b++) {
      keep(place, base + b * RADIX_C, x[b]);
    }
  }
  exchange();
}

fn inverseFirst(place: Place) {
  for (var turn = 0u; turn < FIRST_TURNS; turn++) {
    let j = place.thread + turn * THREADS;
    if (FIRST_TURNS * THREADS > BLOCK && j >= BLOCK) {
      break;
    }
    if (HALVED) {
      inverseColumnPadded(place, j);
    } else {
      var x: Points;
      for (var k = 0u; k < RADIX_A; k++) {
        x[k] = recall(place, j + k * BLOCK);
      }
      twiddleAll(RADIX_A, j, &x);
      butterflyA(&x);
      for (var a = 0u; a < RADIX_A; a++) {
        if (isFilled(a, j)) {
          storePoint(place, j + a * BLOCK, x[a].yx);
        }
      }
    }
  }
}

// Only the first half of the points is wanted.
fn inverseColumnPadded(place: Place, j: u32) {
  var even: Points;
  for (var k = 0u; k < HALF_A; k++) {
    even[k] = recall(place, j + 2u * k * BLOCK);
  }
  twiddleAll(HALF_A, 2u * j, &even);
  butterflyHalfA(&even);
  var odd: Points;
  for (var k = 0u; k < HALF_A; k++) {
    odd[k] = recall(place, j + (2u * k + 1u) * BLOCK);
  }
  twiddleAll(HALF_A, 2u * j, &odd);
  butterflyHalfA(&odd);
  oddFactors(j, &odd);
  for (var a = 0u; a < HALF_A; a++) {
    storePoint(place, j + a * BLOCK, (even[a] + odd[a]).yx);
  }
}
