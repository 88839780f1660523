// Cells of friends-of-friends: so small, side ≤ b/√3, that all particles of a cell are friends, and so large, 2 sides ≥ b,
// that friends are at most two cells apart. There are far too many for an array: those that hold particles are entered in
// a hash table with linear probing, each as one of its particles, its head, whose position tells which cell it is.
// An isolated box is tiled on beyond its faces; a periodic one wraps.
// Needs ISOLATED.

struct Search {
  count: u32, // N
  cells: u32, // m, per side of the box
  mask: u32, // entries of the table less one, a power of two less one
  headMask: u32, // bits of an entry that hold head + 1; the others hold a mark of its cell
  squareLow: u32, // b² [(L/2^32)²], low and high word
  squareHigh: u32,
  square: f32, // b²
  minimum: u32, // members of the smallest group in the catalogue
}

@group(0) @binding(0) var<uniform> search: Search;

const NONE = 0xffffffffu;

// High word of a·b.
fn highProduct(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}

// Signed box offsets of a packed image (10-bit two's complement per axis).
fn imageOffsets(image: u32) -> vec3i {
  return vec3i(i32(image << 22u) >> 22u, i32(image << 12u) >> 22u, i32(image << 2u) >> 22u);
}

fn cellOf(u: vec3u, image: u32) -> vec3i {
  let m = search.cells;
  let cell = vec3i(vec3u(highProduct(u.x, m), highProduct(u.y, m), highProduct(u.z, m)));
  if (ISOLATED) { return cell + imageOffsets(image) * i32(m); }
  return cell;
}

// Where a cell is looked for first, and the mark in the bits above headMask. Four neighbours along x stay together in
// memory.
struct Place {
  home: u32,
  mark: u32,
}

fn placeOf(cell: vec3i) -> Place {
  let c = bitcast<vec3u>(cell);
  var h = ((c.x >> 2u) * 0x9e3779b1u) ^ (c.y * 0x85ebca6bu) ^ (c.z * 0xc2b2ae35u);
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  h = h ^ (h >> 16u);
  let mark = ((h ^ c.x) * 0x9e3779b1u) & ~search.headMask;
  return Place(((h << 2u) | (c.x & 3u)) & search.mask, mark);
}

fn marked(entry: u32, mark: u32) -> bool {
  return (entry & ~search.headMask) == mark;
}

fn headIn(entry: u32) -> u32 {
  return (entry & search.headMask) - 1u;
}
