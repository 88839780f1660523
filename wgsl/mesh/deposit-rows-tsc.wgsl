// The sums of deposit-rows.wgsl for TSC: a particle's mass goes to the previous, the base and the next cell on each axis,
// so that a pencil's particles reach 4 x 4 rows. Rows along y are a vector's components, those along z have vectors of
// their own.
//#import "../lib/cells.wgsl"
//#import "../lib/mass-tsc.wgsl"
//#expects Window, SIDE, walkedX, carry, WINDOW

@group(0) @binding(5) var<storage, read_write> partial: array<u32>; // [planes, n / 2, n, 4, 4] sums

const PARTS = 4u;

// Sums of the rows (z, y) at one x.
struct Rows {
  a: vec4u,
  b: vec4u,
  c: vec4u,
  d: vec4u,
}

struct Sums {
  past: Rows, // complete
  last: Rows, // before the current x
  here: Rows,
  next: Rows,
}

fn noRows() -> Rows {
  return Rows(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));
}

fn noSums() -> Sums {
  return Sums(noRows(), noRows(), noRows(), noRows());
}

fn placedY(m: vec3u, upper: bool) -> vec4u {
  return select(vec4u(m, 0u), vec4u(0u, m), upper);
}

// Adds the masses of planes z - 1, z and z + 1.
fn added(rows: Rows, low: vec4u, level: vec4u, high: vec4u, upper: bool) -> Rows {
  return Rows(
    rows.a + select(low, vec4u(0u), upper),
    rows.b + select(level, low, upper),
    rows.c + select(high, level, upper),
    rows.d + select(vec4u(0u), high, upper),
  );
}

// Whether the base cell is the upper one of its pencil.
fn isUpper(u: u32) -> bool {
  return (baseOnAxis(u).x & 1u) == 1u;
}

fn addTo(sums: ptr<function, Sums>, mass: u32, u: vec3u) {
  let offsets = offsetsInCell(u);
  let upperY = isUpper(u.y);
  let upperZ = isUpper(u.z);
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  let below = columnsOf(z.x, x, y);
  let level = columnsOf(z.y, x, y);
  let above = columnsOf(z.z, x, y);
  (*sums).last = added((*sums).last, placedY(below.last, upperY), placedY(level.last, upperY), placedY(above.last, upperY), upperZ);
  (*sums).here = added((*sums).here, placedY(below.here, upperY), placedY(level.here, upperY), placedY(above.here, upperY), upperZ);
  (*sums).next = added((*sums).next, placedY(below.next, upperY), placedY(level.next, upperY), placedY(above.next, upperY), upperZ);
}

fn selected(a: Rows, b: Rows, second: bool) -> Rows {
  return Rows(select(a.a, b.a, second), select(a.b, b.b, second), select(a.c, b.c, second), select(a.d, b.d, second));
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
  let low = select(sums.past.b, sums.past.a, part == 0u);
  let rows = select(select(sums.past.d, sums.past.c, part == 2u), low, part < 2u);
  let word = 16u * slot + 4u * part;
  partial[word] = rows.x;
  partial[word + 1u] = rows.y;
  partial[word + 2u] = rows.z;
  partial[word + 3u] = rows.w;
}

fn lost(before: Rows, after: Rows) -> array<vec4u, 4> {
  return array(before.a & ~after.a, before.b & ~after.b, before.c & ~after.c, before.d & ~after.d);
}

fn carryRow(window: Window, x: u32, k: u32, lostBits: vec4u) {
  for (var j = 0u; j < 4u; j++) {
    if (lostBits[j] >= 0x80000000u) { carry(window, x, j, k); }
  }
}

fn carryOf(window: Window, step: u32, before: Sums, after: Sums) {
  let last = lost(before.last, after.last);
  let here = lost(before.here, after.here);
  let next = lost(before.next, after.next);
  let anywhere = last[0] | last[1] | last[2] | last[3] | here[0] | here[1] | here[2] | here[3] | next[0] | next[1] | next[2] | next[3];
  if (all(anywhere < vec4u(0x80000000u))) { return; }
  for (var k = 0u; k < 4u; k++) {
    // What lies outside the window is summed by its own windows.
    if (step >= 2u) { carryRow(window, walkedX(window, step + SIDE - 1u), k, last[k]); }
    if (step >= 1u && step <= WINDOW) { carryRow(window, walkedX(window, step), k, here[k]); }
    if (step < WINDOW) { carryRow(window, walkedX(window, step + 1u), k, next[k]); }
  }
}
