// How far the members of each group are from its centre of mass, and how much their velocities differ from its own: the
// greatest r² and the sums of m r² and m |v − v̄|². `farthest` finds the greatest terms, `spread` adds the terms as integers
// scaled by a power of two that leaves room for 30 bits of those: no order of the particles shows. r in box sides, v in
// units of 1/velocityScale, m in units of the heaviest.
//#import "../lib/grid.wgsl"
//#import "fof-members.wgsl"
//#expects MASS_UNITS

struct Centre {
  position: vec4u, // of the centre of mass, and its image
  velocity: vec4f, // mean [1/velocityScale]
}

@group(0) @binding(8) var<storage, read> centres: array<Centre>; // by number
// [groups, 2, 3] of r², and of |v − v̄|²: bits of the greatest; sum, low and high word. Zeroed
@group(0) @binding(9) var<storage, read_write> totals: array<atomic<u32>>;

// r² and |v − v̄|² of a particle
fn squaresOf(centre: Centre, i: u32) -> vec2f {
  let d = separationFrom(centre.position, i);
  let r = vec3f(d.near) * 0x1p-32 + vec3f(d.boxes);
  let v = velocityOf(i) - centre.velocity.xyz;
  return vec2f(dot(r, r), dot(v, v));
}

fn keepGreatest(number: u32, squares: vec2f) {
  if (number == NONE) { return; }
  atomicMax(&totals[6u * number], bitcast<u32>(squares.x));
  atomicMax(&totals[6u * number + 3u], bitcast<u32>(squares.y));
}

@compute @workgroup_size(GROUP)
fn farthest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flatIndex(workgroup, workgroups, local, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var greatest = vec2f(0.0);
  for (var i = first; i < last; i++) {
    let here = groupOf[i];
    if (here != group) {
      keepGreatest(group, greatest);
      group = here;
      greatest = vec2f(0.0);
    }
    if (here != NONE) { greatest = max(greatest, squaresOf(centres[here], i)); }
  }
  keepGreatest(group, greatest);
}

// 2^(29 − e) where the greatest lies in [2^e, 2^(e+1)); the host takes it out again.
fn scaleOf(at: u32) -> f32 {
  let exponent = max(atomicLoad(&totals[at]) >> 23u, 29u);
  return bitcast<f32>((283u - exponent) << 23u);
}

fn plus(sum: vec2u, term: u32) -> vec2u {
  let low = sum.x + term;
  return vec2u(low, sum.y + select(0u, 1u, low < term));
}

fn addToTotal(at: u32, sum: vec2u) {
  let high = sum.y + select(0u, 1u, atomicAdd(&totals[at], sum.x) > ~sum.x);
  if (high != 0u) { atomicAdd(&totals[at + 1u], high); }
}

fn addToGroup(number: u32, distance: vec2u, velocity: vec2u) {
  if (number == NONE) { return; }
  addToTotal(6u * number + 1u, distance);
  addToTotal(6u * number + 4u, velocity);
}

@compute @workgroup_size(GROUP)
fn spread(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flatIndex(workgroup, workgroups, local, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var scales = vec2f(0.0);
  var distance = vec2u(0u);
  var velocity = vec2u(0u);
  for (var i = first; i < last; i++) {
    let here = groupOf[i];
    if (here != group) {
      addToGroup(group, distance, velocity);
      group = here;
      distance = vec2u(0u);
      velocity = vec2u(0u);
      if (here != NONE) { scales = vec2f(scaleOf(6u * here), scaleOf(6u * here + 3u)); }
    }
    if (here == NONE) { continue; }
    let mass = f32(massOf(i)) * (1.0 / f32(MASS_UNITS));
    let terms = vec2u(squaresOf(centres[here], i) * scales * mass + vec2f(0.5));
    distance = plus(distance, terms.x);
    velocity = plus(velocity, terms.y);
  }
  addToGroup(group, distance, velocity);
}
