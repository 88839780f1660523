// Ghost planes of two slabs of a level, one behind the other: the upper plane of `below` into the lower ghosts of `above`,
// and the other way round. Each invocation copies a word.
//#import "../../../lib/grid.wgsl"

struct Exchange {
  words: u32, // of a plane
  belowTop: u32, // first words of planes
  belowGhost: u32,
  aboveGhost: u32,
  aboveBottom: u32,
}

@group(0) @binding(0) var<uniform> exchange: Exchange;
@group(0) @binding(1) var<storage, read_write> below: array<u32>;
@group(0) @binding(2) var<storage, read_write> above: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn exchangePlanes(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= exchange.words) {
    return;
  }
  above[exchange.aboveGhost + i] = below[exchange.belowTop + i];
  below[exchange.belowGhost + i] = above[exchange.aboveBottom + i];
}
