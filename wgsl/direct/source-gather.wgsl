// Bodies of listed rows of a block, each to its slot: targets that are sources.
//#import "../lib/grid.wgsl"
//#expects BODY (vectors of four words in a body)

struct Gather {
  // The part of the list that belongs to this block.
  first: u32,
  count: u32,
}

struct Move {
  row: u32,
  slot: u32,
}

@group(0) @binding(0) var<uniform> gather: Gather;
@group(0) @binding(1) var<storage, read> list: array<Move>;
@group(0) @binding(2) var<storage, read> bodies: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> targets: array<vec4u>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn collect(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= gather.count) { return; }
  let listed = list[gather.first + i];
  for (var k = 0u; k < BODY; k++) { targets[listed.slot * BODY + k] = bodies[listed.row * BODY + k]; }
}
