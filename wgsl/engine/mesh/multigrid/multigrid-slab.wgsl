// What a dispatch of the multigrid solver sees of a level: the planes of a slab, and in a transfer between two levels a slab
// of either. The potential of a slab: its planes with `ghosts` neighbours on either side; on the finest level of an isolated
// mesh then rows of ghosts of the faces −x, +x, −y, +y for its planes and one more on either side, then the faces −z, +z.
//#expects SLAB (its binding number)

struct Slab {
  first: u32,
  planes: u32,
  ghosts: u32, // neighbours' planes on either side in the potential; 0: the whole level
  sourceGhosts: u32, // in the source
  transferFirst: u32, // coarse planes
  transferPlanes: u32,
  coarseFirst: u32, // of the coarser level's slab
  coarseGhosts: u32,
  facesBegin: u32, // where the ghosts of all faces begin in the buffer that holds them
}

@group(0) @binding(SLAB) var<uniform> slab: Slab;

fn planeAround(z: u32, n: u32, first: u32, before: u32) -> u32 {
  return (z + n + before - first) % n;
}

// Where plane z of n cells lies in the potential and in the source; it may be a neighbour's, around the box.
fn planeOf(z: u32, n: u32) -> u32 {
  return planeAround(z, n, slab.first, slab.ghosts);
}

fn sourcePlane(z: u32, n: u32) -> u32 {
  return planeAround(z, n, slab.first, slab.sourceGhosts);
}

// The same of the coarser level, of m cells.
fn coarsePlaneOf(z: u32, m: u32) -> u32 {
  return planeAround(z, m, slab.coarseFirst, slab.coarseGhosts);
}

// First ghost of a face's row in the potential beside the cells; one more lies before it and one behind the n-th. `line`
// from 0 − 1 to n.
fn ghostRow(face: u32, line: u32, n: u32) -> u32 {
  let cells = (slab.planes + 2u * slab.ghosts) * n * n;
  let lines = slab.planes + 2u;
  let side = face * lines + line + 1u - slab.first;
  let end = 4u * lines + (face - 4u) * (n + 2u) + line + 1u;
  return cells + select(side, end, face >= 4u) * (n + 2u) + 1u;
}
