// The pixel of a particle in integers (src/studio/view/camera.ts): separation from the centre in 32 bits, axes in 27, their products
// in four parts of which none overflows; in one on short axes.
//#import "../../engine/gpu-particles/image.wgsl"
//#import "../../engine/gpu-particles/position.wgsl"
//#import "../../lib/box-image.wgsl"
//#import "blocks.wgsl"
//#expects ISOLATED, SHORT (axes have no low part), LOW_AXIS_BITS, NOWHERE

struct Axis { // A = 2^14 high + low
  high: vec3i,
  spare: i32,
  low: vec3i,
  spareToo: i32,
}

struct Projection {
  right: Axis,
  down: Axis,
  centre: vec3u,
  width: i32,
  boxes: vec3i,
  height: i32,
  away: vec3i, // depth, of 2^14
  low: u32, // bits below half a pixel
  shift: u32, // of separations
  box: u32, // of the centre, packed as particles' images are
}

struct Separation {
  units: vec3i, // 2^shift L/2^32
  isHeld: bool,
}

fn separationOf(slot: u32, projection: Projection) -> Separation {
  let u = positionOf(slot);
  let low = u - projection.centre;
  if (!ISOLATED) { return Separation(bitcast<vec3i>(low) >> vec3u(projection.shift), true); }
  let borrow = select(vec3i(0), vec3i(1), u < projection.centre);
  let high = imageOffsets(imageOf(slot)) - projection.boxes - borrow;
  let units = bitcast<vec3i>((bitcast<vec3u>(high) << vec3u(32u - projection.shift)) | (low >> vec3u(projection.shift)));
  return Separation(units, all((high >> vec3u(projection.shift - 1u)) == (units >> vec3u(31u))));
}

// ⌊Σ A d / 2^30⌋
fn along(axis: Axis, d: vec3i) -> i32 {
  let above = d >> vec3u(16u);
  let below = d & vec3i(0xffff);
  if (SHORT) { return dot(axis.high, above) + (dot(axis.high, below) >> 16u); }
  let least = i32(dot(bitcast<vec3u>(axis.low), bitcast<vec3u>(below)) >> LOW_AXIS_BITS);
  let middle = dot(axis.low, above) + ((dot(axis.high, below) + least) >> 2u);
  return dot(axis.high, above) + (middle >> LOW_AXIS_BITS);
}

// The same of a short axis and a separation of at most 2^16 units on each: no sum overflows.
fn alongNear(axis: Axis, d: vec3i) -> i32 { return dot(axis.high, d) >> 16u; }

// Where the pixel lies (blocks.wgsl).
fn pixelOf(slot: u32, projection: Projection) -> u32 {
  var place = vec2i(0);
  var isSeen = true;
  if (SHORT) {
    let shift = vec3u(projection.shift);
    var d = bitcast<vec3i>((positionOf(slot) >> shift) - (projection.centre >> shift));
    if (!ISOLATED) { d = separationOf(slot, projection).units; }
    place = vec2i(alongNear(projection.right, d), alongNear(projection.down, d));
  }
  if (!SHORT || (ISOLATED && imageOf(slot) != projection.box)) {
    let separation = separationOf(slot, projection);
    place = vec2i(along(projection.right, separation.units), along(projection.down, separation.units));
    isSeen = separation.isHeld;
  }
  let size = vec2i(projection.width, projection.height);
  let pixel = ((place >> vec2u(projection.low)) + size) >> vec2u(1u);
  isSeen &= all(bitcast<vec2u>(pixel) < bitcast<vec2u>(size));
  return select(NOWHERE, placeInBlocks(bitcast<vec2u>(pixel), u32(projection.width)), isSeen);
}
