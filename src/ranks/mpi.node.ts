/**
 * Ranks of an MPI run. Sums go through MPI_Allreduce on 64-bit integers, which are exact in any order. Before every
 * collective call the ranks meet in a barrier that is polled with pauses: a call that waits inside the library spins on a
 * core which the others, and software adapters, need.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Handle, type MpiKind, type MpiLibrary, mpiLibrary } from "./mpi-library.node.ts";
import { ALONE, type Ranks, startsOf } from "./ranks.ts";

/** What a launcher leaves in the environment. */
const LAUNCHERS: readonly { kind: MpiKind; size: string; rank: string }[] = [
  { kind: "openmpi", size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK" },
  { kind: "mpich", size: "PMI_SIZE", rank: "PMI_RANK" },
];

/** The library of the launcher that started this process; undefined where none did. */
export function launcherOf(environment: Readonly<Record<string, string | undefined>>): MpiKind | undefined {
  return LAUNCHERS.find(({ size }) => environment[size] !== undefined)?.kind;
}

/** The rank that a launcher has given this process; 0 without one. */
export function rankIn(environment: Readonly<Record<string, string | undefined>>): number {
  return Number(LAUNCHERS.map(({ rank }) => environment[rank]).find((rank) => rank !== undefined) ?? 0);
}

/** How many a launcher has started; 1 without one. */
export function sizeIn(environment: Readonly<Record<string, string | undefined>>): number {
  return Number(LAUNCHERS.map(({ size }) => environment[size]).find((size) => size !== undefined) ?? 1);
}

/** The ranks that mpirun, mpiexec or srun started together with this process; alone without one. Throws "usage". */
export async function mpiRanks(environment = process.env): Promise<Ranks> {
  const kind = launcherOf(environment);
  return kind && sizeIn(environment) > 1 ? new MpiRanks(await mpiLibrary(kind, environment.GRAVMESH_MPI)) : ALONE;
}

/** Counts of MPI are 32-bit: longer messages go in pieces of so many bytes. */
const PIECE = 2 ** 28;
/** Pauses between two looks whether all are there [ms]; the first looks come without. */
const PAUSES = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 4];
/** Room for a request, a pointer or an int. */
const REQUEST_BYTES = 8;

export class MpiRanks implements Ranks {
  readonly rank: number;
  readonly size: number;

  constructor(readonly library: MpiLibrary) {
    const [rank, size] = [[0], [0]];
    library.call("MPI_Comm_rank", library.world, rank);
    library.call("MPI_Comm_size", library.world, size);
    this.rank = rank[0];
    this.size = size[0];
  }

  sum(words: BigInt64Array): Promise<void> {
    return this.#reduce(words, this.library.sum);
  }

  largest(words: BigInt64Array): Promise<void> {
    return this.#reduce(words, this.library.max);
  }

  async #reduce(words: BigInt64Array, operation: Handle): Promise<void> {
    const { call, inPlace, int64, world } = this.library;
    await this.barrier();
    for (let first = 0; first < words.length; first += PIECE / 8) {
      const piece = words.subarray(first, first + PIECE / 8);
      call("MPI_Allreduce", inPlace, piece, piece.length, int64, operation, world);
    }
  }

  async gather(bytes: Uint8Array): Promise<Uint8Array[] | undefined> {
    const { call, inPlace, int64, byte, world } = this.library;
    const { rank, size } = this;
    await this.barrier();
    const lengths = new BigInt64Array(size);
    lengths[rank] = BigInt(bytes.length);
    call("MPI_Allgather", inPlace, 0, int64, lengths, 1, int64, world);
    const root = rank === 0;
    const all = root ? Array.from(lengths, (length) => new Uint8Array(Number(length))) : undefined;
    const share = Math.floor(PIECE / size);
    const rounds = Math.ceil(Math.max(...Array.from(lengths, Number)) / share);
    const into = new Uint8Array(root && rounds > 0 ? share * size : 0);
    for (let round = 0; round < rounds; round++) {
      const counts = Int32Array.from(lengths, (length) => Math.max(0, Math.min(share, Number(length) - round * share)));
      const places = Int32Array.from(counts, (_, r) => r * share);
      const piece = bytes.subarray(round * share, round * share + counts[rank]);
      call("MPI_Gatherv", piece, piece.length, byte, into, counts, places, byte, 0, world);
      for (const [r, whole] of all?.entries() ?? []) {
        whole.set(into.subarray(places[r], places[r] + counts[r]), round * share);
      }
    }
    return all;
  }

  async allGather(whole: Uint8Array, lengths: readonly number[]): Promise<void> {
    const { call, inPlace, byte, world } = this.library;
    const places = startsOf(lengths);
    await this.barrier();
    if (whole.length < PIECE) {
      call("MPI_Allgatherv", inPlace, 0, byte, whole, Int32Array.from(lengths), Int32Array.from(places), byte, world);
      return;
    }
    for (const [r, length] of lengths.entries()) {
      for (let first = 0; first < length; first += PIECE) {
        const piece = whole.subarray(places[r] + first, places[r] + Math.min(length, first + PIECE));
        call("MPI_Bcast", piece, piece.length, byte, r, world);
      }
    }
  }

  async broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array> {
    const { call, byte, int64, world } = this.library;
    await this.barrier();
    const length = BigInt64Array.of(BigInt(this.rank === 0 ? (bytes?.length ?? 0) : 0));
    call("MPI_Bcast", length, 1, int64, 0, world);
    const all = this.rank === 0 && bytes ? bytes : new Uint8Array(Number(length[0]));
    for (let first = 0; first < all.length; first += PIECE) {
      const piece = all.subarray(first, first + PIECE);
      call("MPI_Bcast", piece, piece.length, byte, 0, world);
    }
    return all;
  }

  async barrier(): Promise<void> {
    const { call, world } = this.library;
    const request = new Uint8Array(REQUEST_BYTES);
    const done = [0];
    call("MPI_Ibarrier", world, request);
    for (let look = 0; ; look++) {
      call("MPI_Test", request, done, this.library.ignoreStatus);
      if (done[0] !== 0) return;
      const wait = PAUSES[Math.min(look, PAUSES.length - 1)];
      if (wait === 0) await new Promise((resolve) => setImmediate(resolve));
      else await pause(wait);
    }
  }

  abort(code: number): never {
    this.library.call("MPI_Abort", this.library.world, code);
    return process.exit(code);
  }

  async finish(): Promise<void> {
    await this.barrier();
    this.library.call("MPI_Finalize");
  }
}
