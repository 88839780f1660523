// Arguments of indirect dispatches from a count of targets that the GPU holds. Each dispatch has its entry: which
// targets it covers, and for how many in all it is meant; the dispatches of a shape for few targets and those of one
// for many are both recorded, and one of the two gets no workgroups.

struct Entry {
  firstTarget: u32,
  endTarget: u32,
  perGroup: u32, // targets of a workgroup
  layers: u32,   // workgroups along y, which share targets
  fewest: u32,   // meant for fewest <= count <= most
  most: u32,
}

struct Arguments {
  x: u32,
  y: u32,
  z: u32,
}

@group(0) @binding(0) var<storage, read> entries: array<Entry>;
@group(0) @binding(1) var<storage, read> count: array<u32>;
@group(0) @binding(2) var<storage, read_write> arguments: array<Arguments>;

@compute @workgroup_size(64)
fn plan(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&entries)) { return; }
  let entry = entries[id.x];
  var targets = 0u;
  if (count[0] >= entry.fewest && count[0] <= entry.most && count[0] > entry.firstTarget) {
    targets = min(count[0], entry.endTarget) - entry.firstTarget;
  }
  arguments[id.x] = Arguments((targets + entry.perGroup - 1u) / entry.perGroup, entry.layers, 1u);
}
