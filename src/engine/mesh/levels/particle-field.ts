/** The field of all meshes, added up for each particle, or for points (wgsl/engine/mesh/levels/particle-field.wgsl). */

import image from "../../../../wgsl/engine/gpu-particles/image.wgsl";
import position from "../../../../wgsl/engine/gpu-particles/position.wgsl";
import firstWgsl from "../../../../wgsl/engine/mesh/levels/level-first.wgsl";
import fieldWgsl from "../../../../wgsl/engine/mesh/levels/particle-field.wgsl";
import particlePlaces from "../../../../wgsl/engine/mesh/levels/particle-places.wgsl";
import pointPlaces from "../../../../wgsl/engine/mesh/levels/point-places.wgsl";
import { type Batch, workgroups } from "../../../foundation/gpu/batch.ts";
import { u32 } from "../../../foundation/gpu/buffers.ts";
import type { Kernel } from "../../../foundation/gpu/kernel.ts";
import type { Range } from "../../../foundation/gpu/windows.ts";
import { sectionConstants, sectionUniform } from "../../gpu-particles/sections.ts";
import type { ParticleHalf } from "../../gpu-particles/windows.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "../field.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "../force/force-mesh.ts";
import { type MeshStage, meshConstants } from "../stage.ts";
import { BLEND } from "./level-grid.ts";
import { PARTICLE_FIELD_BYTES } from "./level-memory.ts";
import type { LevelMesh } from "./level-mesh.ts";
import type { LevelPlaces } from "./level-places.ts";
import { substepsWanted } from "./level-settings.ts";
import { dispatchInPlanes, levelSlotConstants } from "./level-slots.ts";

const GROUP = 64;
/** Particles that an invocation takes: on processors mesh values are kept from one to the next. */
const RUN = { software: 64, hardware: 1 };
const FORCE = 3;
const FORCE_Z = 4;
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

/** For the particles, or so many points. */
type Dispatch = (batch: Batch, points: number) => void;

export class ParticleField {
  private constructor(
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
    const run = gpu.adapter.software ? RUN.software : RUN.hardware;
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
          ...levelSlotConstants(stage, PLACES + 2),
          ...{ FORCE, FORCE_Z, FIELD_GHOSTS, FORCE_GHOSTS, BLEND },
          ...{ POINTS: at !== undefined, UNROLLED: false },
          RUN: run,
          ...places.constants(PLACES),
        },
      });
    const dispatchOn = (kernel: Kernel, mesh: MeshBuffers, slab: MeshSlab, level?: GPUBuffer): Dispatch => {
      const [force, rest] = slabForceParts(slab, mesh.cells);
      const to = slab.first + slab.planes === mesh.cells ? mesh.cells + 2 : slab.first + slab.planes;
      const of = (slots: Range) => ({
        ...{ [FORCE]: force, [FORCE_Z]: rest, meshPotential: slab.field, places: places.buffer },
        section: sectionUniform(own, slots, slab, { from: slab.first, to }),
        planeStarts: stage.mesh.starts.planeStarts,
      });
      if (at) {
        const chunk = own.uniform("slots of points", u32(0, 0, 0, 0));
        const bound = kernel.bindNamed({
          ...at,
          ...of({ first: 0, count: 0 }),
          thisLevel: level,
          chunk,
          pencilStarts: at.points,
        });
        return (batch, points) => void batch.dispatch(bound, workgroups(Math.ceil(points / run), GROUP));
      }
      const bind = (here: ParticleHalf, w: number, more: Record<string, GPUBuffer>) =>
        kernel.bindNamed({ ...here, fields: fields![w], ...of(particles.windows[w]), ...more });
      if (level) {
        const thisLevel = level;
        return dispatchInPlanes(stage, { run, group: GROUP }, (here, slots, w) =>
          bind(here, w, { ...slots, thisLevel }),
        );
      }
      const kernels = particles.windows.map((window, w) => particles.ofWindow(window, (here) => bind(here, w, {})));
      return (batch) => {
        for (const [w, { count }] of particles.windows.entries()) {
          batch.dispatch(kernels[w][particles.current], workgroups(Math.ceil(count / run), GROUP));
        }
      };
    };
    const { mesh: box } = stage;
    const ofBox = await kernelOn(box, "ofBox");
    const dispatches = fast ? [] : box.slabs.map((slab) => dispatchOn(ofBox, box, slab));
    const bands: number[] = [];
    for (const [number, { mesh, offsets }] of levels.entries()) {
      const { parent } = places.levels[number];
      const above = parent === undefined ? 0 : bands[parent];
      bands.push(above + offsets.band);
      const kernel = await kernelOn(mesh, "ofLevel");
      const level = places.thisLevel(number, { offset: above + offsets.top });
      dispatches.push(dispatchOn(kernel, mesh, mesh.slabs[0], level));
    }
    return new ParticleField(dispatches, fast ? fields! : []);
  }

  /** The fields of the particles, or of so many points. */
  encode(batch: Batch, points = 0): Batch {
    for (const buffer of this.sums) batch.clear(buffer);
    for (const dispatch of this.dispatches) dispatch(batch, points);
    return batch;
  }
}

/** Room for the fields of a chunk's particles, for each chunk, where there are levels or pairs. */
export function fieldsBySlot({
  gpu,
  particles,
  settings,
}: Pick<MeshStage, "gpu" | "particles" | "settings">): Pick<MeshStage, "fields" | "fast"> {
  const { levels = [], pairs } = settings;
  if ((levels.length === 0 && !pairs) || particles.massless) return {};
  const room = (label: string) =>
    particles.windows.map(({ count }) => gpu.buffers.storage(label, PARTICLE_FIELD_BYTES * count, "particles"));
  const fast = substepsWanted(settings) > 1 ? room("field of each particle by the fast part alone") : undefined;
  return { fields: room("field of each particle"), fast };
}
