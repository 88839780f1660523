// The sources within reach of a stretch of a pencil (lib/cells.wgsl): of each pencil near it one range of slots, or two where the
// stretch is near a face of a periodic box.
//#expects CELLS, HAS_OUTSIDE, CUTOFF (reach in cells), NEAR (pencils within reach on either side)

@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]

const PENCILS = u32(CELLS) / 2u; // along y, and along z
const ACROSS = 2u * u32(NEAR) + 1u;
const NEAR_PENCILS = ACROSS * ACROSS;

struct Ranges {
  first: vec2u,
  count: vec2u,
}

fn slotsOfCells(pencil: u32, cells: vec2i) -> vec2u {
  let place = 4u * (pencil * u32(CELLS) + u32(cells.x));
  let first = cellStart[place];
  return vec2u(first, cellStart[place + 4u * u32(cells.y - cells.x)] - first);
}

// Of the k-th pencil near `pencil`, for its cells from the first to the last.
fn rangesNear(pencil: u32, cells: vec2u, k: u32) -> Ranges {
  let off = vec2i(vec2u(k % ACROSS, k / ACROSS)) - vec2i(i32(NEAR));
  let apart = vec2f(max(2 * abs(off) - 2, vec2i(0))); // cells between the two pencils
  let left = CUTOFF * CUTOFF - dot(apart, apart);
  var place = vec2i(vec2u(pencil % PENCILS, pencil / PENCILS)) + off;
  let side = vec2i(i32(PENCILS));
  if (left <= 0.0 || (HAS_OUTSIDE && (any(place < vec2i(0)) || any(place >= side)))) { return Ranges(); }
  place = (place + side) % side;
  let n = i32(CELLS);
  let reach = i32(ceil(sqrt(left)));
  var near = vec2i(vec2u(cells)) + vec2i(-reach, reach + 1);
  var beyond = vec2i(0); // the opposite face
  if (!HAS_OUTSIDE) {
    if (near.y - near.x >= n) {
      near = vec2i(0, n);
    } else if (near.x < 0) {
      beyond = vec2i(near.x + n, n);
    } else if (near.y > n) {
      beyond = vec2i(0, near.y - n);
    }
  }
  near = clamp(near, vec2i(0), vec2i(n));
  let there = u32(place.y) * PENCILS + u32(place.x);
  let a = slotsOfCells(there, near);
  let b = slotsOfCells(there, beyond);
  return Ranges(vec2u(a.x, b.x), vec2u(a.y, b.y));
}
