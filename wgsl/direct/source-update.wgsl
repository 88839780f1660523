// Scatters new records into rows of a block; only the words that `fields` names, four bits to a vector of four words.
//#import "../lib/grid.wgsl"
//#expects RECORD (vectors of four words in a record)

struct Update {
  count: u32,
  fields: u32,
}

@group(0) @binding(0) var<uniform> update: Update;
// Rows within the block, each once.
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read> incoming: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> records: array<vec4u>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= update.count) { return; }
  let row = rows[i];
  for (var k = 0u; k < RECORD; k++) {
    let wanted = (vec4u(update.fields >> (4u * k)) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);
    records[row * RECORD + k] = select(records[row * RECORD + k], incoming[i * RECORD + k], wanted);
  }
}
