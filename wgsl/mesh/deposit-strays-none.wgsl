// Of deposit-rows.wgsl: particles that lie in cell order are where the walk meets them.
//#expects Window

// Whether the particle in a slot is in the cells that the walk visits at a step.
fn isHome(window: Window, step: u32, u: vec3u) -> bool {
  return true;
}

fn noteStray(place: u32, slot: u32) {}

fn noteStrays(window: Window, count: u32) {}
