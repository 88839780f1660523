// Neighbours of targets among sources: the nearest of another id, of several the one of the smallest id, and lists
// of those closer than a radius of the target's own, in source order. Distances are unsoftened.
// Sources are cut into chunks, and an invocation takes one target and one chunk: few targets still fill the adapter.
// A workgroup's invocations share the chunk, so that they read the same source at a time. Grid: targets, chunks.
//   survey  nearest and number of neighbours of every target in every chunk, SURVEYED targets an invocation: reading
//           a source takes longer than looking at it
//   merge   over the chunks of a target, in order; where each chunk's part of the list begins
//   list    the ids, of chunks that have any
//#import "../../lib/double-single.wgsl"
//#expects BODY (vectors of four words in a body), LISTS (whether lists are wanted), CHUNK, GROUP, SURVEYED

struct Search {
  targets: u32,
  sources: u32,
  chunks: u32,
  capacity: u32, // ids that a target's list holds
  start: u32, // 1: the first sources that these targets are compared with; 0: go on from what is found
  zero: u32,
}

// Squared distance (the bits of a float32 that isn't negative compare as it does), id, and number of neighbours;
// of a chunk also the number before it.
struct Found {
  square: u32,
  id: u32,
  count: u32,
  before: u32,
}

// Larger than any distance and any id.
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<uniform> search: Search;
@group(0) @binding(1) var<storage, read> targets: array<vec4u>;
@group(0) @binding(2) var<storage, read> sources: array<vec4u>;
@group(0) @binding(3) var<storage, read> radii: array<f32>; // [targets] squared
@group(0) @binding(4) var<storage, read_write> parts: array<Found>; // [chunks, targets]
@group(0) @binding(5) var<storage, read_write> found: array<Found>; // [targets]
@group(0) @binding(6) var<storage, read_write> lists: array<u32>; // [targets, capacity]

struct Place {
  high: vec3f,
  low: vec3f,
  id: u32,
}

fn targetPlace(i: u32) -> Place {
  let low = targets[i * BODY + 1u];
  return Place(bitcast<vec3f>(targets[i * BODY].xyz), bitcast<vec3f>(low.xyz), low.w);
}

fn sourcePlace(i: u32) -> Place {
  let low = sources[i * BODY + 1u];
  return Place(bitcast<vec3f>(sources[i * BODY].xyz), bitcast<vec3f>(low.xyz), low.w);
}

// Through fma, so that survey and list round alike.
fn squaredDistance(here: Place, there: Place) -> f32 {
  let r = kept3(there.high - here.high) + (there.low - here.low);
  return fma(r.z, r.z, fma(r.y, r.y, r.x * r.x));
}

fn closer(square: u32, id: u32, than: Found) -> bool {
  return square < than.square || (square == than.square && id < than.id);
}

// A target with what was found of it so far.
struct Seeker {
  place: Place,
  limit: f32,
  best: Found,
}

// Past the end of the targets some target that exists, of which nothing is written.
fn seekerAt(slot: u32) -> Seeker {
  let row = min(slot, search.targets - 1u);
  var limit = 0.0;
  if (LISTS) { limit = radii[row]; }
  return Seeker(targetPlace(row), limit, Found(NOTHING, NOTHING, 0u, 0u));
}

fn having(seen: Seeker, there: Place) -> Seeker {
  var seeker = seen;
  let square = squaredDistance(seen.place, there);
  let other = there.id != seen.place.id;
  let wins = other && closer(bitcast<u32>(square), there.id, seen.best);
  seeker.best.square = select(seen.best.square, bitcast<u32>(square), wins);
  seeker.best.id = select(seen.best.id, there.id, wins);
  if (LISTS) { seeker.best.count += select(0u, 1u, other && square < seen.limit); }
  return seeker;
}

@compute @workgroup_size(GROUP)
fn survey(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  pairZero = search.zero;
  let chunk = group.y;
  let slot = SURVEYED * GROUP * group.x + local;
  if (slot >= search.targets) { return; }
  var seekers: array<Seeker, SURVEYED>;
  for (var t = 0u; t < SURVEYED; t++) { seekers[t] = seekerAt(slot + t * GROUP); }
  let size = min(CHUNK, search.sources - chunk * CHUNK);
  for (var k = 0u; k < CHUNK; k++) { // to a constant: see force.wgsl
    if (k >= size) { break; }
    let there = sourcePlace(chunk * CHUNK + k);
    for (var t = 0u; t < SURVEYED; t++) { seekers[t] = having(seekers[t], there); }
  }
  for (var t = 0u; t < SURVEYED; t++) {
    let at = slot + t * GROUP;
    if (at < search.targets) { parts[chunk * search.targets + at] = seekers[t].best; }
  }
}

@compute @workgroup_size(GROUP)
fn merge(@builtin(global_invocation_id) id: vec3u) {
  let slot = id.x;
  if (slot >= search.targets) { return; }
  var best = Found(NOTHING, NOTHING, 0u, 0u);
  if (search.start == 0u) { best = found[slot]; }
  for (var chunk = 0u; chunk < search.chunks; chunk++) {
    let at = chunk * search.targets + slot;
    let part = parts[at];
    if (closer(part.square, part.id, best)) {
      best.square = part.square;
      best.id = part.id;
    }
    parts[at].before = best.count;
    best.count += part.count;
  }
  found[slot] = best;
}

@compute @workgroup_size(GROUP)
fn list(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  pairZero = search.zero;
  let chunk = group.y;
  let slot = group.x * GROUP + local;
  if (slot >= search.targets) { return; }
  let part = parts[chunk * search.targets + slot];
  if (part.count == 0u || part.before >= search.capacity) { return; }
  let here = targetPlace(slot);
  let limit = radii[slot];
  var place = slot * search.capacity + part.before;
  let last = slot * search.capacity + min(search.capacity, part.before + part.count);
  let size = min(CHUNK, search.sources - chunk * CHUNK);
  for (var k = 0u; k < CHUNK; k++) {
    if (k >= size || place >= last) { break; }
    let there = sourcePlace(chunk * CHUNK + k);
    if (there.id != here.id && squaredDistance(here, there) < limit) {
      lists[place] = there.id;
      place++;
    }
  }
}
