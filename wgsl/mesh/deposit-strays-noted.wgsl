// Of deposit-rows.wgsl, for particles in the order of an earlier step: those that have left the cells where the walk meets
// them since, the strays, are listed for deposit-strays.wgsl, by the walk that has them in its own cells.
//#import "../lib/cells.wgsl"
//#expects Window, WINDOW, walkedX

@group(0) @binding(7) var<storage, read_write> strays: array<u32>; // [N] slots, of each walk from its first particle's place on
@group(0) @binding(8) var<storage, read_write> strayCounts: array<u32>; // [n^3 / 4 / WINDOW] by walks

// Whether the particle in a slot is in the cells that the walk visits at a step.
fn isHome(window: Window, step: u32, u: vec3u) -> bool {
  let cell = baseOf(u).cell;
  return cell.x == walkedX(window, step) && cell.y / 2u == window.y && cell.z / 2u == window.z;
}

fn noteStray(place: u32, slot: u32) {
  strays[place] = slot;
}

fn noteStrays(window: Window, count: u32) {
  strayCounts[(window.row / 4u + window.first) / WINDOW] = count;
}
