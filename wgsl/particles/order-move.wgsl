// Moves the particles of a window to their slots, as far as these lie in another one (or the same, unless order-slots.wgsl
// has moved those): the last part of ordering in windows. Box images by themselves, for adapters that bind 8 storage buffers at a time.
//#import "../lib/grid.wgsl"
//#expects SLOTS_A_MARK, WINDOW_SLOTS

struct Move {
  slots: u32, // of the window that the particles are in
  to: u32, // first slot of the one that they go to
  toSlots: u32, // of that
}

@group(0) @binding(0) var<uniform> moved: Move;
@group(0) @binding(1) var<storage, read> slots: array<u32>; // [slots] where they go, IS_SLOT and the slot; ranks of those that are there
@group(0) @binding(2) var<storage, read> windows: array<u32>; // [slots / SLOTS_A_MARK] marks
@group(0) @binding(3) var<storage, read> positions: array<u32>; // [slots, 3]
@group(0) @binding(4) var<storage, read> velocities: array<u32>; // [slots, 3], moved as bits
@group(0) @binding(5) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(6) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(7) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(8) var<storage, read_write> newIds: array<u32>;

@group(0) @binding(3) var<storage, read> images: array<u32>; // [slots], isolated
@group(0) @binding(4) var<storage, read_write> newImages: array<u32>;

const GROUP = 64u;
// Slots of an invocation, which share a mark.
const RUN = 8u;
const IS_SLOT = 0x80000000u;

// First slot of an invocation and the one after its last: none where no particle goes to this window.
fn movedSlots(invocation: Invocation) -> vec2u {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, moved.slots);
  let mark = 1u << (moved.to / u32(WINDOW_SLOTS) % 32u);
  if (first >= last || (windows[first / u32(SLOTS_A_MARK)] & mark) == 0u) { return vec2u(0u); }
  return vec2u(first, last);
}

@compute @workgroup_size(GROUP)
fn moveParticles(invocation: Invocation) {
  let range = movedSlots(invocation);
  for (var i = range.x; i < range.y; i++) {
    let slot = (slots[i] ^ IS_SLOT) - moved.to;
    // Read by all, which is quicker on CPU adapters than by some.
    let x = vec3u(positions[3u * i], positions[3u * i + 1u], positions[3u * i + 2u]);
    let v = vec3u(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]);
    let id = ids[i];
    if (slot >= moved.toSlots) { continue; }
    newIds[slot] = id;
    newPositions[3u * slot] = x.x;
    newPositions[3u * slot + 1u] = x.y;
    newPositions[3u * slot + 2u] = x.z;
    newVelocities[3u * slot] = v.x;
    newVelocities[3u * slot + 1u] = v.y;
    newVelocities[3u * slot + 2u] = v.z;
  }
}

@compute @workgroup_size(GROUP)
fn moveImages(invocation: Invocation) {
  let range = movedSlots(invocation);
  for (var i = range.x; i < range.y; i++) {
    let slot = (slots[i] ^ IS_SLOT) - moved.to;
    let image = images[i];
    if (slot < moved.toSlots) { newImages[slot] = image; }
  }
}
