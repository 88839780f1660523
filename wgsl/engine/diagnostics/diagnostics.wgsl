// Sums over all particles on the GPU, independent of their order: each term is scaled by a power of two from a bound
// on all terms of its kind, rounded to an integer of 30 bits, and added exactly (lib/sums.wgsl).
//   extremes  largest v², a², potentials and distance
//   fields    the same but for v², and the number outside; leaves each particle's own field for `sums`, by slot
//   survey    mass, mass·x; largest v²
//   settle    scales from the largest values, centre of mass
//   sums      energies, momenta, force, virial; histogram of mass over log r about the centre of mass
//   perParticle  acceleration and potential of every particle, for read-back, by slot: total, external fields included
// The mesh potential of a particle contains its own, as in Aubert, Amini & David 2009.
// Those that look at the mesh take the particles of a section, the others those of a chunk.
// Words of `totals` are laid out as in src/engine/diagnostics/layout.ts.
//#import "../../lib/section.wgsl"
//#import "total-field.wgsl"
//#import "../../lib/sums.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "../../lib/box-image.wgsl"
//#expects MASS_UNITS, RUN, SURVEY_AT, SCALES_AT, CENTRE_AT, BIN_SHIFT, FIRST_BIN, BINS, HISTOGRAM_AT
//#expects SUMS_AT, SURVEY_MASS, SURVEY_WITHIN, SURVEY_BOXES, SURVEY_OUTSIDE
//#expects SUM_TOTALS, SCALES, SCALE_OF (of each total), Summed, termsOf, boundsOf

@group(0) @binding(0) var<uniform> externalForces: ExternalForces;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> massUnits: array<u32>; // [N] by id, in chunks by slot; unequal masses
@group(0) @binding(7) var<uniform> monopole: Monopole; // isolated
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read> meshPotential: array<f32>; // [n² rows × PITCH]
@group(0) @binding(10) var<storage, read_write> ownAcceleration: array<f32>; // [N, 3] by slot
@group(0) @binding(11) var<storage, read_write> ownPotential: array<f32>; // [N] by slot; doubled outside, see `fields`
// Of perParticle:
@group(0) @binding(15) var<storage, read_write> accelerations: array<f32>; // [N, 3]
@group(0) @binding(16) var<storage, read_write> potential: array<f32>; // [N]

const GROUP = 64u;
const BOX_CENTRE = vec3u(0x80000000u);

// Largest values, as the bits of non-negative floats.
const LARGEST = 0u;
const SPEED2 = 0u;
const ACCELERATION2 = 1u;
const OWN_POTENTIAL = 2u;
const EXTERNAL_POTENTIAL = 3u;
const DISTANCE2 = 4u;
const LARGEST_COUNT = 5u;

var<workgroup> largestInGroup: array<atomic<u32>, LARGEST_COUNT>;

fn velocityOf(slot: u32) -> vec3f {
  return vec3f(velocities[3u * slot], velocities[3u * slot + 1u], velocities[3u * slot + 2u]);
}

// First slot of an invocation and the one past its last, of the slots from all.x to before all.y.
fn slots(invocation: Invocation, all: vec2u) -> vec2u {
  let first = all.x + flatIndex(invocation, GROUP) * u32(RUN);
  return vec2u(first, min(first + u32(RUN), all.y));
}

alias Largest = array<u32, LARGEST_COUNT>;

fn lookAtSpeed(slot: u32, largest: ptr<function, Largest>) {
  let v = velocityOf(slot);
  // Bits sort like the numbers, and above them all what is no number.
  (*largest)[SPEED2] = max((*largest)[SPEED2], bitcast<u32>(dot(v, v)));
}

