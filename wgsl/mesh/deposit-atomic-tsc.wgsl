// The columns of deposit-atomic.wgsl for TSC: before, at and after the base cell along x.
//#import "../lib/mass-tsc.wgsl"
//#expects SIDE, addTo

var<private> below: Columns; // dz = -1
var<private> level: Columns; // dz = 0
var<private> above: Columns; // dz = 1

fn added(a: Columns, b: Columns) -> Columns {
  return Columns(a.last + b.last, a.here + b.here, a.next + b.next);
}

// The sums as seen from the next base cell along x, where `onward`.
fn moved(a: Columns, onward: bool) -> Columns {
  return Columns(select(a.last, a.here, onward), select(a.here, a.next, onward), select(a.next, vec3u(0u), onward));
}

fn addToColumns(mass: u32, offsets: vec3u) {
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  below = added(below, columnsOf(z.x, x, y));
  level = added(level, columnsOf(z.y, x, y));
  above = added(above, columnsOf(z.z, x, y));
}

fn leaveColumns(base: vec3u, count: u32) {
  for (var k = 0u; k < count; k++) {
    // One cell back on every axis; addTo wraps.
    let corner = base + vec3u(SIDE + k, SIDE, SIDE) - vec3u(1u);
    for (var dy = 0u; dy < 3u; dy++) {
      addTo(corner + vec3u(0u, dy, 0u), below.last[dy]);
      addTo(corner + vec3u(0u, dy, 1u), level.last[dy]);
      addTo(corner + vec3u(0u, dy, 2u), above.last[dy]);
    }
    below = moved(below, true);
    level = moved(level, true);
    above = moved(above, true);
  }
}
