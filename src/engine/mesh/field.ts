/**
 * The mesh of a grid on the GPU: which buffers there are, and what each holds at which stage. 24 bytes a cell, 28 where the
 * force lies in vectors (force-mesh.ts); deposit and Poisson borrow the force for their scratch. A mesh larger than a
 * binding lies in slabs, ranges of planes with buffers of their own and copies of the neighbours' planes as ghosts.
 */
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { USAGE } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type Range, type RangeLimits, rangeLimits, ranges } from "../../foundation/gpu/windows.ts";
import type { Grid } from "../../physics/particles/grid.ts";
import { scanWords } from "../gpu-particles/scan.ts";
import { type CellStarts, planeStartVectors } from "../gpu-particles/sections.ts";
import { FORCE_BYTES, FORCE_GHOSTS, forceBytes, type SlabForce, vectorsFit } from "./force/force-mesh.ts";

/** Bytes of a word, and of a cell of the field. */
const WORD_BYTES = 4;
export const FIELD_BYTES = 4;

/** Rows of at least so many cells begin at whole cache lines of a GPU. */
const LONG_ROW = 256;
const LINE_WORDS = 32;

/** Words of a row of `field`: n/2 + 1 complex numbers; long rows in whole cache lines, as transforms along y and z take them. */
export function fieldPitch(cells: number): number {
  const words = cells + 2;
  return cells < LONG_ROW ? words : LINE_WORDS * Math.ceil(words / LINE_WORDS);
}

/** Ghost planes on either side of a slab's field, for the gradient. */
export const FIELD_GHOSTS = 2;

/** A range of planes with its buffers; g = 0 ghost planes where it is the whole mesh. Even numbers of planes. */
export interface MeshSlab extends SlabForce {
  first: number;
  /** [(planes + 2·2g)·n rows × pitch] words, FIELD_GHOSTS planes of ghosts on either side; as `field` of MeshBuffers. */
  field: GPUBuffer;
  /** [planes·n²] u32, no ghosts. */
  high: GPUBuffer;
}

/** Planes of a slab, `before` of which others lie in its buffer, that are in a range. */
export function planesRead({ first, planes, before }: { first: number; planes: number; before: number }, read: Range) {
  const from = Math.max(first, read.first);
  const end = Math.min(first + planes, read.first + read.count);
  return { first: from, planes: end - from, before: before + from - first };
}

/** Planes that a slab of a mesh may have. */
function mostPlanes({ binding, buffer, windows }: RangeLimits, cells: number): number {
  const plane = cells ** 2;
  const most = Math.min(
    Math.floor(binding / (FIELD_BYTES * fieldPitch(cells) * cells)) - 2 * FIELD_GHOSTS,
    Math.floor(binding / (8 * plane)) - 2 * FORCE_GHOSTS,
    Math.floor(buffer / (FORCE_BYTES * plane)) - 2 * FORCE_GHOSTS,
    Math.floor((binding - 8) / (4 * plane)),
    windows?.planes ?? cells,
  );
  const whole =
    FIELD_BYTES * fieldPitch(cells) * plane <= binding &&
    8 * (cells + 1) * plane <= binding && // the spectrum of an isolated mesh
    FORCE_BYTES * cells * plane <= binding && // scratch of the deposit
    4 * cells * plane + 8 <= binding &&
    (windows?.planes ?? cells) >= cells;
  // Both neighbours' ghosts are other planes than its own.
  return whole ? cells : Math.min(most, cells - 2 * FIELD_GHOSTS);
}

/** The planes of a mesh's slabs within the limits of a device. Throws "memory" where it doesn't hold two planes. */
export function meshSlabs(limits: RangeLimits, cells: number): Range[] {
  const most = mostPlanes(limits, cells);
  if (most < 2)
    throw new GravmeshError(
      "memory",
      `a buffer of this device holds less than two planes of ${cells}² cells; try fewer mesh.cells`,
    );
  return ranges(cells, most, 2);
}

export class MeshBuffers {
  constructor(
    readonly grid: Grid,
    /** Pitch of a row of `field` in 4-byte words: fieldPitch(cells). */
    readonly pitch: number,
    /** In order of their planes; one, without ghosts, unless the device binds too little. */
    readonly slabs: readonly MeshSlab[],
    /** Where each cell's particles start, by the same slabs. */
    readonly starts: CellStarts,
    /** Cells of each axis of which potential and acceleration are read. */
    readonly read: Range = { first: 0, count: grid.cells },
  ) {}

  /** n, cells per side of the grid. */
  get cells(): number {
    return this.grid.cells;
  }

  /**
   * [n² rows × pitch] words: deposited mass, low word (u32) → spectrum → potential (f32) [velocity²]. This and the buffers
   * below are those of the only slab; of a mesh in several they throw.
   */
  get field(): GPUBuffer {
    return this.#only.field;
  }

