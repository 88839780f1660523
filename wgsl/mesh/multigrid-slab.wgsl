// What a dispatch of the multigrid solver sees of a mesh or level: a slab's planes (multigrid-whole.wgsl: all), and in a
// transfer between two levels a slab of either. The potential of a slab: its planes with `ghosts` neighbours on either
// side, then rows of ghosts of the faces −x, +x, −y, +y for its planes and one more on either side, then the faces −z, +z.
//#expects SLAB (its binding number)

struct Slab {
  first: u32,
  planes: u32,
  ghosts: u32, // neighbours' planes on either side in the potential; 0: the whole level
  sourceGhosts: u32, // in the source
  transferFirst: u32, // coarse planes
  transferPlanes: u32,
  coarseFirst: u32, // of the coarser level's slab
  coarsePlanes: u32,
  coarseGhosts: u32,
  facesBegin: u32,
  coarseFacesBegin: u32,
}

@group(0) @binding(SLAB) var<uniform> slab: Slab;

fn firstPlane() -> u32 {
  return slab.first;
}

fn planesOf(n: u32) -> u32 {
  return slab.planes;
}

fn planeAround(z: u32, n: u32, first: u32, before: u32) -> u32 {
  return (z + n + before - first) % n;
}

fn planeOf(z: u32, n: u32) -> u32 {
  return planeAround(z, n, slab.first, slab.ghosts);
}

fn sourcePlane(z: u32, n: u32) -> u32 {
  return planeAround(z, n, slab.first, slab.sourceGhosts);
}

fn ghostIn(face: u32, line: u32, n: u32, planes: vec2u, before: u32) -> u32 {
  let cells = (planes.y + 2u * before) * n * n;
  let lines = planes.y + 2u;
  let side = face * lines + line + 1u - planes.x;
  let end = 4u * lines + (face - 4u) * (n + 2u) + line + 1u;
  return cells + select(side, end, face >= 4u) * (n + 2u) + 1u;
}

fn ghostOf(face: u32, line: u32, n: u32) -> u32 {
  return ghostIn(face, line, n, vec2u(slab.first, slab.planes), slab.ghosts);
}

fn transferFirst() -> u32 {
  return slab.transferFirst;
}

fn transferPlanes(m: u32) -> u32 {
  return slab.transferPlanes;
}

fn coarsePlaneOf(z: u32, m: u32) -> u32 {
  return planeAround(z, m, slab.coarseFirst, slab.coarseGhosts);
}

fn coarseSourcePlane(z: u32) -> u32 {
  return z - slab.coarseFirst;
}

fn coarseGhostOf(face: u32, line: u32, m: u32) -> u32 {
  return ghostIn(face, line, m, vec2u(slab.coarseFirst, slab.coarsePlanes), slab.coarseGhosts);
}

fn facesBegin(n: u32) -> u32 {
  return slab.facesBegin;
}

fn coarseFacesBegin(m: u32) -> u32 {
  return slab.coarseFacesBegin;
}
