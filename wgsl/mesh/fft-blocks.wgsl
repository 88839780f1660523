// A long line per invocation, in a private array, for adapters that are CPUs: all in straight code would take minutes to
// compile. The first stage, in a loop, leaves RADIX_A blocks of BLOCK points. Each is taken into an array of its own in turn,
// where one and the same straight code transforms it: src/mesh/fft-blocks.ts.
//   block k1, frequency f2 within → frequency k1 + A·f2
//#import "fft-lines.wgsl"
//#import "fft-private.wgsl"
//#import "fft-stages.wgsl"
//#expects BLOCK_POINTS (BLOCK, for the array), LENGTH, RADIX_A, loadPoint, storePoint
//#expects keepColumn (of the first stage)

const TOGETHER = 4u; // points on their way

var<private> moved: array<vec2f, TOGETHER>;
var<private> part: array<vec2f, BLOCK_POINTS>;

// For compilers, before anything else: arrays whose places were all constants would be so many variables to them, and every
// branch a choice for each.
fn clearOne(place: Place) {
  kept[place.line % LENGTH] = vec2f();
  part[place.line % BLOCK_POINTS] = vec2f();
}

// Turns of a loop: not a constant to compilers, which would write it out.
fn turnsOf(place: Place, turns: u32) -> u32 {
  return select(turns, 0u, skipped(place));
}

fn columnsForward(place: Place) {
  let turns = turnsOf(place, BLOCK);
  for (var j = 0u; j < turns; j++) {
    var x: Points;
    for (var a = 0u; a < RADIX_A; a++) {
      x[a] = loadPoint(place, j + a * BLOCK);
    }
    butterfly(RADIX_A, &x);
    twiddleAll(RADIX_A, j, &x);
    keepColumn(j, &x);
  }
}

fn columnsInverse(place: Place) {
  let turns = turnsOf(place, BLOCK);
  for (var j = 0u; j < turns; j++) {
    var x: Points;
    for (var k = 0u; k < RADIX_A; k++) {
      x[k] = kept[j + k * BLOCK];
    }
    twiddleAll(RADIX_A, j, &x);
    butterfly(RADIX_A, &x);
    for (var a = 0u; a < RADIX_A; a++) {
      storePoint(place, j + a * BLOCK, x[a].yx);
    }
  }
}
