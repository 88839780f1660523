// Where friends are looked for. Cells are so small, side ≤ b/√3, that all particles of a cell are friends; blocks of 2³ cells
// are so large, side ≥ b, that friends are in one block or in neighbouring ones. Those that hold particles are entered in
// hash tables with linear probing,
//   cells   each as one of its particles, its head, whose position tells which cell it is,
//   blocks  each as a mark and the octants that hold particles. Blocks of one mark may share an entry: then a cell
//           is looked for in vain.
// An isolated box is tiled on beyond its faces; a periodic one wraps.
//#import "../../lib/box-image.wgsl"
//#import "../../lib/grid.wgsl"
//#import "../../lib/wide-product.wgsl"
//#expects ISOLATED

struct Search {
  count: u32, // N
  cells: u32, // m, per side of the box, even
  mask: u32, // entries of a table less one, a power of two less one
  headMask: u32, // bits of a cell's entry that hold head + 1; the others hold a mark
  squareLow: u32, // b² [(L/2^32)²], low and high word
  squareHigh: u32,
  square: f32, // b²
  minimum: u32, // members of the smallest group in the catalogue
}

@group(0) @binding(0) var<uniform> search: Search;

const GROUP = 64u;
const NONE = 0xffffffffu;
const OCTANTS = 0xffu;
const RUN = 16u;

// Consecutive particles of an invocation, which often share a bin or a group: the first, and the one past the last.
fn runOf(invocation: Invocation, count: u32) -> vec2u {
  let first = flatIndex(invocation, GROUP) * RUN;
  return vec2u(first, min(first + RUN, count));
}

fn cellOf(u: vec3u, image: u32) -> vec3i {
  let m = search.cells;
  let cell = vec3i(vec3u(highProduct(u.x, m), highProduct(u.y, m), highProduct(u.z, m)));
  if (ISOLATED) { return cell + imageOffsets(image) * i32(m); }
  return cell;
}

fn octantOf(cell: vec3i) -> u32 {
  let odd = bitcast<vec3u>(cell) & vec3u(1u);
  return odd.x | (odd.y << 1u) | (odd.z << 2u);
}

// The low bits are those of x: four neighbours along x are looked for in one place of memory.
fn hashOf(block: vec3i) -> u32 {
  let c = bitcast<vec3u>(block);
  var h = ((c.x >> 2u) * 0x9e3779b1u) ^ (c.y * 0x85ebca6bu) ^ (c.z * 0xc2b2ae35u);
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  return ((h ^ (h >> 16u)) << 2u) | (c.x & 3u);
}

// Where a block or a cell is looked for first, and its mark in the bits that an entry leaves for it.
struct Place {
  home: u32,
  mark: u32,
}

fn blockPlace(hash: u32) -> Place {
  return Place(hash & search.mask, (hash * 0x9e3779b1u) & ~OCTANTS);
}

// Cells of a block are neighbours in memory.
fn cellPlace(hash: u32, octant: u32) -> Place {
  return Place(((hash << 3u) | octant) & search.mask, ((hash ^ (octant << 24u)) * 0x85ebca6bu) & ~search.headMask);
}

fn headIn(entry: u32) -> u32 {
  return (entry & search.headMask) - 1u;
}
