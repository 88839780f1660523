// What a dispatch sees of particles and mesh: all of both (section-part.wgsl: a part).
//#expects CELLS
//#import "grid.wgsl"

// Slots of a window of `count`, first and end, whose particles are this dispatch's.
fn slotsOfSection(count: u32) -> vec2u {
  return vec2u(0u, count);
}

// Where plane z of the mesh, or a neighbour of the slab's planes, lies in a slab with so many ghost planes on either side.
fn planeInSlab(z: u32, ghosts: u32) -> u32 {
  return z;
}

// First plane and planes of the slab.
fn slabPlanes() -> vec2u {
  return vec2u(0u, u32(CELLS));
}

// Whether a plane of the mesh is one of the slab's.
fn isOwnPlane(z: u32) -> bool {
  return true;
}

// Where a cell's entry lies in the slab's part of the cell starts.
fn keyInSlab(key: u32) -> u32 {
  return key;
}

// An invocation's number among those that take `run` slots each, `group` a workgroup.
fn invocationInSection(invocation: Invocation, group: u32, run: u32) -> u32 {
  return flatIndex(invocation, group);
}

// A slot of any window as seen from this one: its first, or its end, where it lies in another.
fn slotInWindow(slot: u32) -> u32 {
  return slot;
}

// Whether a range of slots begins in the window; an empty one behind all particles does so in the last.
fn beginsInWindow(first: u32) -> bool {
  return true;
}

// Whether a range of slots, the last one `end - 1`, begins in a window before this one and goes on here.
fn goesOnInWindow(first: u32, end: u32) -> bool {
  return false;
}
