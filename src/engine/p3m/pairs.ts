/**
 * The short-range half of P³M on the GPU (Hockney & Eastwood 1988, ch. 8): particles in cell order, with the smooth part of the force
 * on the mesh → [by id within cells] → [groups of targets, chunks of the sources in their reach] → [sums] → field of each particle.
 * How many chunks there are the device counts; the host takes them in submissions that no system loses its patience with.
 */
import meshPartWgsl from "../../../wgsl/engine/p3m/mesh-part.wgsl";
import orderWgsl from "../../../wgsl/engine/p3m/order.wgsl";
import pairsWgsl from "../../../wgsl/engine/p3m/pairs.wgsl";
import subgroupsWgsl from "../../../wgsl/engine/p3m/pairs-subgroups.wgsl";
import tilesWgsl from "../../../wgsl/engine/p3m/pairs-tiles.wgsl";
import planWgsl from "../../../wgsl/engine/p3m/plan.wgsl";
import plummerPart from "../../../wgsl/engine/p3m/softened-plummer.wgsl";
import splinePart from "../../../wgsl/engine/p3m/softened-spline.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { shapeByKind } from "../../foundation/gpu/shapes.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { hasLanes } from "../direct/force-shapes.ts";
import { SPLINE_RADIUS } from "../direct/softening.ts";
import { massConstants } from "../gpu-particles/buffers.ts";
import { Scan, scanWords } from "../gpu-particles/scan.ts";
import { sectionConstants, sectionUniform } from "../gpu-particles/sections.ts";
import type { BothHalves } from "../gpu-particles/windows.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "../mesh/force/force-mesh.ts";
import { LEVEL_SPLIT } from "../mesh/levels/level-grid.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { longRangeLaw, polynomialInSquare } from "./long-range.ts";
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
  plan: { groups: BoundKernel; items: BoundKernel; scans: readonly [Scan, Scan] };
  sum: BoundKernel;
  fold: BoundKernel;
  work: GPUBuffer;
  counted: GPUBuffer;
  itemStart: GPUBuffer;
  /** Groups that there may be. */
  most: number;
  pencils: number;
}

export class Pairs {
  /** Evaluations so far, and pairs in them. */
  evaluations = 0;
  pairs = 0;
  /** Items of a submission, which no bit depends on. */
  itemsAtOnce = FIRST_ITEMS;

  private constructor(
    private readonly stage: MeshStage,
    private readonly parts: Parts,
  ) {}

