// The last step of the blur of a picture of one layer, down to its bytes: what the colours are of isn't kept. Widths are even.
//#import "density-table.wgsl"
//#import "stretch.wgsl"
//#expects SIDE, layer, runOf, columnAt, before, after, blockAt, staying, spread, smoothed

@group(0) @binding(4) var<storage, read_write> bytes: array<vec2u>; // [height, rowWords / 2] of a picture, four a pixel
@group(0) @binding(5) var<storage, read> brightest: array<f32>;
@group(0) @binding(6) var<storage, read> table: array<u32>; // [SHARE_COLOURS]
@group(0) @binding(7) var<uniform> tone: Tone;

@compute @workgroup_size(SIDE, SIDE)
fn down_to_colours(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  let ceiling = select(brightest[0], tone.given, tone.given > 0.0);
  let part = select(0.0, layer.mass / ceiling, ceiling > 0.0);
  let pairs = tone.rowWords / 2u;
  let upper = 2u * run.row * pairs;
  var left = columnAt(run, before(run.first));
  var here = columnAt(run, run.first);
  for (var x = run.first; x < run.end; x++) {
    let right = columnAt(run, after(x));
    let block = blockAt(vec2u(x, run.row));
    let share = staying(left.number, here.number, right.number);
    let content = part * smoothed(0u, spread(left.counts, here.counts, right.counts), share, block);
    bytes[upper + x] = vec2u(shareColour(content.x), shareColour(content.y));
    if (block.isInside.z) {
      bytes[upper + pairs + x] = vec2u(shareColour(content.z), shareColour(content.w));
    }
    left = here;
    here = right;
  }
}