// Looks at all but the speed of the particle in a slot; its field.
fn looked(slot: u32, largest: ptr<function, Largest>) -> TotalField {
  let u = positionOf(slot);
  let image = imageOf(slot);
  let d = separation(u, image, BOX_CENTRE, 0u);
  let field = totalFieldAt(slot, u, image);
  let a = field.own.xyz + field.applied.xyz;
  (*largest)[ACCELERATION2] = max((*largest)[ACCELERATION2], bitcast<u32>(dot(a, a)));
  (*largest)[OWN_POTENTIAL] = max((*largest)[OWN_POTENTIAL], bitcast<u32>(abs(field.own.w)));
  (*largest)[EXTERNAL_POTENTIAL] = max((*largest)[EXTERNAL_POTENTIAL], bitcast<u32>(abs(field.applied.w)));
  (*largest)[DISTANCE2] = max((*largest)[DISTANCE2], bitcast<u32>(dot(d, d)));
  return field;
}

// Uniform control flow only.
fn keepLargest(largest: ptr<function, Largest>, local: u32) {
  for (var i = 0u; i < LARGEST_COUNT; i++) {
    atomicMax(&largestInGroup[i], (*largest)[i]);
  }
  workgroupBarrier();
  if (local < LARGEST_COUNT) {
    atomicMax(&totals[LARGEST + local], atomicLoad(&largestInGroup[local]));
  }
}

@compute @workgroup_size(GROUP)
fn extremes(invocation: Invocation) {
  let range = slots(invocation, slotsOfSection(arrayLength(&ids)));
  var largest: Largest;
  for (var slot = range.x; slot < range.y; slot++) {
    lookAtSpeed(slot, &largest);
    _ = looked(slot, &largest);
  }
  keepLargest(&largest, invocation.local);
}

@compute @workgroup_size(GROUP)
fn fields(invocation: Invocation) {
  let range = slots(invocation, slotsOfSection(arrayLength(&ownPotential)));
  var largest: Largest;
  var outside = 0u;
  for (var slot = range.x; slot < range.y; slot++) {
    let field = looked(slot, &largest);
    ownAcceleration[3u * slot] = field.own.x;
    ownAcceleration[3u * slot + 1u] = field.own.y;
    ownAcceleration[3u * slot + 2u] = field.own.z;
    // Pairs on the mesh are counted twice, once from either side; the force on the escaped has one side only.
    ownPotential[slot] = select(1.0, 2.0, field.outside) * field.own.w;
    outside += select(0u, 1u, field.outside);
  }
  if (outside > 0u) {
    addToTotal(u32(SURVEY_AT + 3 * SURVEY_OUTSIDE), vec2u(outside, 0u));
  }
  keepLargest(&largest, invocation.local);
}

@compute @workgroup_size(GROUP)
fn survey(invocation: Invocation) {
  let range = slots(invocation, vec2u(0u, arrayLength(&ids)));
  var sums: Sums;
  var largest: Largest;
  for (var slot = range.x; slot < range.y; slot++) {
    lookAtSpeed(slot, &largest);
    let u = positionOf(slot);
    let image = imageOf(slot);
    let mass = massOf(slot);
    let boxes = imageOffsets(image);
    sums[SURVEY_MASS] = plus(sums[SURVEY_MASS], vec2u(mass, 0u));
    for (var axis = 0; axis < 3; axis++) {
      sums[SURVEY_WITHIN + axis] = plus(sums[SURVEY_WITHIN + axis], product(mass, u[axis] >> 8u));
      sums[SURVEY_BOXES + axis] = plus(sums[SURVEY_BOXES + axis], signedTerm(i32(mass) * boxes[axis]));
    }
  }
  addToTotals(&sums, u32(SURVEY_AT), invocation.local);
  keepLargest(&largest, invocation.local);
}

fn largestValue(which: u32) -> f32 {
  return bitcast<f32>(atomicLoad(&totals[LARGEST + which]));
}

