/**
 * The short-range half of P³M on the GPU (Hockney & Eastwood 1988, ch. 8): particles in cell order → [by id within cells] →
 * [groups of targets, chunks of the sources in their reach] → [sums], with the smooth part on the mesh → field of each particle.
 * How many chunks there are the device counts; the host takes them in submissions that no system loses its patience with.
 */
import meshPartWgsl from "../../../wgsl/engine/p3m/mesh-part.wgsl";
import orderWgsl from "../../../wgsl/engine/p3m/order.wgsl";
import pairsWgsl from "../../../wgsl/engine/p3m/pairs.wgsl";
import atPointsWgsl from "../../../wgsl/engine/p3m/pairs-at-points.wgsl";
import subgroupsWgsl from "../../../wgsl/engine/p3m/pairs-subgroups.wgsl";
import tilesWgsl from "../../../wgsl/engine/p3m/pairs-tiles.wgsl";
import planWgsl from "../../../wgsl/engine/p3m/plan.wgsl";
import plummerPart from "../../../wgsl/engine/p3m/softened-plummer.wgsl";
import splinePart from "../../../wgsl/engine/p3m/softened-spline.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { shapeByKind } from "../../foundation/gpu/shapes.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { hasLanes } from "../direct/force-shapes.ts";
import { SPLINE_RADIUS, softeningAt } from "../direct/softening.ts";
import { massConstants } from "../gpu-particles/buffers.ts";
import { Scan, scanWords } from "../gpu-particles/scan.ts";
import { sectionConstants, sectionUniform } from "../gpu-particles/sections.ts";
import type { BothHalves } from "../gpu-particles/windows.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "../mesh/force/force-mesh.ts";
import { LEVEL_SPLIT } from "../mesh/levels/level-grid.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { longRangeLaw, polynomialInSquare } from "./long-range.ts";
import { cutByPairs, type PairsBefore, ParticlesOfRanks } from "./of-ranks.ts";
import { MOST_ITEMS, mostGroups, PAIR_SHAPES, pencilsNear, reachInCells } from "./reach.ts";

const LANES = 64;
/** How sources come: through workgroup memory, or through the registers of a subgroup. */
const SUMS = { tiles: tilesWgsl, subgroups: subgroupsWgsl };
const FIRST_ITEMS = 2 ** 9;
/** A submission is kept near this long [ms]. */
const SUBMISSION_MS = 300;
const GROWTH = 4;

interface Parts {
  own: BufferPool;
  first: { meshPart: BothHalves; order: BothHalves };
  /** Where the particles are shared. */
  ofRanks: ParticlesOfRanks | undefined;
  plan: { groups: BoundKernel; items: BoundKernel; scans: readonly [Scan, Scan] };
  sum: BoundKernel;
  fold: BoundKernel;
  /** Adds the pairs of so many points to their fields (wgsl/engine/p3m/pairs-at-points.wgsl). */
  atPoints: (at: Record<"points" | "fields", GPUBuffer>) => BoundKernel;
  work: GPUBuffer;
  loads: GPUBuffer;
  chunk: number;
  /** Sources, those of other ranks included. */
  sources: number;
  /** [N] vec4f by slot: what pairs add to this rank's own. */
  added: GPUBuffer;
  /** Groups that there may be. */
  most: number;
  pencils: number;
}

export class Pairs {
  /** Evaluations so far, and pairs in them. */
  evaluations = 0;
  pairs = 0;
  /** Pairs of the rank that had the most each time. */
  #busiest = 0;
  /** ε of the present sums [cells]. */
  #softening = 0;
  /** Items of a submission, which no bit depends on. */
  itemsAtOnce = FIRST_ITEMS;

  private constructor(
    private readonly stage: MeshStage,
    private readonly parts: Parts,
  ) {}

