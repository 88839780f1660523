/** Acceleration and potential at any points, in the field of the particles on the mesh and of the external potentials. */
import pointFieldWgsl from "../../wgsl/diagnostics/point-field.wgsl";
import meshFieldWgsl from "../../wgsl/mesh/mesh-field.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../gpu/buffers.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import {
  anyChanges,
  externalFieldSources,
  externalForcesBuffer,
  externalForcesWords,
} from "../mesh/external-forces.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { forceBindings, forceReading, readingConstants } from "../mesh/force-reading.ts";
import type { Levels } from "../mesh/levels.ts";
import type { ParticleField } from "../mesh/particle-field.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { stencilReach } from "../mesh/stencil.ts";
import { LARGEST_IMAGE, packImage, toFixedPoint } from "../particles/fixed-point.ts";
import { sectionConstants, sectionUniform } from "../particles/sections.ts";
import type { Sums } from "../particles/sums.ts";

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

export class PointField {
  private constructor(
    private readonly stage: MeshStage,
    /** Of EscapedParticles. */
    private readonly ofEscaped: GPUBuffer,
    /** One for every slab. */
    private readonly kernels: readonly BoundKernel[],
    private readonly buffers: Record<"external" | "points" | "fields" | "monopole", GPUBuffer>,
    /** Where there are levels: what the kernels read of all meshes. */
    private readonly ofMeshes: ParticleField | undefined,
  ) {}

  /** `ofEscaped`: the monopole of EscapedParticles. Buffers belong to the stage's device. */
  static async create(stage: MeshStage, ofEscaped: GPUBuffer, levels?: Levels): Promise<PointField> {
    const { gpu, particles, mesh, settings } = stage;
    const own: BufferPool = gpu.buffers.pool();
    const buffers = {
      external: externalForcesBuffer(own, settings, particles.heaviestSource),
      points: own.storage("points", POINT_BYTES * MOST_POINTS, "other"),
      fields: own.storage("field at points", POINT_BYTES * MOST_POINTS, "other"),
      monopole: own.uniform("monopole at points", POINT_BYTES),
    };
    const ofMeshes = levels && own.storage("field of the meshes at points", POINT_BYTES * MOST_POINTS, "other");
    await own.settle();
    const read = { mesh, fields: ofMeshes && [ofMeshes] };
    const kernel = await gpu.kernel({
      label: "point field",
      sources: [...externalFieldSources(settings), pointFieldWgsl, meshFieldWgsl, ...forceReading(read)],
      entry: "fieldAtPoints",
      constants: {
        ...meshConstants(stage, settings.mesh),
        ...{ KEEP: false, ...readingConstants(read), FIELD_GHOSTS, FORCE: 5, FORCE_Z: 6 },
        ...sectionConstants(particles, mesh.starts, SECTION),
      },
    });
    const kernels = mesh.slabs.map((slab, s) => {
      const section = sectionUniform(own, { first: 0, count: 0 }, slab, { from: 0, to: 0 });
      const { external, points, fields, monopole } = buffers;
      const force = forceBindings(read, 0, s);
      return kernel.bind(external, points, fields, monopole, slab.field, ...force, section, mesh.starts.planeStarts);
    });
    const field = ofMeshes && (await levels.fieldAt({ points: buffers.points, fields: ofMeshes }));
    return new PointField(stage, ofEscaped, kernels, buffers, field);
  }

  /**
   * The field at `points` [3K, box coordinates] at a time, with the force of the present particles on the mesh. `sums` gives
   * those of the particles, for points outside the mesh while no particle is. Throws "input" for a point that is nowhere.
   */
  async at(points: Float64Array, time: number, sums: () => Promise<Sums>): Promise<FieldAtPoints> {
    const { gpu, particles, settings } = this.stage;
    particles.phase.expect("field at points", "accelerated");
    const { external, points: places, fields, monopole } = this.buffers;
    const out = { accelerations: new Float64Array(points.length), potential: new Float64Array(points.length / 3) };
    const inside = this.#isOutside(points) ? await this.#monopoleOf(sums) : undefined;
    for (let first = 0; first < out.potential.length; first += MOST_POINTS) {
      const words = this.#words(points, first, Math.min(out.potential.length - first, MOST_POINTS));
      const count = words.length / 4;
      const batch = gpu.batch("field at points").stage("diagnostics").write(places, 0, words.buffer);
      if (inside) batch.write(monopole, 0, inside);
      else batch.copy(this.ofEscaped, 0, monopole, 0, POINT_BYTES);
      if (anyChanges(settings.externalPotentials)) {
        batch.write(external, 0, externalForcesWords(settings, particles.heaviestSource, time));
      }
      this.ofMeshes?.encode(batch, count);
      for (const kernel of this.kernels) batch.dispatch(kernel, workgroups(count, GROUP));
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
  }

  /** Whether a point may lie outside an isolated mesh. */
  #isOutside(points: Float64Array): boolean {
    const { boundary, boxSize, mesh } = this.stage.settings;
    if (boundary !== "isolated") return false;
    const margin = ((stencilReach(mesh) + 1) * boxSize) / mesh.cells;
    return points.some((x) => x < margin || x > boxSize - margin);
  }

  /** WGSL struct Monopole of all particles, as long as none is outside: then undefined. */
  async #monopoleOf(sums: () => Promise<Sums>): Promise<ArrayBuffer | undefined> {
    const { outside, mass, centreOfMass } = await sums();
    if (outside > 0) return undefined;
    const { boxSize, G } = this.stage.settings;
    const strength = this.stage.particles.massless ? 0 : G * mass;
    return packUniform([...u32(...centreOfMass.map((x) => toFixedPoint(x, boxSize).u)), ...f32(strength)]);
  }

  /** Points [first, first + count) in fixed point, with their images [4·count]. */
  #words(points: Float64Array, first: number, count: number): Uint32Array<ArrayBuffer> {
    const { boxSize, boundary } = this.stage.settings;
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
}
