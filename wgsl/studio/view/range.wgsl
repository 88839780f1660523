// The brightest of a picture: the value that only a small share of the pixels exceeds. A histogram of some of the pixels by
// the leading bits of their values, and a walk through it from above; from picture to picture it goes over slowly.
//#import "../../lib/grid.wgsl"
//#import "blocks.wgsl"
//#expects GROUP, BINS, valueOf

struct Range {
  pixels: u32,
  stride: u32, // every how many pixels are looked at
  share: f32, // of them may be brighter
  pace: f32, // of the way to the new value [0…1]
  map: u32,
  fewest: f32, // particles of a pixel whose motion counts
  width: u32, // of the picture
  scale: f32, // of a density's map
}

const BIN_BITS = 19u; // below the sixteenth of an octave

@group(0) @binding(0) var<uniform> range: Range;
@group(0) @binding(1) var<storage, read_write> histogram: array<atomic<u32>>; // [BINS]
@group(0) @binding(2) var<storage, read_write> found: array<f32>; // the brightest of each map, 0 of none yet

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let pixel = flatIndex(invocation, GROUP) * range.stride;
  if (pixel >= range.pixels) { return; }
  let value = valueOf(placeInBlocks(vec2u(pixel % range.width, pixel / range.width), range.width));
  if (value > 0.0) { atomicAdd(&histogram[bitcast<u32>(value) >> BIN_BITS], 1u); }
}

const PARTS = 64u;
var<workgroup> parts: array<u32, PARTS>;

@compute @workgroup_size(PARTS)
fn settle(@builtin(local_invocation_index) part: u32) {
  let length = BINS / PARTS;
  var sum = 0u;
  for (var i = 0u; i < length; i++) { sum += atomicLoad(&histogram[part * length + i]); }
  parts[part] = sum;
  workgroupBarrier();
  if (part > 0u) { return; }
  var all = 0u;
  for (var i = 0u; i < PARTS; i++) { all += parts[i]; }
  if (all == 0u) { return; }
  let above = range.share * f32(all);
  var seen = 0.0;
  var at = PARTS - 1u;
  while (at > 0u && seen + f32(parts[at]) <= above) { seen += f32(parts[at]); at--; }
  var bin = (at + 1u) * length - 1u;
  while (bin > at * length && seen + f32(atomicLoad(&histogram[bin])) <= above) {
    seen += f32(atomicLoad(&histogram[bin]));
    bin--;
  }
  let here = max(1.0, f32(atomicLoad(&histogram[bin])));
  let within = clamp(1.0 - (above - seen) / here, 0.0, 1.0);
  let value = bitcast<f32>((bin << BIN_BITS) + u32(within * f32((1u << BIN_BITS) - 1u)));
  let before = found[range.map];
  found[range.map] = select(value, before * pow(value / before, range.pace), before > 0.0);
}