  /** Undefined without pairs or mass. Throws "memory" where particles or mesh lie in several bindings. */
  static async create(stage: MeshStage): Promise<Pairs | undefined> {
    const { gpu, particles, mesh, settings, fields, fast } = stage;
    if (!settings.pairs || particles.massless) return undefined;
    const { windows, held } = particles;
    const { count } = held.ofRun;
    if (windows.length > 1 || mesh.slabs.length > 1) {
      const found = `${windows.length} of ${count} particles and ${mesh.slabs.length} of ${mesh.cells}³ cells`;
      throw new GravmeshError(
        "memory",
        `P³M: expected particles and mesh in a binding each, found ${found}; try fewer of both, or gravity = "mesh"`,
      );
    }
    const { softeningKernel, reach } = settings.pairs;
    const { cells } = mesh;
    const cell = settings.boxSize / cells;
    const { group, tile, chunk } = PAIR_SHAPES[gpu.adapter.software ? "processor" : "gpu"];
    const pencils = (cells / 2) ** 2;
    const most = mostGroups(cells, count, group);
    const own = gpu.buffers.pool();
    const ofRanks = held.ranks.size > 1 ? await ParticlesOfRanks.create(stage, own) : undefined;
    const room = (label: string, words: number) => own.storage(label, 4 * words, "particles");
    const sources = room("sources of pairs", 4 * count);
    const slots = ofRanks?.buffers.sourceOf ?? room("slots of sources", count);
    const groupStart = room("groups of pencils", scanWords(pencils + 1));
    const groups = room("groups of targets", 4 * most);
    const itemStart = room("chunks of groups", scanWords(most + 1));
    const loads = room("pairs of groups", 2 * most);
    const partial = room("sums of chunks", 4 * group * MOST_ITEMS);
    const work = own.uniform("chunks of a dispatch", 16);
    await own.settle();

    const cutoff = reachInCells(reach);
    const isolated = settings.boundary === "isolated";
    const constants = {
      ...meshConstants(stage, settings.mesh),
      ...massConstants(particles),
      ...{
        CUTOFF: `f32(${cutoff})`,
        NEAR: pencilsNear(cutoff),
        GROUP: `${group}u`,
        TILE: `${tile}u`,
        CHUNK: `${chunk}u`,
      },
      ...{ UNIT: cells / 2 ** (isolated ? 31 : 32), CELL: `f32(${cell})` },
      STRENGTH: `f32(${(settings.G * particles.heaviest) / MASS_UNITS / cell ** 2})`,
      SPLINE_RADIUS,
      OF_RANKS: ofRanks !== undefined,
    };
    const kernel = (entry: string, sources: Parameters<typeof gpu.kernel>[0]["sources"], more = {}) =>
      gpu.kernel({ label: `pairs/${entry}`, sources, entry, constants: { ...constants, ...more } });
    const offered = (["tiles", "subgroups"] as const).slice(0, hasLanes(gpu) ? 2 : 1);
    const shape = shapeByKind(gpu, "pairs", offered, { processor: offered.at(-1)!, gpu: "tiles" });
    const soft = softeningKernel === "spline" ? splinePart : plummerPart;
    const [meshPart, order, groupsOf, itemsOf, sum, fold, atPoints] = await Promise.all([
      kernel("meshPart", [meshPartWgsl, forceSource(mesh)], {
        ...sectionConstants(particles, mesh.starts, 6),
        ...{ FORCE: 3, FORCE_Z: 4, FIELD_GHOSTS, FORCE_GHOSTS, UNROLLED: false, SUBSTEPS: fast !== undefined },
      }),
      kernel("order", [orderWgsl]),
      kernel("groupsOfPencils", [planWgsl]),
      kernel("itemsOfGroups", [planWgsl]),
      kernel("sum", [SUMS[shape], soft, smoothedWgsl(cutoff)]),
      kernel("fold", [pairsWgsl, soft, smoothedWgsl(cutoff)]),
      kernel("atPoints", [atPointsWgsl, soft, smoothedWgsl(cutoff)]),
    ]);
    const [added] = fast ?? fields!;
    const { all, cellStart, sums } = ofRanks?.buffers ?? { cellStart: mesh.cellStart, sums: added };
    const [slab] = mesh.slabs;
    const section = sectionUniform(own, { first: 0, count: particles.count }, slab, { from: 0, to: cells + 2 });
    const behind = [...slabForceParts(slab, cells), slab.field, section, mesh.starts.planeStarts];
    const bound = (one: typeof sum) => one.bind(work, sources, cellStart, groups, itemStart, partial, slots, sums);
    return new Pairs(stage, {
      ...{ own, ofRanks, work, loads, chunk, most, pencils, sources: count, added },
      first: {
        meshPart: particles.eachHalf(({ positions, images }) =>
          meshPart.bind(positions, images, fields![0], ...behind, added),
        ),
        order: particles.eachHalf((here) => {
          const { positions, ids, images, massUnits } = all ?? here;
          return order.bind(positions, ids, cellStart, images, massUnits, sources, slots);
        }),
      },
      plan: {
        groups: groupsOf.bind(sources, groupStart, cellStart),
        items: itemsOf.bind(sources, groupStart, cellStart, groups, itemStart, loads),
        scans: [
          await Scan.create(gpu, [{ buffer: groupStart, count: pencils + 1 }]),
          await Scan.create(gpu, [{ buffer: itemStart, count: most + 1 }]),
        ],
      },
      ...{ sum: bound(sum), fold: bound(fold) },
      atPoints: ({ points, fields }) =>
        atPoints.bindNamed({ work, sources, cellStart, points, fieldsAtPoints: fields }),
    });
  }

