// The walk of deposit-rows.wgsl for CIC: a particle's mass goes to its base cell and the next one on each axis.
// `here` sums the column of the current cell, `next` the one after it; components are (dy, dz) = 00, 10, 01, 11.
// Nothing branches but the end of the walk (a software adapter runs several windows in lock-step): past its particles
// a cell is visited with mass 0, and sums are stored at each visit until they are complete.
//#import "../lib/mass.wgsl"
//#import "../particles/mass.wgsl"
//#expects Window, SIDE, walkedX, cellStart, offsetsOf, carry, WINDOW

@group(0) @binding(5) var<storage, read_write> partial: array<vec4u>; // [planes, n, n] sums, components as above

fn walk(window: Window, watch: bool) {
  let output = (window.plane * SIDE + window.y) * SIDE + window.first;
  var step = 0u;
  var cell = window.row + walkedX(window, 0u);
  // A cell's particles follow the last one's; only from the row's end to its beginning the walk jumps.
  let second = cellStart[window.row + window.first];
  var i = cellStart[cell];
  var end = cellStart[cell + 1u];
  var here = vec4u(0u);
  var next = vec4u(0u);
  loop {
    let present = i < end;
    let offsets = offsetsOf(i);
    let z = splitInTwo(select(0u, massOf(i), present), offsets.z);
    let m = vec4u(splitInTwo(z.x, offsets.y), splitInTwo(z.y, offsets.y));
    let right = vec4u(weightedMass(m.x, offsets.x), weightedMass(m.y, offsets.x), weightedMass(m.z, offsets.x), weightedMass(m.w, offsets.x));
    let hereBefore = here;
    let nextBefore = next;
    here += m - right;
    next += right;
    if (watch) {
      let lostHere = hereBefore & ~here;
      let lostNext = nextBefore & ~next;
      if (any((lostHere | lostNext) >= vec4u(0x80000000u))) {
        for (var k = 0u; k < 4u; k++) {
          // Columns outside the window are summed by their own windows.
          if (step >= 1u) { carry(window, walkedX(window, step), k & 1u, k >> 1u, lostHere[k]); }
          if (step < WINDOW) { carry(window, walkedX(window, step + 1u), k & 1u, k >> 1u, lostNext[k]); }
        }
      }
    }
    partial[output + max(step, 1u) - 1u] = here;
    i += select(0u, 1u, present);
    let done = i >= end;
    step += select(0u, 1u, done);
    if (step > WINDOW) { break; }
    cell = window.row + walkedX(window, step);
    i = select(i, second, done && step == 1u);
    end = cellStart[cell + 1u];
    here = select(here, next, done);
    next = select(next, vec4u(0u), done);
  }
}