  /** [n³] u32: deposited mass, high word. */
  get high(): GPUBuffer {
    return this.#only.high;
  }

  /** [n³ + 2] u32: particles per cell, then the first particle of each cell; entry n³ is the first outside. */
  get cellStart(): GPUBuffer {
    void this.#only;
    return this.starts.slabs[0].starts;
  }

  /**
   * Acceleration: [n³] vec2f (ax, ay), then [n³] f32 az; before the gradient, scratch for deposit and Poisson. In pairs,
   * because two loads a cell are quicker than three, and so that the largest binding of 512³ is below 2 GiB. For texels
   * [n³] vec4f (force-mesh.ts).
   */
  get force(): GPUBuffer {
    return this.#only.force;
  }

  get #only(): MeshSlab {
    if (this.slabs.length > 1) throw new Error(`expected a mesh in one piece, found ${this.slabs.length} slabs`);
    return this.slabs[0];
  }
}

interface MeshLayout {
  pitch?: number | undefined;
  /** Of the mesh by which particles are ordered, where this one isn't it: it lies in one piece. */
  starts?: CellStarts;
  read?: Range;
  /** The force in vectors of four words, where they fit. */
  vectors?: boolean;
}

export function createMeshBuffers(gpu: GpuContext, grid: Grid, layout: MeshLayout = {}): MeshBuffers {
  const { cells } = grid;
  const { windows, ...device } = rangeLimits(gpu);
  const limits = { ...device, ...(windows && !layout.starts && { windows }) };
  const { pitch = fieldPitch(cells) } = layout;
  const cuts = meshSlabs(limits, cells);
  if (layout.starts && cuts.length > 1) {
    const most = `this device binds ${bytesText(limits.binding)}`;
    throw new GravmeshError("memory", `a level of ${cells}³ cells must lie in one piece, but ${most}; try fewer cells`);
  }
  const vectors = layout.vectors === true && vectorsFit(limits, cells, cuts);
  const cut = cuts.length > 1;
  const { buffers } = gpu;
  const named = ({ first }: Range) => (cut ? ` from plane ${first}` : "");
  const slabs = cuts.map((range) => {
    const { first, count: planes } = range;
    const name = named(range);
    const deep = planes + (cut ? 2 * FIELD_GHOSTS : 0);
    return {
      ...{ first, planes, cut, vectors },
      field: buffers.storage(`mesh field${name}`, FIELD_BYTES * pitch * cells * deep, "mesh"),
      high: buffers.storage(`mesh mass, high word${name}`, WORD_BYTES * planes * cells ** 2, "mesh"),
      force: buffers.inParts(`mesh force${name}`, forceBytes({ planes, cut, vectors }, cells), "mesh"),
    };
  });
  if (layout.starts) return new MeshBuffers(grid, pitch, slabs, inOnePiece(cells, layout.starts), layout.read);
  const starts = cuts.map((range) => ({
    ...{ first: range.first, planes: range.count },
    starts: buffers.storage(`cell starts${named(range)}`, startBytes(cells, range), "mesh"),
  }));
  const planeStarts = buffers.storage("starts of planes", 16 * planeStartVectors(cells), "mesh", USAGE.UNIFORM);
  return new MeshBuffers(grid, pitch, slabs, { cells, slabs: starts, planeStarts });
}

/** What stands in for the cell starts of a mesh that orders no particles. */
function inOnePiece(cells: number, { slabs: [{ starts }], planeStarts }: CellStarts): CellStarts {
  return { cells, slabs: [{ first: 0, planes: cells, starts }], planeStarts };
}

const startBytes = (cells: number, { count }: Range) => WORD_BYTES * scanWords(count * cells ** 2 + 2);

/** Bytes of the field, ghosts included. */
export function fieldBytes(limits: RangeLimits, cells: number): number {
  const cuts = meshSlabs(limits, cells).length;
  return FIELD_BYTES * fieldPitch(cells) * cells * (cells + (cuts > 1 ? 2 * FIELD_GHOSTS * cuts : 0));
}

/** Bytes of the buffers of a mesh, ghosts included; `vectors` as of its layout. */
export function meshBytes(limits: RangeLimits, cells: number, vectors = false): number {
  const cuts = meshSlabs(limits, cells);
  const cut = cuts.length > 1;
  const field = fieldBytes(limits, cells);
  const layout = { cut, vectors: vectors && vectorsFit(limits, cells, cuts) };
  const force = cuts.reduce((sum, { count }) => sum + forceBytes({ ...layout, planes: count }, cells), 0);
  const starts = cuts.reduce((sum, range) => sum + startBytes(cells, range), 16 * planeStartVectors(cells));
  return field + force + WORD_BYTES * cells ** 3 + starts;
}
