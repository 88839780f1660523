// Counts particles in the pixels of a picture: integers, so that the order in which they come doesn't matter.
//#import "../../lib/grid.wgsl"
//#import "project.wgsl"
//#expects GROUP, RUN, PLAIN, SPARSE (every few are drawn), WEIGHTED, MOST_RANGES, addParticle

struct Picture {
  projection: Projection,
  count: u32, // slots of the window
  every: u32,
  rangeCount: u32,
  firstLayer: u32, // layers that this dispatch counts
  layers: u32,
  firstWeight: u32, // ids whose weights are bound
  weights: u32,
  blocks: u32, // of 2 × 2 pixels a layer
  ranges: array<vec4u, MOST_RANGES>, // first id, one past the last, layer, whether it is weighted
}

const NOWHERE = 0xffffffffu;

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> weights: array<u32>; // by id

struct Place {
  layer: u32, // NOWHERE: not drawn
  weight: u32,
}

fn placeOf(slot: u32) -> Place {
  if (PLAIN) { return Place(0u, 1u); }
  let id = ids[slot];
  if (SPARSE && id % picture.every != 0u) { return Place(NOWHERE, 0u); }
  let place = id - picture.firstWeight;
  if (WEIGHTED && place >= picture.weights) { return Place(NOWHERE, 0u); }
  for (var i = 0u; i < picture.rangeCount; i++) {
    let range = picture.ranges[i];
    if (id >= range.x && id < range.y) {
      if (WEIGHTED && range.w != 0u) { return Place(range.z, weights[place]); }
      return Place(range.z, 1u);
    }
  }
  return Place(NOWHERE, 0u);
}

// As often for all invocations, so that compilers unroll it.
@compute @workgroup_size(GROUP)
fn count(invocation: Invocation) {
  let pixels = 4u * picture.blocks;
  let begin = flatIndex(invocation, GROUP) * RUN;
  for (var i = 0u; i < RUN; i++) {
    let slot = begin + i;
    if (slot >= picture.count) { break; }
    let place = placeOf(slot);
    let layer = place.layer - picture.firstLayer;
    let pixel = pixelOf(slot, picture.projection);
    if (layer < picture.layers && pixel != NOWHERE) { addParticle(layer * pixels + pixel, place.weight, slot); }
  }
}
