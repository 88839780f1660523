// Deposit by rows: an invocation walks WALK cells along x of a pencil of 2 x 2 rows, the cells of which follow
// one another in the order of particles, with running sums for the SPAN x SPAN rows that these particles reach, and
// writes the sums of each x beside one another. No atomics: each partial sum has one writer, who also reads the
// particles of the cells beside the walk. deposit-combine.wgsl then adds up what reaches a cell from its pencils.
// The sums fit the scratch for a slab of the mesh at a time, with the neighbouring pencils on both sides.
// A dispatch takes the particles of its section: the chunk where a pencil begins writes its sums, and what lies of it in
// later ones is summed beside them, in the seam, and added.
// Sums are 32 bits wide. A walk with more particles than could overflow them puts carries into `high` directly.
// Nothing branches but the end of the walk (a software adapter runs several in lock-step): an invocation visits
// a particle at a time, or with mass 0 what has fewer particles than sums are to be written. A visit writes one part of
// the sums that the cell before has completed.
//#import "../../../lib/section.wgsl"
//#import "../../gpu-particles/mass.wgsl"
//#import "../../gpu-particles/position.wgsl"
//#import "deposit-slab.wgsl"
//#expects CELLS, ORDER, WALK, SPREAD (threads, or 1), PARTS, noSums, withParticle, moved, storePart, addPart, carryAll

@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(4) var<storage, read> cellStart: array<u32>; // [n^3 + 2], of a slab its own
@group(0) @binding(6) var<storage, read_write> high: array<atomic<u32>>; // [n^3], or those of the slab's buffer

const GROUP = 64u;
const SIDE = u32(CELLS);
const PENCILS = SIDE / 2u; // per axis
// Cells that the stencil reaches below the base cell.
const LOW = u32(ORDER) - 2u;
// Particles whose sum is below 2^32 for certain.
const SAFE_COUNT = 1023u;

// A stretch of a pencil.
struct Walk {
  y: u32, // of the pencil, y / 2
  z: u32,
  row: u32, // place of the pencil's first cell
  first: u32, // x of the first cells
  output: u32, // place of their sums, counted in cells of a pencil
}

// x of the `step`-th cells of the walk, which starts one before its first.
fn walkedX(path: Walk, step: u32) -> u32 {
  return (path.first + step + SIDE - 1u) % SIDE;
}

// Place of the cells there.
fn placeAt(path: Walk, step: u32) -> u32 {
  return path.row + 4u * walkedX(path, step);
}

// Adds a carry of the sum at (x, j, k), rows counted from the first that the pencil's particles reach.
fn carry(path: Walk, x: u32, j: u32, k: u32) {
  let y = (2u * path.y + SIDE + j - LOW) % SIDE;
  let z = (2u * path.z + SIDE + k - LOW) % SIDE;
  // The slab's neighbours count carries into their own planes themselves.
  if ((z / 2u + PENCILS - slab.first) % PENCILS >= slab.count) { return; }
  atomicAdd(&high[((z - 2u * slab.origin) * SIDE + y) * SIDE + x], 1u);
}

// Particles at a step of the walk.
fn countAt(path: Walk, step: u32) -> u32 {
  let place = placeAt(path, step);
  return cellStart[place + 4u] - cellStart[place];
}

// The first particle of the cells from a place on, as the dispatch sees it.
fn startOf(place: u32) -> u32 {
  return slotInChunk(cellStart[place]);
}

// A bound on the particles of any one sum: all of the walk's, or where that is too many those of ORDER steps.
fn largestSum(path: Walk) -> u32 {
  let start = path.row + 4u * path.first;
  let all = cellStart[start + 4u * WALK] - cellStart[start] + countAt(path, 0u) + countAt(path, WALK + 1u);
  if (all <= SAFE_COUNT) { return all; }
  var largest = 0u;
  var before = vec2u(0u);
  for (var step = 0u; step <= WALK + LOW; step++) {
    let count = countAt(path, step);
    largest = max(largest, count + before.x + before.y * LOW);
    before = vec2u(count, before.x);
  }
  return largest;
}

fn walk(path: Walk, watch: bool) {
  var step = 0u;
  var part = 0u;
  // The particles of cells follow those of the last ones; only between the row's end and its beginning the walk jumps.
  let second = startOf(path.row + 4u * path.first);
  let last = startOf(placeAt(path, WALK + 1u));
  var i = startOf(placeAt(path, 0u));
  var end = startOf(placeAt(path, 0u) + 4u);
  var sums = noSums();
  loop {
    let present = i < end;
    let u = positionOf(i);
    let before = sums;
    sums = withParticle(sums, select(0u, massOf(i), present), u);
    if (watch) { carryAll(path, step, before, sums); }
    // Complete sums stay where they are until the next step has written them.
    storePart(path.output + max(step, LOW + 2u) - LOW - 2u, part, sums);
    i += select(0u, 1u, present);
    let done = i >= end && part + 1u >= PARTS;
    part = select(min(part + 1u, PARTS - 1u), 0u, done);
    step += select(0u, 1u, done);
    if (step > WALK + LOW) { break; }
    if (LOW == 0u) {
      i = select(i, second, done && step == 1u);
    } else {
      i = select(i, select(last, second, step == 1u), done && (step == 1u || step == WALK + 1u));
    }
    end = startOf(placeAt(path, step) + 4u);
    sums = moved(sums, done);
  }
  for (var rest = 0u; rest < PARTS; rest++) { storePart(path.output + WALK - 1u, rest, moved(sums, true)); }
}

@compute @workgroup_size(GROUP)
fn rows(invocation: Invocation) {
  let index = spreadWorkgroup(invocation, SPREAD) * GROUP + invocation.local;
  let perRow = SIDE / WALK;
  let slabRow = index / perRow;
  if (slabRow >= PENCILS * slab.planes) { return; }
  let plane = slabRow / PENCILS;
  let y = slabRow % PENCILS;
  let z = (slab.first + plane + PENCILS - 1u) % PENCILS;
  if (!isOwnPlane(2u * z)) { return; }
  let row = keyInSlab(4u * (z * PENCILS + y) * SIDE);
  let begins = beginsInChunk(cellStart[row]);
  if (!begins && !goesOnInChunk(cellStart[row], cellStart[row + 4u * SIDE])) { return; }
  let first = (index % perRow) * WALK;
  let output = (plane * PENCILS + y) * SIDE + first;
  // A pencil at most goes on in a chunk of particles: there is one seam, behind the slab's pencils.
  let path = Walk(y, z, row, first, select(slab.planes * PENCILS * SIDE + first, output, begins));

  // The same walk twice: the common one is compiled without the watch for carries.
  if (largestSum(path) <= SAFE_COUNT) {
    walk(path, false);
  } else {
    walk(path, true);
  }
  if (begins) { return; }
  for (var cell = 0u; cell < WALK; cell++) {
    for (var part = 0u; part < PARTS; part++) { addPart(path, cell, part, output); }
  }
}
