// What a dispatch sees of particles and mesh: all of both (WHOLE), or a chunk of slots and a slab of planes. Of a chunk
// those particles are meant whose base cells, when they were last ordered, lay in given planes.
//#import "grid.wgsl"
//#expects CELLS, WHOLE, SECTION (its binding number; the starts of planes have the next), PLANE_STARTS, SLAB_PLANES

struct Section {
  firstSlot: u32, // of the chunk
  slots: u32, // of the chunk
  fromPlane: u32, // first plane of the particles, even
  toPlane: u32, // the plane after the last; CELLS + 2: with those outside the mesh
  firstPlane: u32, // of the slab
  planes: u32, // of the slab
}

@group(0) @binding(SECTION) var<uniform> section: Section;
// First slot of each plane of pencils (two mesh planes), of those outside, and N; filled unless WHOLE.
@group(0) @binding(SECTION + 1) var<uniform> planeStarts: array<vec4u, PLANE_STARTS>;

fn planeStart(plane: u32) -> u32 {
  let pencils = plane / 2u;
  return planeStarts[pencils / 4u][pencils % 4u];
}

// Slots of a chunk of `count`, first and end, whose particles are this dispatch's.
fn slotsOfSection(count: u32) -> vec2u {
  if (WHOLE) { return vec2u(0u, count); }
  let end = section.firstSlot + section.slots;
  let slots = clamp(vec2u(planeStart(section.fromPlane), planeStart(section.toPlane)), vec2u(section.firstSlot), vec2u(end));
  return slots - vec2u(section.firstSlot);
}

// Where plane z of the mesh, or a neighbour of the slab's planes, lies in a slab with so many ghost planes on either side.
fn planeInSlab(z: u32, ghosts: u32) -> u32 {
  if (WHOLE) { return z; }
  let below = select(ghosts, 0u, section.planes == u32(CELLS)); // the whole mesh has none
  return (z + u32(CELLS) + below - section.firstPlane) % u32(CELLS);
}

// First plane and planes of the slab.
fn slabPlanes() -> vec2u {
  if (WHOLE) { return vec2u(0u, u32(CELLS)); }
  return vec2u(section.firstPlane, section.planes);
}

// Whether a plane of the mesh is one of the slab's.
fn isOwnPlane(z: u32) -> bool {
  return WHOLE || z - section.firstPlane < section.planes;
}

// Where a cell's entry lies in the slab's part of the cell starts.
fn keyInSlab(key: u32) -> u32 {
  if (WHOLE) { return key; }
  return key - section.firstPlane * u32(CELLS) * u32(CELLS);
}

// Keys of the slab's cells; the last slab's also that of the particles outside.
fn keysInSlab() -> u32 {
  let slab = slabPlanes();
  let cells = slab.y * u32(CELLS) * u32(CELLS);
  return select(cells, cells + 1u, slab.x + slab.y == u32(CELLS));
}

// A particle has left the slab.
const STRAYED = 0x80000000u;

// A bit for each slab, from 31 on the same for several: who looks for one may look in vain.
fn slabMark(key: u32) -> u32 {
  let slab = min(key / (u32(SLAB_PLANES) * u32(CELLS) * u32(CELLS)), (u32(CELLS) - 1u) / u32(SLAB_PLANES));
  return 1u << (slab % 31u);
}

fn ownMark() -> u32 {
  return 1u << (section.firstPlane / u32(SLAB_PLANES) % 31u);
}

// An invocation's number among those that take `run` slots each, `group` a workgroup: the first workgroup is the first
// that has slots of the section, and the last ones may have none (src/engine/gpu-particles/sections.ts).
fn invocationInSection(invocation: Invocation, group: u32, run: u32) -> u32 {
  if (WHOLE) { return flatIndex(invocation, group); }
  return flatIndex(invocation, group) + slotsOfSection(0u).x / (group * run) * group;
}

// A slot of any chunk as seen from this one: its first, or its end, where it lies in another.
fn slotInChunk(slot: u32) -> u32 {
  if (WHOLE) { return slot; }
  return clamp(slot, section.firstSlot, section.firstSlot + section.slots) - section.firstSlot;
}

// Whether a range of slots begins in the chunk; an empty one behind all particles does so in the last.
fn beginsInChunk(first: u32) -> bool {
  if (WHOLE) { return true; }
  let end = section.firstSlot + section.slots;
  return first >= section.firstSlot && (first < end || end == planeStart(u32(CELLS) + 2u));
}

// Whether a range of slots, the last one `end - 1`, begins in a chunk before this one and goes on here.
fn goesOnInChunk(first: u32, end: u32) -> bool {
  return !WHOLE && first < section.firstSlot && end > section.firstSlot;
}