  /** Undefined without pairs or mass. Throws "memory" where particles or mesh lie in several bindings. */
  static async create(stage: MeshStage): Promise<Pairs | undefined> {
    const { gpu, particles, mesh, settings, fields } = stage;
    if (!settings.pairs || particles.massless) return undefined;
    const { windows, count } = particles;
    if (windows.length > 1 || mesh.slabs.length > 1) {
      const found = `${windows.length} of ${count} particles and ${mesh.slabs.length} of ${mesh.cells}³ cells`;
      throw new GravmeshError(
        "memory",
        `P³M: expected particles and mesh in a binding each, found ${found}; try fewer of both, or gravity = "mesh"`,
      );
    }
    const { softening, softeningKernel, reach } = settings.pairs;
    const { cells } = mesh;
    const cell = settings.boxSize / cells;
    const { group, tile, chunk } = PAIR_SHAPES[gpu.adapter.software ? "processor" : "gpu"];
    const pencils = (cells / 2) ** 2;
    const most = mostGroups(cells, count, group);
    const own = gpu.buffers.pool();
    const room = (label: string, words: number) => own.storage(label, 4 * words, "particles");
    const sources = room("sources of pairs", 4 * count);
    const slots = room("slots of sources", count);
    const groupStart = room("groups of pencils", scanWords(pencils + 1));
    const groups = room("groups of targets", 4 * most);
    const itemStart = room("chunks of groups", scanWords(most + 1));
    const counted = room("pairs", 2);
    const partial = room("sums of chunks", 4 * group * MOST_ITEMS);
    const work = own.uniform("chunks of a dispatch", 8);
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
      ...{ SOFTENING: `f32(${softening / cell})`, OWN_DEPTH: `f32(${cell / softening})`, SPLINE_RADIUS },
    };
    const kernel = (entry: string, sources: Parameters<typeof gpu.kernel>[0]["sources"], more = {}) =>
      gpu.kernel({ label: `pairs/${entry}`, sources, entry, constants: { ...constants, ...more } });
    const offered = (["tiles", "subgroups"] as const).slice(0, hasLanes(gpu) ? 2 : 1);
    const shape = shapeByKind(gpu, "pairs", offered, { processor: offered.at(-1)!, gpu: "tiles" });
    const soft = softeningKernel === "spline" ? splinePart : plummerPart;
    const [meshPart, order, groupsOf, itemsOf, sum, fold] = await Promise.all([
      kernel("meshPart", [meshPartWgsl, forceSource(mesh)], {
        ...sectionConstants(particles, mesh.starts, 6),
        ...{ FORCE: 3, FORCE_Z: 4, FIELD_GHOSTS, FORCE_GHOSTS, UNROLLED: false },
      }),
      kernel("order", [orderWgsl]),
      kernel("groupsOfPencils", [planWgsl]),
      kernel("itemsOfGroups", [planWgsl]),
      kernel("sum", [SUMS[shape], soft, smoothedWgsl(cutoff)]),
      kernel("fold", [pairsWgsl, soft, smoothedWgsl(cutoff)]),
    ]);
    const { cellStart } = mesh;
    const [slab] = mesh.slabs;
    const section = sectionUniform(own, { first: 0, count }, slab, { from: 0, to: cells + 2 });
    const behind = [...slabForceParts(slab, cells), slab.field, section, mesh.starts.planeStarts];
    const bound = (one: typeof sum) =>
      one.bind(work, sources, cellStart, groups, itemStart, partial, slots, fields![0]);
    return new Pairs(stage, {
      ...{ own, work, counted, itemStart, most, pencils },
      first: {
        meshPart: particles.eachHalf(({ positions, images }) =>
          meshPart.bind(positions, images, fields![0], ...behind),
        ),
        order: particles.eachHalf(({ positions, ids, images, massUnits }) =>
          order.bind(positions, ids, cellStart, images, massUnits, sources, slots),
        ),
      },
      plan: {
        groups: groupsOf.bind(sources, groupStart, cellStart),
        items: itemsOf.bind(sources, groupStart, cellStart, groups, itemStart, counted),
        scans: [
          await Scan.create(gpu, [{ buffer: groupStart, count: pencils + 1 }]),
          await Scan.create(gpu, [{ buffer: itemStart, count: most + 1 }]),
        ],
      },
      ...{ sum: bound(sum), fold: bound(fold) },
    });
  }

  /** The field of each particle, from the smooth part on the mesh; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    const { first, plan, counted, itemStart, most, pencils } = this.parts;
    const { gpu, particles } = this.stage;
    const { current, count } = particles;
    const each = workgroups(count, LANES);
    batch.stage("pairs").clear(counted);
    batch.dispatch(first.meshPart[current], each).dispatch(first.order[current], each);
    batch.dispatch(plan.groups, workgroups(pencils + 1, LANES));
    plan.scans[0].encode(batch);
    batch.dispatch(plan.items, workgroups(most, LANES));
    plan.scans[1].encode(batch);
    let items = 0;
    batch.read(itemStart, 4 * most, 4, (data) => ([items] = new Uint32Array(data)));
    batch.read(counted, 0, 8, (data) => {
      const [low, high] = new Uint32Array(data);
      this.pairs += low + high * 2 ** 32;
      this.evaluations += 1;
    });
    await batch.submit();
    let rest = gpu.batch(batch.label);
    for (let from = 0; from < items; ) {
      const end = Math.min(items, from + this.itemsAtOnce);
      this.#encodeItems(rest, from, end);
      if (end < items) {
        const started = performance.now();
        await rest.submit();
        this.#took(end - from, performance.now() - started);
        rest = gpu.batch(batch.label);
      }
      from = end;
    }
    return rest;
  }

  destroy(): void {
    for (const scan of this.parts.plan.scans) scan.destroy();
    this.parts.own.destroyAll();
  }

  #encodeItems(batch: Batch, first: number, end: number): void {
    const { sum, fold, work } = this.parts;
    const groups = workgroups(end - first, 1);
    batch.write(work, 0, u32Data(first, end)).stage("pairs").dispatch(sum, groups).dispatch(fold, groups);
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

const u32Data = (...words: number[]): ArrayBuffer => Uint32Array.from(words).buffer;