@compute @workgroup_size(1)
fn settle() {
  let speed = sqrt(largestValue(SPEED2));
  let acceleration = sqrt(largestValue(ACCELERATION2));
  let distance = sqrt(largestValue(DISTANCE2));
  let potential = largestValue(OWN_POTENTIAL) + largestValue(EXTERNAL_POTENTIAL);
  var bounds = boundsOf(speed, acceleration, potential, distance);
  for (var i = 0; i < SCALES; i++) { atomicStore(&totals[SCALES_AT + i], bitcast<u32>(scaleFor(bounds[i]))); }
  // Centre of mass from the centre of the box, in boxes.
  let mass = max(totalAsFloat(u32(SURVEY_AT + 3 * SURVEY_MASS)), 1.0);
  for (var axis = 0u; axis < 3u; axis++) {
    let within = totalAsFloat(u32(SURVEY_AT) + 3u * (u32(SURVEY_WITHIN) + axis)) * 0x1p-24;
    let boxes = totalAsFloat(u32(SURVEY_AT) + 3u * (u32(SURVEY_BOXES) + axis));
    atomicStore(&totals[u32(CENTRE_AT) + axis], bitcast<u32>((within + boxes) / mass - 0.5));
  }
}

// Bin of the histogram: the leading bits of r² in boxes squared, BINS_PER_OCTAVE to a factor of two.
fn binOf(r2: f32) -> u32 {
  return clamp(bitcast<u32>(r2) >> u32(BIN_SHIFT), u32(FIRST_BIN), u32(FIRST_BIN + BINS - 1)) - u32(FIRST_BIN);
}

fn addToHistogram(bin: u32, mass: u32) {
  if (atomicAdd(&totals[u32(HISTOGRAM_AT) + bin], mass) > ~mass) {
    atomicAdd(&totals[u32(HISTOGRAM_AT + BINS) + bin], 1u);
  }
}

@compute @workgroup_size(GROUP)
fn sums(invocation: Invocation) {
  let range = slots(invocation, vec2u(0u, arrayLength(&ids)));
  // Neighbours in memory often share a bin: their mass goes there at once, below 2^32 for RUN < 1024.
  var bin = 0u;
  var massInBin = 0u;
  var scale: array<f32, SCALES>;
  var scaleOf = SCALE_OF;
  for (var i = 0; i < SCALES; i++) {
    scale[i] = bitcast<f32>(atomicLoad(&totals[SCALES_AT + i]));
  }
  let centre = vec3f(
    bitcast<f32>(atomicLoad(&totals[CENTRE_AT])),
    bitcast<f32>(atomicLoad(&totals[CENTRE_AT + 1])),
    bitcast<f32>(atomicLoad(&totals[CENTRE_AT + 2])),
  );
  var sums: Sums;
  for (var slot = range.x; slot < range.y; slot++) {
    let u = positionOf(slot);
    let image = imageOf(slot);
    let v = velocityOf(slot);
    let d = separation(u, image, BOX_CENTRE, 0u);
    let applied = externalField(u, image);
    let own = vec3f(ownAcceleration[3u * slot], ownAcceleration[3u * slot + 1u], ownAcceleration[3u * slot + 2u]);
    let a = own + applied.xyz;
    let units = massOf(slot);
    let mass = f32(units) / f32(MASS_UNITS);
    let potential = 0.5 * ownPotential[slot] + applied.w;
    var terms = termsOf(Summed(d, v, a, potential));
    for (var i = 0; i < SUM_TOTALS; i++) {
      sums[i] = plus(sums[i], scaledTerm(terms[i], scale[scaleOf[i]], mass));
    }

    let fromCentre = d / externalForces.box - centre;
    let itsBin = binOf(dot(fromCentre, fromCentre));
    if (itsBin != bin) {
      addToHistogram(bin, massInBin);
      bin = itsBin;
      massInBin = 0u;
    }
    massInBin += units;
  }
  addToHistogram(bin, massInBin);
  addToTotals(&sums, u32(SUMS_AT), invocation.local);
}

@compute @workgroup_size(GROUP)
fn perParticle(invocation: Invocation) {
  let range = slots(invocation, slotsOfSection(arrayLength(&potential)));
  for (var slot = range.x; slot < range.y; slot++) {
    let field = totalFieldAt(slot, positionOf(slot), imageOf(slot));
    let total = field.own + field.applied;
    accelerations[3u * slot] = total.x;
    accelerations[3u * slot + 1u] = total.y;
    accelerations[3u * slot + 2u] = total.z;
    potential[slot] = total.w;
  }
}