  /** The field of each particle at a time, with the smooth part on the mesh; what comes after it goes into the batch returned. */
  async encode(batch: Batch, time: number): Promise<Batch> {
    const { current, count } = this.stage.particles;
    const rest = await this.#encodeSums(batch, time);
    return rest.stage("pairs").dispatch(this.parts.first.meshPart[current], workgroups(count, LANES));
  }

  /** Within a step: what pairs add, of particles that have been ordered anew. */
  encodeOwn(batch: Batch, time: number): Promise<Batch> {
    this.stage.particles.phase.advance("pairs", "sorted", "pulled");
    return this.#encodeSums(batch, time);
  }

  async #encodeSums(batch: Batch, time: number): Promise<Batch> {
    const { ofRanks, sum, fold } = this.parts;
    const { gpu, settings, mesh, particles } = this.stage;
    const { ranks } = particles;
    this.#softening = (softeningAt(settings.pairs!, time) * mesh.cells) / settings.boxSize;
    const cuts = await this.#plan((await ofRanks?.encodeGather(batch)) ?? batch);
    const [first, last] = cuts.slice(ranks.rank).map(({ items }) => items);
    let rest = gpu.batch(batch.label);
    for (let from = first; from < last; ) {
      const end = Math.min(last, from + this.itemsAtOnce);
      const groups = workgroups(end - from, 1);
      this.#writeWork(rest, from, end).stage("pairs").dispatch(sum, groups).dispatch(fold, groups);
      if (end < last) {
        const started = performance.now();
        await rest.submit();
        this.#took(end - from, performance.now() - started);
        rest = gpu.batch(batch.label);
      }
      from = end;
    }
    return ofRanks?.encodeSums(rest, cuts) ?? rest;
  }

  counters(): Record<string, number> {
    return {
      ...{ "pairs of particles": this.pairs, "sums of pairs": this.evaluations },
      ...(this.parts.ofRanks && { "pairs of the busiest rank": this.#busiest }),
    };
  }

  /** What adds the pairs to the field of the mesh at points, a number of them. */
  fieldAt(at: Record<"points" | "fields", GPUBuffer>): (batch: Batch, count: number) => void {
    const kernel = this.parts.atPoints(at);
    return (batch, count) => {
      this.#writeWork(batch, 0, count).dispatch(kernel, workgroups(count, 1));
    };
  }

  destroy(): void {
    this.parts.ofRanks?.destroy();
    for (const scan of this.parts.plan.scans) scan.destroy();
    this.parts.own.destroyAll();
  }

  /** Sources in order and groups of targets: what comes before each rank's part, and in all. */
  async #plan(batch: Batch): Promise<readonly PairsBefore[]> {
    const { first, plan, loads, chunk, most, pencils, sources, added } = this.parts;
    const { current, ranks } = this.stage.particles;
    batch.stage("pairs").clear(added);
    batch.dispatch(first.order[current], workgroups(sources, LANES));
    batch.dispatch(plan.groups, workgroups(pencils + 1, LANES));
    plan.scans[0].encode(batch);
    batch.dispatch(plan.items, workgroups(most, LANES));
    plan.scans[1].encode(batch);
    let cuts: readonly PairsBefore[] = [];
    batch.read(loads, 0, loads.size, (data) => (cuts = cutByPairs(new Uint32Array(data), ranks.size, chunk)));
    await batch.submit();
    this.evaluations += 1;
    this.pairs += cuts[ranks.size].pairs;
    this.#busiest += Math.max(...cuts.slice(1).map(({ pairs }, rank) => pairs - cuts[rank].pairs));
    return cuts;
  }

  #writeWork(batch: Batch, from: number, end: number): Batch {
    return batch.write(this.parts.work, 0, packUniform([...u32(from, end), ...f32(this.#softening)]));
  }

  #took(items: number, ms: number): void {
    const fitting = Math.floor((items * SUBMISSION_MS) / Math.max(ms, 0.1));
    this.itemsAtOnce = Math.max(1, Math.min(fitting, GROWTH * items, MOST_ITEMS));
  }
}

/** The mesh's part of a pair by t = 2r²/cutoff² − 1, by Horner's rule: loops over arrays take processors three times as long. */
function smoothedWgsl(cutoff: number): WgslSource {
  const terms = (["f", "depth"] as const).map((which) =>
    polynomialInSquare((square) => longRangeLaw(square, LEVEL_SPLIT)[which], cutoff),
  );
  const nested = terms[0].reduceRight((inner, _, k) => {
    const term = `vec2f(${terms.map((one) => one[k]).join(", ")})`;
    return inner === "" ? term : `fma(${inner}, vec2f(t), ${term})`;
  }, "");
  return { path: "src/engine/p3m/pairs.ts", text: `fn smoothed(t: f32) -> vec2f {\n  return ${nested};\n}\n` };
}
