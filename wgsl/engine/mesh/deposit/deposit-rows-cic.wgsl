// The sums of deposit-rows.wgsl for CIC.
//#import "../../../lib/cells.wgsl"
//#import "../../../lib/mass-cic.wgsl"
//#import "pencil-cic.wgsl"
//#expects Walk, walkedX, carry, WALK

@group(0) @binding(5) var<storage, read_write> partial: array<u32>; // [planes, n / 2, n, 3, 3] sums, and those of a seam

const PARTS = 3u;

struct Sums {
  past: Rows, // complete
  here: Rows, // at the current x
  next: Rows,
}

fn noSums() -> Sums {
  return Sums(noRows(), noRows(), noRows());
}

fn withParticle(sums: Sums, mass: u32, u: vec3u) -> Sums {
  let columns = columnsOf(mass, offsetsInCell(u));
  let upper = isUpperRow(u);
  return Sums(sums.past, placed(sums.here, columns.here, upper), placed(sums.next, columns.next, upper));
}

// The sums as seen from the next x, where `onward`.
fn moved(sums: Sums, onward: bool) -> Sums {
  return Sums(
    selected(sums.past, sums.here, onward),
    selected(sums.here, sums.next, onward),
    selected(sums.next, noRows(), onward),
  );
}

fn storePart(slot: u32, part: u32, sums: Sums) {
  let rows = select(select(sums.past.c, sums.past.b, part == 1u), sums.past.a, part == 0u);
  let word = 9u * slot + 3u * part;
  partial[word] = rows.x;
  partial[word + 1u] = rows.y;
  partial[word + 2u] = rows.z;
}

// Adds a part of a cell's sums in the seam to those that begin at `output`.
fn addPart(path: Walk, cell: u32, part: u32, output: u32) {
  let seam = 9u * (path.output + cell) + 3u * part;
  let word = 9u * (output + cell) + 3u * part;
  for (var j = 0u; j < 3u; j++) {
    let added = partial[seam + j];
    let sum = partial[word + j] + added;
    partial[word + j] = sum;
    if (sum < added) { carry(path, path.first + cell, j, part); }
  }
}

fn carryRow(path: Walk, x: u32, k: u32, lost: vec3u) {
  for (var j = 0u; j < 3u; j++) {
    if (lost[j] >= 0x80000000u) { carry(path, x, j, k); }
  }
}

fn carryAll(path: Walk, step: u32, before: Sums, after: Sums) {
  let here = array(before.here.a & ~after.here.a, before.here.b & ~after.here.b, before.here.c & ~after.here.c);
  let next = array(before.next.a & ~after.next.a, before.next.b & ~after.next.b, before.next.c & ~after.next.c);
  if (all((here[0] | here[1] | here[2] | next[0] | next[1] | next[2]) < vec3u(0x80000000u))) { return; }
  for (var k = 0u; k < 3u; k++) {
    // What lies outside the walk is summed by its neighbours.
    if (step >= 1u) { carryRow(path, walkedX(path, step), k, here[k]); }
    if (step < WALK) { carryRow(path, walkedX(path, step + 1u), k, next[k]); }
  }
}
