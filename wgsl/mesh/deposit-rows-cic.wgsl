// The sums of deposit-rows.wgsl for CIC: a particle's mass goes to its base cell and the next one on each axis, so that
// a pencil's particles reach 3 x 3 rows. Rows along y are a vector's components, those along z have vectors of their own.
//#import "../lib/cells.wgsl"
//#import "../lib/mass.wgsl"
//#expects Window, SIDE, walkedX, carry, WINDOW

@group(0) @binding(5) var<storage, read_write> partial: array<u32>; // [planes, n / 2, n, 3, 3] sums

const PARTS = 3u;

// Sums of the rows (z, y) at one x.
struct Rows {
  a: vec3u,
  b: vec3u,
  c: vec3u,
}

struct Sums {
  past: Rows, // complete
  here: Rows, // at the current x
  next: Rows,
}

fn noSums() -> Sums {
  let none = Rows(vec3u(0u), vec3u(0u), vec3u(0u));
  return Sums(none, none, none);
}

fn placedY(m: vec2u, upper: bool) -> vec3u {
  return select(vec3u(m, 0u), vec3u(0u, m), upper);
}

// Adds the masses of planes z and z + 1.
fn added(rows: Rows, low: vec3u, high: vec3u, upper: bool) -> Rows {
  return Rows(
    rows.a + select(low, vec3u(0u), upper),
    rows.b + select(high, low, upper),
    rows.c + select(vec3u(0u), high, upper),
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
  let z = splitInTwo(mass, offsets.z);
  let m = vec4u(splitInTwo(z.x, offsets.y), splitInTwo(z.y, offsets.y));
  let right = vec4u(weightedMass(m.x, offsets.x), weightedMass(m.y, offsets.x), weightedMass(m.z, offsets.x), weightedMass(m.w, offsets.x));
  let left = m - right;
  (*sums).here = added((*sums).here, placedY(left.xy, upperY), placedY(left.zw, upperY), upperZ);
  (*sums).next = added((*sums).next, placedY(right.xy, upperY), placedY(right.zw, upperY), upperZ);
}

fn selected(a: Rows, b: Rows, second: bool) -> Rows {
  return Rows(select(a.a, b.a, second), select(a.b, b.b, second), select(a.c, b.c, second));
}

// The sums as seen from the next x, where `onward`.
fn moved(sums: Sums, onward: bool) -> Sums {
  let none = Rows(vec3u(0u), vec3u(0u), vec3u(0u));
  return Sums(
    selected(sums.past, sums.here, onward),
    selected(sums.here, sums.next, onward),
    selected(sums.next, none, onward),
  );
}

fn storePart(slot: u32, part: u32, sums: Sums) {
  let rows = select(select(sums.past.c, sums.past.b, part == 1u), sums.past.a, part == 0u);
  let word = 9u * slot + 3u * part;
  partial[word] = rows.x;
  partial[word + 1u] = rows.y;
  partial[word + 2u] = rows.z;
}

fn carryRow(window: Window, x: u32, k: u32, lost: vec3u) {
  for (var j = 0u; j < 3u; j++) {
    if (lost[j] >= 0x80000000u) { carry(window, x, j, k); }
  }
}

fn carryOf(window: Window, step: u32, before: Sums, after: Sums) {
  let here = array(before.here.a & ~after.here.a, before.here.b & ~after.here.b, before.here.c & ~after.here.c);
  let next = array(before.next.a & ~after.next.a, before.next.b & ~after.next.b, before.next.c & ~after.next.c);
  if (all((here[0] | here[1] | here[2] | next[0] | next[1] | next[2]) < vec3u(0x80000000u))) { return; }
  for (var k = 0u; k < 3u; k++) {
    // What lies outside the window is summed by its own windows.
    if (step >= 1u) { carryRow(window, walkedX(window, step), k, here[k]); }
    if (step < WINDOW) { carryRow(window, walkedX(window, step + 1u), k, next[k]); }
  }
}
