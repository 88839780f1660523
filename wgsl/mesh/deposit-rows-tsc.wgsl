// The walk of deposit-rows.wgsl for TSC: a particle's mass goes to the previous, the base and the next cell on each
// axis. `below`, `level` and `above` are the sums for dz = -1, 0, 1, each by columns and dy.
// Nothing branches but the end of the walk (a software adapter runs several windows in lock-step): past its particles
// a cell is visited with mass 0, and sums are stored at each visit until they are complete.
//#import "../lib/mass-tsc.wgsl"
//#import "../particles/mass.wgsl"
//#expects Window, carry, walkedX, SIDE, WINDOW, slab, cellStart, offsetsOf

// [2][planes, n, n] vectors of four sums in the order (dz, dy), and [planes, n, n] words for the ninth behind them.
@group(0) @binding(5) var<storage, read_write> partial: array<vec4u>;

// Carries of the sums at dz, from their values before and after an addition.
fn carries(window: Window, step: u32, dz: u32, before: Columns, after: Columns) {
  let last = before.last & ~after.last;
  let here = before.here & ~after.here;
  let next = before.next & ~after.next;
  if (all((last | here | next) < vec3u(0x80000000u))) { return; }
  for (var dy = 0u; dy < 3u; dy++) {
    // Columns outside the window are summed by their own windows.
    if (step >= 2u) { carry(window, walkedX(window, step + SIDE - 1u), dy, dz, last[dy]); }
    if (step >= 1u && step <= WINDOW) { carry(window, walkedX(window, step), dy, dz, here[dy]); }
    if (step < WINDOW) { carry(window, walkedX(window, step + 1u), dy, dz, next[dy]); }
  }
}

fn walk(window: Window, watch: bool) {
  let cells = SIDE * SIDE * slab.planes;
  let output = (window.plane * SIDE + window.y) * SIDE + window.first;
  let none = Columns(vec3u(0u), vec3u(0u), vec3u(0u));
  var step = 0u;
  var cell = window.row + walkedX(window, 0u);
  // A cell's particles follow the last one's; only between the row's end and its beginning the walk jumps.
  let second = cellStart[window.row + window.first];
  let last = cellStart[window.row + walkedX(window, WINDOW + 1u)];
  var i = cellStart[cell];
  var end = cellStart[cell + 1u];
  var below = none;
  var level = none;
  var above = none;
  loop {
    let present = i < end;
    let offsets = offsetsOf(i);
    let x = outerWeights(offsets.x);
    let y = outerWeights(offsets.y);
    let z = splitInThree(select(0u, massOf(i), present), outerWeights(offsets.z));
    let newBelow = added(below, columnsOf(z.x, x, y));
    let newLevel = added(level, columnsOf(z.y, x, y));
    let newAbove = added(above, columnsOf(z.z, x, y));
    if (watch) {
      carries(window, step, 0u, below, newBelow);
      carries(window, step, 1u, level, newLevel);
      carries(window, step, 2u, above, newAbove);
    }
    let slot = output + max(step, 2u) - 2u;
    partial[slot] = vec4u(newBelow.last, newLevel.last.x);
    partial[cells + slot] = vec4u(newLevel.last.yz, newAbove.last.xy);
    let ninth = 8u * cells + slot;
    partial[ninth / 4u][ninth % 4u] = newAbove.last.z;
    i += select(0u, 1u, present);
    let done = i >= end;
    step += select(0u, 1u, done);
    if (step > WINDOW + 1u) { break; }
    cell = window.row + walkedX(window, step);
    i = select(i, select(last, second, step == 1u), done && (step == 1u || step == WINDOW + 1u));
    end = cellStart[cell + 1u];
    below = moved(newBelow, done);
    level = moved(newLevel, done);
    above = moved(newAbove, done);
  }
}
