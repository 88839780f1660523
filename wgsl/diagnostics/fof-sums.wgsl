// Sums over the members of each group that don't depend on the order of the particles: integers of 96 bits, two's
// complement, low word first, added with carries. Mass [mass units], mass × separation from the group's reference member
// [mass unit · L/2^32], mass × velocity [mass unit · 2^-30 / velocityScale].
//#import "../lib/grid.wgsl"
//#import "fof-members.wgsl"
//#expects ISOLATED

@group(0) @binding(8) var<storage, read> references: array<vec4u>; // by number
@group(0) @binding(9) var<storage, read_write> totals: array<atomic<u32>>; // [groups, 7, 3], zeroed

struct Sums {
  mass: vec3u,
  x: vec3u,
  y: vec3u,
  z: vec3u,
  vx: vec3u,
  vy: vec3u,
  vz: vec3u,
}

fn plus(a: vec3u, b: vec3u) -> vec3u {
  let low = a.x + b.x;
  let middle = a.y + b.y;
  let carried = middle + select(0u, 1u, low < b.x);
  return vec3u(low, carried, a.z + b.z + select(0u, 1u, middle < b.y) + select(0u, 1u, carried < middle));
}

// mass · factor, 64 bits and sign
fn times(mass: u32, factor: i32) -> vec3u {
  let size = u32(abs(factor)); // of −2^31, too
  let product = vec3u(mass * size, highProduct(mass, size), 0u);
  if (factor >= 0) { return product; }
  return plus(~product, vec3u(1u, 0u, 0u));
}

// mass · (near + 2^32 boxes)
fn timesSeparation(mass: u32, near: i32, boxes: i32) -> vec3u {
  let product = times(mass, near);
  if (!ISOLATED) { return product; }
  return plus(product, vec3u(0u, times(mass, boxes).xy));
}

fn addToTotal(at: u32, term: vec3u) {
  let low = select(0u, 1u, atomicAdd(&totals[at], term.x) > ~term.x);
  let middle = term.y + low;
  let high = term.z + select(0u, 1u, atomicAdd(&totals[at + 1u], middle) > ~middle) + select(0u, 1u, middle < low);
  if (high != 0u) { atomicAdd(&totals[at + 2u], high); }
}

fn addToGroup(number: u32, sums: Sums) {
  if (number == NONE) { return; }
  let at = 21u * number;
  addToTotal(at, sums.mass);
  addToTotal(at + 3u, sums.x);
  addToTotal(at + 6u, sums.y);
  addToTotal(at + 9u, sums.z);
  addToTotal(at + 12u, sums.vx);
  addToTotal(at + 15u, sums.vy);
  addToTotal(at + 18u, sums.vz);
}

@compute @workgroup_size(GROUP)
fn sums(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flatIndex(workgroup, workgroups, local, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var sum = Sums();
  var point = vec4u(0u);
  for (var i = first; i < last; i++) {
    let here = groupOf[i];
    if (here != group) {
      addToGroup(group, sum);
      group = here;
      sum = Sums();
      if (here != NONE) { point = references[here]; }
    }
    if (here == NONE) { continue; }
    let mass = massOf(i);
    let d = separationFrom(point, i);
    let v = vec3i(round(velocityOf(i) * 0x1p30));
    sum.mass = plus(sum.mass, vec3u(mass, 0u, 0u));
    sum.x = plus(sum.x, timesSeparation(mass, d.near.x, d.boxes.x));
    sum.y = plus(sum.y, timesSeparation(mass, d.near.y, d.boxes.y));
    sum.z = plus(sum.z, timesSeparation(mass, d.near.z, d.boxes.z));
    sum.vx = plus(sum.vx, times(mass, v.x));
    sum.vy = plus(sum.vy, times(mass, v.y));
    sum.vz = plus(sum.vz, times(mass, v.z));
  }
  addToGroup(group, sum);
}
