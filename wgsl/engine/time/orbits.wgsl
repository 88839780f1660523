// Where chosen particles are and how they move, after a step: a row for each of K ids, in the order of the list.
//   find    in which slot each of them lies, by a look at all ids: nearly all fall through a small sieve
//   record  position, box image and the velocity v + a·kick that the closing half kick will give it
//#import "../../lib/section.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "kicked.wgsl"
//#expects SIEVE (words, a power of two), RUN

struct Step {
  kick: f32, // [time]
  row: u32, // of the rows read back together
  slow: f32, // [time]
}

struct Slots {
  first: u32, // of the chunk
  count: u32,
  chosen: u32, // K
}

// Of `find`:
@group(0) @binding(0) var<uniform> looked: Slots;
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> sieve: array<u32>; // [SIEVE] a bit for each chosen id, by its low bits
@group(0) @binding(3) var<storage, read> chosen: array<u32>; // [K] ascending
@group(0) @binding(4) var<storage, read_write> found: array<u32>; // [K] slots

// Of `record`:
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> externalForces: ExternalForces;
@group(0) @binding(2) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3] f32 as bits
@group(0) @binding(4) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(6) var<uniform> monopole: Monopole; // isolated
@group(0) @binding(7) var<storage, read> slotOf: array<u32>; // [K]
@group(0) @binding(8) var<storage, read_write> rows: array<vec4u>; // [rows, K, 2] u and image, v and 0
@group(0) @binding(9) var<uniform> within: Slots;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn find(invocation: Invocation) {
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot >= looked.count) {
      return;
    }
    let id = ids[slot];
    if ((sieve[(id >> 5u) & (u32(SIEVE) - 1u)] & (1u << (id & 31u))) == 0u) {
      continue;
    }
    var low = 0u;
    var high = looked.chosen;
    while (low < high) {
      let middle = (low + high) / 2u;
      if (chosen[middle] < id) { low = middle + 1u; } else { high = middle; }
    }
    if (low < looked.chosen && chosen[low] == id) {
      found[low] = looked.first + slot;
    }
  }
}

@compute @workgroup_size(GROUP)
fn record(invocation: Invocation) {
  let k = flatIndex(invocation, GROUP);
  if (k >= within.chosen) {
    return;
  }
  let slot = slotOf[k] - within.first; // wraps below it
  let meant = slotsOfSection(within.count);
  if (slot < meant.x || slot >= meant.y) {
    return;
  }
  let u = positionOf(slot);
  let image = imageOf(slot);
  let v = kicked(interpolatedAt(baseOf(u)), slot, u, image);
  let row = 2u * (step.row * within.chosen + k);
  rows[row] = vec4u(u, image);
  rows[row + 1u] = vec4u(bitcast<vec3u>(v), 0u);
}
