/**
 * The performance model of Portegies Zwart, Belleman & Geldof (2007), section 5: seconds of a block of n particles among N,
 *   t = t_block + t_predict N + t_correct n + t_pair N n + t_transfer          (eqs. 10–13 and 15)
 * and of a time unit, the number of blocks times that (eq. 16). t_block, what a block costs however few its particles
 * are, is not in the paper: its transfers outweigh it. Ours has no transfers: between blocks nothing leaves the GPU.
 */

/** What the model is made of, [s] each. */
export interface Costs {
  /** Of a block, whatever it holds. */
  block: number;
  /** Of each particle, and of each member of the block. */
  predict: number;
  correct: number;
  /** Of each source of each member. */
  pair: number;
  /** Sending and receiving: of each particle, and of each member of the block. */
  transferAll: number;
  transferMember: number;
}

/** Mean number of particles in a block, the paper's fit (eq. 14). */
export const paperMembers = (count: number): number => 0.2 * count ** 0.81;

/** Blocks of a time unit, the paper's fit (eq. 17). */
export const paperBlocks = (count: number): number => 247 * count ** 0.35;

/** Seconds of a block of `members` among `count` particles (eq. 10). */
export function blockSeconds(costs: Costs, count: number, members: number): number {
  const { block, predict, correct, pair, transferAll, transferMember } = costs;
  return block + (predict + transferAll) * count + (correct + transferMember) * members + pair * count * members;
}

export interface Blocks {
  /** In a time unit. */
  blocks: number;
  /** Particles of one, on average. */
  members: number;
}

/** Seconds of a time unit (eq. 16), with the paper's numbers of blocks unless others are given. */
export function unitSeconds(
  costs: Costs,
  count: number,
  { blocks, members }: Blocks = { blocks: paperBlocks(count), members: paperMembers(count) },
): number {
  return blocks * blockSeconds(costs, count, members);
}

/** Cycles of a prediction and of a correction on the paper's host, of 3.4 GHz (section 5.1). */
const CYCLE = 1 / 3.4e9;
const HOST = { block: 0, predict: 900 * CYCLE, correct: 16_000 * CYCLE };

export const PAPER_MACHINES = ["GRAPE-6Af", "8800GTX", "FX1400", "Xeon"] as const;
export type PaperMachine = (typeof PAPER_MACHINES)[number];

/** Table 3 [s]: a force between two particles; sending and receiving one. */
export const TABLE_3: Record<PaperMachine, { pair: number; send?: number; receive?: number }> = {
  "GRAPE-6Af": { pair: 4.63e-10, send: 8e-7, receive: 8e-7 },
  "8800GTX": { pair: 8.15e-10, send: 1.76e-5, receive: 5.97e-6 },
  FX1400: { pair: 1.43e-8, send: 1.89e-5, receive: 5.98e-6 },
  Xeon: { pair: 5.29e-8 },
};
/** Of table 3, too: a particle predicted and corrected on the host [s]. */
export const TABLE_3_HOST = 3.82e-7;

/** The paper's machines in its model: the GPUs exchange all particles with the host at every block, GRAPE those in it. */
export function paperCosts(machine: PaperMachine): Costs {
  const { pair, send = 0, receive = 0 } = TABLE_3[machine];
  const transfer = send + receive;
  const all = machine === "8800GTX" || machine === "FX1400";
  return { ...HOST, pair, transferAll: all ? transfer : 0, transferMember: all ? 0 : transfer };
}
