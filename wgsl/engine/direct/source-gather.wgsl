// Copies listed rows from one buffer to another: bodies that are targets side by side, changed records to their places.
//#import "../../lib/grid.wgsl"
//#expects WIDTH (vectors of four words in a row)

struct Part {
  first: u32, // of the list
  count: u32,
}

struct Move {
  row: u32,
  to: u32,
}

@group(0) @binding(0) var<uniform> part: Part;
@group(0) @binding(1) var<storage, read> list: array<Move>;
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> copies: array<vec4u>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn collect(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= part.count) { return; }
  let listed = list[part.first + i];
  for (var k = 0u; k < WIDTH; k++) { copies[listed.to * WIDTH + k] = rows[listed.row * WIDTH + k]; }
}
