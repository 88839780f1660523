// The slots where a level finds its particles. Particles lie in the order of the box's cells, pencils of two planes after one
// another and those outside its mesh at the end: RUN slots of the planes that a level is in are an invocation's.
//#import "../../../lib/wide-product.wgsl"
//#import "level-places.wgsl"
//#expects RUN, BOX_CELLS, PLANE_STRIDE (words between the starts of planes), SLOTS (binding number; the starts have the next)

struct Chunk {
  first: u32, // its first slot
  inOrder: u32, // 0: particles have moved since they were ordered, and all are looked at
}

@group(0) @binding(SLOTS) var<uniform> chunk: Chunk;
@group(0) @binding(SLOTS + 1) var<storage, read> pencilStarts: array<u32>;

// The box's planes in which particles on a level may lie: the first, and how many, which may go around.
fn planesOfLevel(level: u32) -> vec2u {
  let place = places[level];
  let ratio = place.perBox / BOX_CELLS;
  let first = place.first.z / ratio;
  return vec2u((first + BOX_CELLS - 1u) % BOX_CELLS, (place.first.z + place.cells) / ratio - first + 2u);
}

// Those of particles up to `reach` from z.
fn planesAround(z: u32, reach: u32) -> vec2u {
  let first = wideProduct(z - reach, BOX_CELLS).x;
  return vec2u((first + BOX_CELLS - 1u) % BOX_CELLS, wideProduct(2u * reach, BOX_CELLS).x + 3u);
}

fn startInChunk(plane: u32, slots: u32) -> u32 {
  return clamp(pencilStarts[plane / 2u * PLANE_STRIDE], chunk.first, chunk.first + slots) - chunk.first;
}

// First and last (exclusive) slot of the k-th run in planes, in a chunk of so many slots: some in the middle and those outside,
// or, around the faces, some at the beginning and the rest.
fn runInPlanes(k: u32, slots: u32, planes: vec2u) -> vec2u {
  var low = vec2u(0u, slots);
  var high = slots;
  if (chunk.inOrder != 0u && planes.y + 2u < BOX_CELLS) {
    let end = planes.x + planes.y;
    let goesAround = end > BOX_CELLS;
    low.x = select(startInChunk(planes.x, slots), 0u, goesAround);
    low.y = startInChunk(select(end, end - BOX_CELLS, goesAround) + 1u, slots);
    high = startInChunk(select(BOX_CELLS, planes.x, goesAround), slots);
  }
  let runs = (low.y - low.x + u32(RUN) - 1u) / u32(RUN);
  if (k < runs) { return min(vec2u(low.x + k * u32(RUN)) + vec2u(0u, u32(RUN)), vec2u(low.y)); }
  return min(vec2u(high + (k - runs) * u32(RUN)) + vec2u(0u, u32(RUN)), vec2u(slots));
}
