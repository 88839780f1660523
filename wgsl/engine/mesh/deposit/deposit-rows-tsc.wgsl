// The sums of deposit-rows.wgsl for TSC.
//#import "../../../lib/cells.wgsl"
//#import "../../../lib/mass-tsc.wgsl"
//#import "pencil-tsc.wgsl"
//#expects Walk, SIDE, walkedX, carry, WALK

@group(0) @binding(5) var<storage, read_write> partial: array<vec4u>; // [planes, n / 2, n, 4] rows of sums, and those of a seam

const PARTS = 4u;

struct Sums {
  past: Rows, // complete
  last: Rows, // before the current x
  here: Rows,
  next: Rows,
}

fn noSums() -> Sums {
  return Sums(noRows(), noRows(), noRows(), noRows());
}

fn withParticle(sums: Sums, mass: u32, u: vec3u) -> Sums {
  let offsets = offsetsInCell(u);
  let upper = isUpperRow(u);
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  let below = columnsOf(z.x, x, y);
  let level = columnsOf(z.y, x, y);
  let above = columnsOf(z.z, x, y);
  return Sums(
    sums.past,
    placed(sums.last, Column(below.last, level.last, above.last), upper),
    placed(sums.here, Column(below.here, level.here, above.here), upper),
    placed(sums.next, Column(below.next, level.next, above.next), upper),
  );
}

// The sums as seen from the next x, where `onward`.
fn moved(sums: Sums, onward: bool) -> Sums {
  return Sums(
    selected(sums.past, sums.last, onward),
    selected(sums.last, sums.here, onward),
    selected(sums.here, sums.next, onward),
    selected(sums.next, noRows(), onward),
  );
}

fn storePart(slot: u32, part: u32, sums: Sums) {
  partial[4u * slot + part] = rowsAt(sums.past, part);
}

// Adds a part of a cell's sums in the seam to those that begin at `output`.
fn addPart(path: Walk, cell: u32, part: u32, output: u32) {
  let added = partial[4u * (path.output + cell) + part];
  let word = 4u * (output + cell) + part;
  let sum = partial[word] + added;
  partial[word] = sum;
  for (var j = 0u; j < 4u; j++) {
    if (sum[j] < added[j]) { carry(path, path.first + cell, j, part); }
  }
}

fn lost(before: Rows, after: Rows) -> array<vec4u, 4> {
  return array(before.a & ~after.a, before.b & ~after.b, before.c & ~after.c, before.d & ~after.d);
}

fn carryRow(path: Walk, x: u32, k: u32, lostBits: vec4u) {
  for (var j = 0u; j < 4u; j++) {
    if (lostBits[j] >= 0x80000000u) { carry(path, x, j, k); }
  }
}

fn carryAll(path: Walk, step: u32, before: Sums, after: Sums) {
  let last = lost(before.last, after.last);
  let here = lost(before.here, after.here);
  let next = lost(before.next, after.next);
  let anywhere = last[0] | last[1] | last[2] | last[3] | here[0] | here[1] | here[2] | here[3] | next[0] | next[1] | next[2] | next[3];
  if (all(anywhere < vec4u(0x80000000u))) { return; }
  for (var k = 0u; k < 4u; k++) {
    // What lies outside the walk is summed by its neighbours.
    if (step >= 2u) { carryRow(path, walkedX(path, step + SIDE - 1u), k, last[k]); }
    if (step >= 1u && step <= WALK) { carryRow(path, walkedX(path, step), k, here[k]); }
    if (step < WALK) { carryRow(path, walkedX(path, step + 1u), k, next[k]); }
  }
}
