// Workgroups that each section wants, as arguments of indirect dispatches: those of the chunk's slots that are meant, and
// none where chunk and slab have nothing in common.
//#expects PLANE_STARTS, SLOTS_A_GROUP

@group(0) @binding(0) var<uniform> planeStarts: array<vec4u, PLANE_STARTS>; // as in lib/section.wgsl
@group(0) @binding(1) var<storage, read> sections: array<vec4u>; // first slot, slots, first plane, plane after the last
@group(0) @binding(2) var<storage, read_write> groups: array<u32>; // three a section

const GROUP = 64u;
const MOST_GROUPS = 65535u; // an axis

fn planeStart(plane: u32) -> u32 {
  let pencils = plane / 2u;
  return planeStarts[pencils / 4u][pencils % 4u];
}

@compute @workgroup_size(GROUP)
fn count(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&sections)) { return; }
  let section = sections[i];
  let end = section.x + section.y;
  let slots = clamp(vec2u(planeStart(section.z), planeStart(section.w)), vec2u(section.x), vec2u(end)) - vec2u(section.x);
  var wanted = 0u;
  if (slots.y > slots.x) {
    wanted = (slots.y + SLOTS_A_GROUP - 1u) / SLOTS_A_GROUP - slots.x / SLOTS_A_GROUP;
  }
  let rows = (wanted + MOST_GROUPS - 1u) / MOST_GROUPS;
  groups[3u * i] = (wanted + max(rows, 1u) - 1u) / max(rows, 1u);
  groups[3u * i + 1u] = rows;
  groups[3u * i + 2u] = min(rows, 1u);
}
