/**
 * Merger trees: which halo of one output became which of the next, from the ids of particles that they share.
 *
 *   core of a halo       its most bound particles: as many as the smallest halo has, or a tenth of its members if that is more
 *   descendant           the halo of the next output that holds most of the core, at least half of it
 *   main progenitor      of the haloes that descend to it, the one that held most of its core; of equal ones, the heaviest
 *
 * Outskirts change hands in a flyby, cores don't. A halo that passes through another isn't found while it is within: one
 * without a progenitor takes up what held its core two outputs before, unless that is a main progenitor by then (as
 * SUBLINK does, Rodriguez-Gomez et al. 2015, section 3.1). Integers alone: no result depends on an order of particles.
 */

/** Haloes of an output, heaviest first; a particle is in one of them at most. */
export interface TreeOutput {
  scaleFactor: number;
  /** [H] */
  ids: readonly number[];
  /** [H] [mass] */
  masses: ArrayLike<number>;
  /** [H] ids of particles, the most bound first. */
  members: readonly Uint32Array[];
}

/** A halo in its tree; others are named by their places in the list. */
export interface TreeHalo {
  id: number;
  output: number;
  scaleFactor: number;
  /** [mass] */
  mass: number;
  descendant: TreeHalo | undefined;
  mainProgenitor: TreeHalo | undefined;
  /** All haloes that descend to it. */
  progenitors: number;
  /** Of them, others than the main one; of these, with at least a quarter of its mass. */
  mergers: number;
  majorMergers: number;
  /** The halo that it is part of at the end of its tree. */
  root: TreeHalo;
  /** Scale factors: of the last major merger of the main branch; where this had half of the mass now. NaN where there is none. */
  lastMajorMerger: number;
  halfMass: number;
}

const CORE_SHARE = 0.1;
const MAJOR = 0.25;

interface Layer {
  haloes: TreeHalo[];
  cores: Uint32Array[];
  /** By particle id: the place of its halo. */
  holder: ReadonlyMap<number, number>;
}

/** Outputs in order of time; only the last three are held with their particles. */
export class HaloTrees {
  readonly #haloes: TreeHalo[] = [];
  #layers: Layer[] = [];
  #outputs = 0;

  constructor(private readonly minimumMembers: number) {}

  add({ scaleFactor, ids, masses, members }: TreeOutput): void {
    const output = this.#outputs++;
    const haloes = ids.map((id, i) => treeHalo({ id, output, scaleFactor, mass: masses[i] }));
    const holder = new Map<number, number>();
    members.forEach((own, place) => {
      for (const id of own) holder.set(id, place);
    });
    const coreOf = (own: Uint32Array) =>
      own.slice(0, Math.max(this.minimumMembers, Math.ceil(CORE_SHARE * own.length)));
    const now: Layer = { haloes, cores: members.map(coreOf), holder };
    const [before, last] = [this.#layers.at(-2), this.#layers.at(-1)];
    if (last) link(last, now, last.haloes, haloes);
    if (before) {
      const free = before.haloes.filter((halo) => halo.descendant?.mainProgenitor !== halo);
      const orphans = haloes.filter(({ mainProgenitor }) => !mainProgenitor);
      link(before, now, free, orphans);
    }
    this.#layers = last ? [last, now] : [now];
    this.#haloes.push(...haloes);
  }

  /** All haloes, in order of outputs. */
  haloes(): TreeHalo[] {
    const all = this.#haloes;
    for (const halo of all) Object.assign(halo, { progenitors: 0, mergers: 0, majorMergers: 0 });
    for (const halo of all) {
      const { descendant } = halo;
      if (!descendant) continue;
      descendant.progenitors++;
      if (descendant.mainProgenitor === halo) continue;
      descendant.mergers++;
      if (halo.mass >= MAJOR * descendant.mainProgenitor!.mass) descendant.majorMergers++;
    }
    for (const halo of all.toReversed()) halo.root = halo.descendant?.root ?? halo;
    for (const halo of all) {
      const { mainProgenitor: main, majorMergers, scaleFactor } = halo;
      halo.lastMajorMerger = majorMergers > 0 ? scaleFactor : (main?.lastMajorMerger ?? Number.NaN);
      halo.halfMass = halfMassOf(halo);
    }
    return all;
  }
}

function treeHalo(about: Pick<TreeHalo, "id" | "output" | "scaleFactor" | "mass">): TreeHalo {
  const halo = {
    ...{ ...about, descendant: undefined, mainProgenitor: undefined, progenitors: 0, mergers: 0, majorMergers: 0 },
    ...{ lastMajorMerger: Number.NaN, halfMass: Number.NaN },
  };
  return Object.assign(halo, { root: halo as unknown as TreeHalo });
}

/** Descendants of `from` among `to`, and the main progenitors of these. */
function link(early: Layer, late: Layer, from: readonly TreeHalo[], to: readonly TreeHalo[]): void {
  const [givers, takers] = [new Set(from), new Set(to)];
  early.haloes.forEach((halo, place) => {
    if (!givers.has(halo)) return;
    const core = early.cores[place];
    const [taker, count] = mostOf(core, late.holder);
    if (taker !== undefined && 2 * count >= core.length && takers.has(late.haloes[taker]))
      halo.descendant = late.haloes[taker];
  });
  late.haloes.forEach((halo, place) => {
    if (!takers.has(halo)) return;
    const counts = countsOf(late.cores[place], early.holder);
    let most = -1;
    early.haloes.forEach((one, of) => {
      const count = counts.get(of) ?? 0;
      if (one.descendant !== halo || count <= most) return;
      most = count;
      halo.mainProgenitor = one;
    });
  });
}

function countsOf(core: Uint32Array, holder: ReadonlyMap<number, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of core) {
    const place = holder.get(id);
    if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

/** The halo with most of the particles, of equal ones the heaviest, and how many it has. */
function mostOf(core: Uint32Array, holder: ReadonlyMap<number, number>): [place: number | undefined, count: number] {
  let [best, most]: [number | undefined, number] = [undefined, 0];
  for (const [place, count] of countsOf(core, holder)) {
    if (count > most || (count === most && place < best!)) [best, most] = [place, count];
  }
  return [best, most];
}

/** Where the main branch came to half of the mass, between its outputs linearly. */
function halfMassOf({ mass, ...halo }: TreeHalo): number {
  let later = { mass, scaleFactor: halo.scaleFactor };
  for (let one = halo.mainProgenitor; one; one = one.mainProgenitor) {
    if (one.mass < mass / 2) {
      const share = (mass / 2 - one.mass) / (later.mass - one.mass);
      return one.scaleFactor + share * (later.scaleFactor - one.scaleFactor);
    }
    later = one;
  }
  return Number.NaN;
}
