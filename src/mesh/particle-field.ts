/** The field of all meshes, added up for each particle, or for points (wgsl/mesh/particle-field.wgsl). */
import firstWgsl from "../../wgsl/mesh/level-first.wgsl";
import fieldWgsl from "../../wgsl/mesh/particle-field.wgsl";
import particlePlaces from "../../wgsl/mesh/particle-places.wgsl";
import pointPlaces from "../../wgsl/mesh/point-places.wgsl";
import image from "../../wgsl/particles/image.wgsl";
import position from "../../wgsl/particles/position.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { sectionConstants, sectionUniform } from "../particles/sections.ts";
import type { BothHalves } from "../particles/windows.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "./field.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "./force-mesh.ts";
import { BLEND } from "./level-grid.ts";
import { PARTICLE_FIELD_BYTES } from "./level-memory.ts";
import type { LevelMesh } from "./level-mesh.ts";
import type { LevelPlaces } from "./level-places.ts";
import { type MeshStage, meshConstants } from "./stage.ts";

const GROUP = 64;
/** Particles that an invocation takes: on processors mesh values are kept from one to the next. */
const RUN = { software: 64, hardware: 1 };
const FORCE = 3;
const SECTION = 6;
const PLACES = 8;

/** Points with their fields, in place of the particles. */
interface Points {
  points: GPUBuffer;
  fields: GPUBuffer;
}

interface Wanted {
  at?: Points;
  /** What levels add by themselves, in place of the whole. */
  fast?: boolean;
}

interface Dispatch {
  kernel: BothHalves;
  /** Slots; points: as many as are asked for. */
  count: number | undefined;
}

export class ParticleField {
  private constructor(
    private readonly stage: MeshStage,
    private readonly dispatches: readonly Dispatch[],
    /** Buffers that only sums go to. */
    private readonly sums: readonly GPUBuffer[],
  ) {}

  /** Levels in order, each behind its parent. */
  static async create(
    stage: MeshStage,
    places: LevelPlaces,
    levels: readonly LevelMesh[],
    { at, fast = false }: Wanted = {},
  ): Promise<ParticleField> {
    const { gpu, particles, settings } = stage;
    const fields = fast ? stage.fast : stage.fields;
    const own = gpu.buffers;
    const kernelOn = (mesh: MeshBuffers, entry: string): Promise<Kernel> =>
      gpu.kernel({
        label: `particle field/${entry}`,
        sources: [
          fieldWgsl,
          ...(at ? [pointPlaces] : [particlePlaces, position, image]),
          forceSource(mesh),
          ...(entry === "ofLevel" ? [firstWgsl] : []),
        ],
        entry,
        constants: {
          ...meshConstants({ mesh, particles }, settings.mesh),
          ...sectionConstants(particles, stage.mesh.starts, SECTION),
          ...(entry === "ofLevel" && { MOVES: true, WHOLE: true }),
          ...{ FORCE, FORCE_Z: FORCE + 1, FIELD_GHOSTS, FORCE_GHOSTS, BLEND },
          ...{ POINTS: at !== undefined, UNROLLED: false },
          RUN: runOf(stage),
          ...places.constants(PLACES),
        },
      });
    const dispatchesOn = (kernel: Kernel, mesh: MeshBuffers, slab: MeshSlab, level: GPUBuffer): Dispatch[] => {
      const force = slabForceParts(slab, mesh.cells);
      const to = slab.first + slab.planes === mesh.cells ? mesh.cells + 2 : slab.first + slab.planes;
      const behind = (first: number, count: number) => {
        const section = sectionUniform(own, { first, count }, slab, { from: slab.first, to });
        return [...force, slab.field, section, stage.mesh.starts.planeStarts, places.buffer, level];
      };
      if (at) {
        const bound = kernel.bind(at.points, at.points, at.fields, ...behind(0, 0));
        return [{ kernel: [bound, bound], count: undefined }];
      }
      return particles.windows.map((window, w) => {
        const rest = behind(window.first, window.count);
        const bound = particles.ofWindow(window, ({ positions, images }) =>
          kernel.bind(positions, images, fields![w], ...rest),
        );
        return { kernel: bound, count: window.count };
      });
    };
    const { mesh: box } = stage;
    const ofBox = await kernelOn(box, "ofBox");
    const ofNone = places.thisLevel(0); // bound, but not read
    const dispatches = fast ? [] : box.slabs.flatMap((slab) => dispatchesOn(ofBox, box, slab, ofNone));
    const bands: number[] = [];
    for (const [number, { mesh, offsets }] of levels.entries()) {
      const { parent } = places.levels[number];
      const above = parent === undefined ? 0 : bands[parent];
      bands.push(above + offsets.band);
      const kernel = await kernelOn(mesh, "ofLevel");
      const level = places.thisLevel(number, { offset: above + offsets.top });
      dispatches.push(...dispatchesOn(kernel, mesh, mesh.slabs[0], level));
    }
    return new ParticleField(stage, dispatches, fast ? fields! : []);
  }

  /** The fields of the particles, or of so many points. */
  encode(batch: Batch, points = 0): Batch {
    const run = runOf(this.stage);
    const { current } = this.stage.particles;
    for (const buffer of this.sums) batch.clear(buffer);
    for (const { kernel, count = points } of this.dispatches) {
      batch.dispatch(kernel[current], workgroups(Math.ceil(count / run), GROUP));
    }
    return batch;
  }
}

const runOf = ({ gpu }: Pick<MeshStage, "gpu">) => (gpu.adapter.software ? RUN.software : RUN.hardware);

/** Room for the fields of a chunk's particles, for each chunk, where there are levels or pairs. */
export function fieldsBySlot({
  gpu,
  particles,
  settings: { levels = [], pairs },
}: Pick<MeshStage, "gpu" | "particles" | "settings">): Pick<MeshStage, "fields" | "fast"> {
  if ((levels.length === 0 && !pairs) || particles.massless) return {};
  const room = (label: string) =>
    particles.windows.map(({ count }) => gpu.buffers.storage(label, PARTICLE_FIELD_BYTES * count, "particles"));
  const fast = levels[0]?.substeps > 1 ? room("field of each particle by the levels alone") : undefined;
  return { fields: room("field of each particle"), fast };
}
