// The last step of the blur of a picture of one layer, down to its bytes: what the colours are of isn't kept.
//#import "density-table.wgsl"
//#import "stretch.wgsl"
//#expects SIDE, layer, Run, Column, Pairs, runOf, columnAt, before, after, staying, spread, pixelsAt

@group(0) @binding(4) var<storage, read_write> bytes: array<vec4u>; // [height, rowWords / 4] of a picture, four a pixel
@group(0) @binding(5) var<storage, read> found: array<f32>;
@group(0) @binding(6) var<storage, read> table: array<u32>; // [SHARE_COLOURS]
@group(0) @binding(7) var<uniform> tone: Tone;

fn blurred(run: Run, x: u32, left: Column, here: Column, right: Column) -> Pairs {
  let share = staying(left, here, right);
  return spread(left.counts, here.counts, right.counts, share, pixelsAt(0u, run, x));
}

@compute @workgroup_size(SIDE, SIDE)
fn down_to_colours(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  let ceiling = select(found[0], tone.given, tone.given > 0.0);
  let part = select(0.0, layer.mass / ceiling, ceiling > 0.0);
  let across = tone.rowWords / 4u;
  var left = columnAt(run, before(run.first));
  var here = columnAt(run, run.first);
  // Two blocks at a time: beyond the picture there is room in its rows.
  for (var x = run.first; x < run.end; x += 2u) {
    let right = columnAt(run, after(x));
    let next = columnAt(run, after(after(x)));
    let a = blurred(run, x, left, here, right);
    let b = blurred(run, after(x), here, right, next);
    for (var i = 0u; i < 4u; i++) {
      if (run.isInside[i]) {
        let four = part * vec4f(a.left[i], a.right[i], b.left[i], b.right[i]);
        let colours = vec4u(shareColour(four.x), shareColour(four.y), shareColour(four.z), shareColour(four.w));
        bytes[(2u * run.row + i) * across + x / 2u] = colours;
      }
    }
    left = right;
    here = next;
  }
}
