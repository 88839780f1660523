// What a dispatch of the multigrid solver sees of a mesh or level: all its planes (multigrid-slab.wgsl: a slab's).

// First plane, and how many of n.
fn firstPlane() -> u32 {
  return 0u;
}

fn planesOf(n: u32) -> u32 {
  return n;
}

// Where plane z of n cells lies in the potential and in the source; it may be a slab's neighbour, around the box.
fn planeOf(z: u32, n: u32) -> u32 {
  return z;
}

fn sourcePlane(z: u32, n: u32) -> u32 {
  return z;
}

// First ghost of a face's row in the potential beside the cells; one more lies before it and one behind the n-th. `line`
// from 0 − 1 to n.
fn ghostOf(face: u32, line: u32, n: u32) -> u32 {
  return n * n * n + face * (n + 2u) * (n + 2u) + (line + 1u) * (n + 2u) + 1u;
}

// Coarse planes of a transfer between two levels: the first, and how many of m.
fn transferFirst() -> u32 {
  return 0u;
}

fn transferPlanes(m: u32) -> u32 {
  return m;
}

// As planeOf, sourcePlane and ghostOf, of the coarser level.
fn coarsePlaneOf(z: u32, m: u32) -> u32 {
  return z;
}

fn coarseSourcePlane(z: u32) -> u32 {
  return z;
}

fn coarseGhostOf(face: u32, line: u32, m: u32) -> u32 {
  return ghostOf(face, line, m);
}

// Where the ghosts of all faces begin in the buffer that holds them.
fn facesBegin(n: u32) -> u32 {
  return n * n * n;
}

fn coarseFacesBegin(m: u32) -> u32 {
  return m * m * m;
}
