/** Acceleration and potential at any points, in the field of the particles on the mesh and of the external potentials. */
import pointFieldWgsl from "../../../wgsl/engine/diagnostics/point-field.wgsl";
import meshFieldWgsl from "../../../wgsl/engine/mesh/mesh-field.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import { LARGEST_IMAGE, packImage, toFixedPoint } from "../../physics/particles/fixed-point.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { sectionConstants, sectionUniform } from "../gpu-particles/sections.ts";
import { stencilReach } from "../mesh/deposit/stencil.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import {
  anyChanges,
  externalFieldSources,
  externalForcesBuffer,
  externalForcesWords,
} from "../mesh/force/external-forces.ts";
import { forceBindings, forceReading, readingConstants } from "../mesh/force/force-reading.ts";
import type { Levels } from "../mesh/levels/levels.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";

const GROUP = 64;
/** Points of a submission. */
const MOST_POINTS = 2 ** 16;
/** Bytes of a point, and of its field. */
const POINT_BYTES = 16;
const SECTION = 7;

/** At points, in their order. */
export interface FieldAtPoints {
  /** [3K, xyzxyz…] [velocity/time] */
  accelerations: Float64Array;
  /** [K] [velocity²] */
  potential: Float64Array;
}

/** What adds to the force of the mesh. */
interface Adding {
  levels?: Levels | undefined;
  /** Gives what adds the pairs to the fields of so many points. */
  pairs?: { fieldAt(at: Record<"points" | "fields", GPUBuffer>): (batch: Batch, count: number) => void } | undefined;
}

/**
 * What gives the field at `points` [3K, box coordinates] at a time, with the force of the present particles on the mesh. `sums`
 * gives those of the particles, for points outside the mesh while no particle is; `ofEscaped` is the monopole of
 * EscapedParticles. Throws "input" for a point that is nowhere. Buffers belong to the stage's device.
 */
export async function pointField(stage: MeshStage, ofEscaped: GPUBuffer, { levels, pairs }: Adding = {}) {
  const { gpu, particles, mesh, settings } = stage;
  const own: BufferPool = gpu.buffers.pool();
  const external = externalForcesBuffer(own, settings, particles.heaviestSource);
  const places = own.storage("points", POINT_BYTES * MOST_POINTS, "other");
  const fields = own.storage("field at points", POINT_BYTES * MOST_POINTS, "other");
  const monopole = own.uniform("monopole at points", POINT_BYTES);
  const ofMeshes = levels && own.storage("field of the meshes at points", POINT_BYTES * MOST_POINTS, "other");
  await own.settle();
  const read = { mesh, fields: ofMeshes && [ofMeshes] };
  const kernel = await gpu.kernel({
    label: "point field",
    sources: [...externalFieldSources(settings), pointFieldWgsl, meshFieldWgsl, ...forceReading(read)],
    entry: "fieldAtPoints",
    constants: {
      ...meshConstants(stage, settings.mesh),
      ...{ UNROLLED: false, ...readingConstants(read), FIELD_GHOSTS, FORCE: 5, FORCE_Z: 6 },
      ...sectionConstants(particles, mesh.starts, SECTION),
    },
  });
  const kernels = mesh.slabs.map((slab, s) => {
    const section = sectionUniform(own, { first: 0, count: 0 }, slab, { from: 0, to: 0 });
    const force = forceBindings(read, 0, s);
    return kernel.bind(external, places, fields, monopole, slab.field, ...force, section, mesh.starts.planeStarts);
  });
  const fieldOfMeshes = ofMeshes && (await levels.fieldAt({ points: places, fields: ofMeshes }));
  const ofPairs = pairs?.fieldAt({ points: places, fields });
  return async (points: Float64Array, time: number, sums: () => Promise<Sums>): Promise<FieldAtPoints> => {
    particles.phase.expect("field at points", "accelerated");
    const out = { accelerations: new Float64Array(points.length), potential: new Float64Array(points.length / 3) };
    const inside = isOutside(stage, points) ? await monopoleOf(stage, sums) : undefined;
    for (let first = 0; first < out.potential.length; first += MOST_POINTS) {
      const words = wordsOf(stage, points, first, Math.min(out.potential.length - first, MOST_POINTS));
      const count = words.length / 4;
      const batch = gpu.batch("field at points").stage("diagnostics").write(places, 0, words.buffer);
      if (inside) batch.write(monopole, 0, inside);
      else batch.copy(ofEscaped, 0, monopole, 0, POINT_BYTES);
      if (anyChanges(settings.externalPotentials)) {
        batch.write(external, 0, externalForcesWords(settings, particles.heaviestSource, time));
      }
      fieldOfMeshes?.encode(batch, count);
      for (const one of kernels) batch.dispatch(one, workgroups(count, GROUP));
      ofPairs?.(batch, count);
      batch.read(fields, 0, POINT_BYTES * count, (data) => {
        const values = new Float32Array(data);
        for (let k = 0; k < count; k++) {
          out.accelerations.set(values.subarray(4 * k, 4 * k + 3), 3 * (first + k));
          out.potential[first + k] = values[4 * k + 3];
        }
      });
      await batch.submit();
    }
    return out;
  };
}

/** Whether a point may lie outside an isolated mesh. */
function isOutside({ settings }: MeshStage, points: Float64Array): boolean {
  const { boundary, boxSize, mesh } = settings;
  if (boundary !== "isolated") return false;
  const margin = ((stencilReach(mesh) + 1) * boxSize) / mesh.cells;
  return points.some((x) => x < margin || x > boxSize - margin);
}

/** WGSL struct Monopole of all particles, as long as none is outside: then undefined. */
async function monopoleOf(
  { settings, particles }: MeshStage,
  sums: () => Promise<Sums>,
): Promise<ArrayBuffer | undefined> {
  const { outside, mass, centreOfMass } = await sums();
  if (outside > 0) return undefined;
  const { boxSize, G } = settings;
  const strength = particles.massless ? 0 : G * mass;
  return packUniform([...u32(...centreOfMass.map((x) => toFixedPoint(x, boxSize).u)), ...f32(strength)]);
}

/** Points [first, first + count) in fixed point, with their images [4·count]. */
function wordsOf(
  { settings }: MeshStage,
  points: Float64Array,
  first: number,
  count: number,
): Uint32Array<ArrayBuffer> {
  const { boxSize, boundary } = settings;
  const words = new Uint32Array(4 * count);
  for (let k = 0, at = 3 * first; k < count; k++, at += 3) {
    const images = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const { u, image } = toFixedPoint(points[at + axis], boxSize);
      if (boundary === "isolated" && !(Math.abs(image) <= LARGEST_IMAGE)) {
        const reach = `a coordinate at most ${LARGEST_IMAGE} boxes of ${boxSize} away`;
        throw new GravmeshError("input", `point ${first + k}: expected ${reach}, found ${points[at + axis]}`);
      }
      [words[4 * k + axis], images[axis]] = [u, boundary === "isolated" ? image : 0];
    }
    words[4 * k + 3] = packImage(images[0], images[1], images[2]);
  }
  return words;
}
