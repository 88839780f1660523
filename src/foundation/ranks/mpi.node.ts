/**
 * Ranks of an MPI run. Sums go through MPI_Allreduce on 64-bit integers, which are exact in any order. Before every
 * collective call the ranks meet in a barrier that is polled with pauses: a call that waits inside the library spins on a
 * core which the others, and software adapters, need.
 */
import { Expected, untilThere } from "../base/waiting.ts";
import {
  HANDLE_BYTES,
  type Handle,
  type MpiFunction,
  type MpiKind,
  type MpiLibrary,
  mpiLibrary,
} from "./mpi-library.node.ts";
import { placementHere } from "./rank-placement.node.ts";
import type { RankPlacement } from "./rank-placement.ts";
import { type Ranks, SINGLE_RANK, startsOf } from "./ranks.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const LAUNCHERS: readonly { kind: MpiKind; size: string; rank: string; here: string }[] = [
  { kind: "openmpi", size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK", here: "OMPI_COMM_WORLD_LOCAL_SIZE" },
  { kind: "mpich", size: "PMI_SIZE", rank: "PMI_RANK", here: "MPI_LOCALNRANKS" },
];

/** Undefined where no launcher started this process. */
export function launcherOf(environment: Environment): MpiKind | undefined {
  return LAUNCHERS.find(({ size }) => environment[size] !== undefined)?.kind;
}

function numberIn(environment: Environment, what: "size" | "rank" | "here"): number | undefined {
  const found = LAUNCHERS.map((launcher) => environment[launcher[what]]).find((text) => text !== undefined);
  return found === undefined ? undefined : Number(found);
}

/** 0 without a launcher. */
export const rankIn = (environment: Environment): number => numberIn(environment, "rank") ?? 0;

/** 1 without a launcher. */
export const sizeIn = (environment: Environment): number => numberIn(environment, "size") ?? 1;

/** Processes on this machine; all where the launcher doesn't say. */
export const sizeHere = (environment: Environment): number => numberIn(environment, "here") ?? sizeIn(environment);

/** The ranks that mpirun, mpiexec or srun started with this process, or this one alone. Throws "usage". */
export async function mpiRanks(environment = process.env): Promise<Ranks> {
  const kind = launcherOf(environment);
  return kind && sizeIn(environment) > 1
    ? new MpiRanks(await mpiLibrary(kind, environment.GRAVMESH_MPI), placementHere(environment))
    : SINGLE_RANK;
}

/** Counts of MPI are 32-bit: longer messages go in pieces of so many bytes, a multiple of 8. */
const PIECE = 2 ** 28;

/** Sums of so few words wait and add in one call that is looked at now and then. */
const FEW_WORDS = 512;
/** Looks without a pause whether all are there, and whether what they move has come. */
const LOOKS = { there: 4, moved: 200, handed: 0 };
/** Up to so many the first gets the words of each in turn; of more it takes a tree. */
const FEW_RANKS = 8;
const TAG = 1;
const LENGTH_BYTES = 8;

/** A call that is begun, but for the place of its request. */
type Begun = readonly [name: MpiFunction, ...values: unknown[]];

export class MpiRanks implements Ranks {
  readonly rank: number;
  readonly size: number;
  waited = 0;
  /** How long it takes until all are there, by what for. */
  readonly #expected = { sum: new Expected(), handing: new Expected() };
  /** What another rank gives while it is added. */
  #other = new BigInt64Array(0);
  /** What the library reads and writes until a call is done that was only begun: nothing of it may be collected. */
  readonly #inUse = new Set<unknown[]>();
  /** Stays where it is while a call is under way. */
  readonly #few = new BigInt64Array(FEW_WORDS);

  constructor(
    readonly library: MpiLibrary,
    readonly seat: RankPlacement,
    private readonly all: Handle = library.world,
    private readonly limits = { pieceBytes: PIECE },
  ) {
    const [rank, size] = [[0], [0]];
    library.call("MPI_Comm_rank", all, rank);
    library.call("MPI_Comm_size", all, size);
    this.rank = rank[0];
    this.size = size[0];
  }

  *#inPieces<T extends BigInt64Array | Uint8Array>(array: T): Generator<T> {
    const most = this.limits.pieceBytes / array.BYTES_PER_ELEMENT;
    for (let first = 0; first < array.length; first += most) yield array.subarray(first, first + most) as T;
  }

  sum(words: BigInt64Array): Promise<void> {
    return this.#reduce(words, this.library.sum);
  }

  largest(words: BigInt64Array): Promise<void> {
    return this.#reduce(words, this.library.max);
  }

  async #reduce(words: BigInt64Array, operation: Handle): Promise<void> {
    const { call, inPlace, int64 } = this.library;
    if (words.length <= FEW_WORDS) {
      const few = this.#few.subarray(0, words.length);
      few.set(words);
      await this.#begun(["MPI_Iallreduce", inPlace, this.#few, words.length, int64, operation, this.all]);
      words.set(few);
      return;
    }
    await this.barrier();
    for (const piece of this.#inPieces(words)) {
      if (this.#spins) call("MPI_Allreduce", inPlace, piece, piece.length, int64, operation, this.all);
      else await this.#allReduced(piece, operation);
    }
  }

  async sumOnFirst(words: BigInt64Array): Promise<void> {
    const { call, inPlace, int64, sum } = this.library;
    await this.barrier(this.#expected.sum);
    for (const piece of this.#inPieces(words)) {
      const [given, into] = this.rank === 0 ? [inPlace, piece] : [piece, null];
      if (this.#spins) call("MPI_Reduce", given, into, piece.length, int64, sum, 0, this.all);
      else await this.#allReduced(piece, sum);
    }
  }

  async sumOfOthers(words: BigInt64Array): Promise<void> {
    if (this.size > FEW_RANKS) {
      if (this.rank === 0) words.fill(0n);
      return this.sumOnFirst(words);
    }
    const { call, int64, sum } = this.library;
    for (const piece of this.#inPieces(words)) {
      const { length } = piece;
      if (this.rank > 0) {
        await this.#begun(["MPI_Isend", piece, length, int64, 0, TAG, this.all], this.#expected.sum);
        continue;
      }
      if (this.size > 2 && this.#other.length < length) this.#other = new BigInt64Array(length);
      for (let rank = 1; rank < this.size; rank++) {
        const into = rank === 1 ? piece : this.#other.subarray(0, length);
        await this.#begun(["MPI_Irecv", into, length, int64, rank, TAG, this.all], this.#expected.sum);
        if (rank > 1) call("MPI_Reduce_local", into, piece, length, int64, sum);
      }
    }
  }

  #allReduced(piece: BigInt64Array, operation: Handle): Promise<void> {
    const { inPlace, int64 } = this.library;
    return this.#ended(["MPI_Iallreduce", inPlace, piece, piece.length, int64, operation, this.all], LOOKS.moved);
  }

  /** Open MPI's long sums are quickest in calls that wait inside it and yield the core; MPICH's don't yield. */
  get #spins(): boolean {
    return this.library.kind === "openmpi";
  }

  async gather(bytes: Uint8Array): Promise<Uint8Array[] | undefined> {
    const { call, inPlace, int64, byte } = this.library;
    const { rank, size, all: world } = this;
    await this.barrier();
    const lengths = new BigInt64Array(size);
    lengths[rank] = BigInt(bytes.length);
    call("MPI_Allgather", inPlace, 0, int64, lengths, 1, int64, world);
    const root = rank === 0;
    const all = root ? Array.from(lengths, (length) => new Uint8Array(Number(length))) : undefined;
    const share = Math.floor(this.limits.pieceBytes / size);
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
    const { call, inPlace, byte } = this.library;
    const places = startsOf(lengths);
    if (whole.length < this.limits.pieceBytes) {
      const [counts, starts] = [Int32Array.from(lengths), Int32Array.from(places)];
      return this.#begun(["MPI_Iallgatherv", inPlace, 0, byte, whole, counts, starts, byte, this.all]);
    }
    await this.barrier();
    for (const [r, length] of lengths.entries()) {
      for (const piece of this.#inPieces(whole.subarray(places[r], places[r] + length))) {
        call("MPI_Bcast", piece, piece.length, byte, r, this.all);
      }
    }
  }

  async broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array> {
    // The length, and with it what is short.
    const head = new Uint8Array(this.#few.buffer);
    const room = head.subarray(LENGTH_BYTES);
    if (this.rank === 0) {
      this.#few[0] = BigInt(bytes?.length ?? 0);
      if (bytes && bytes.length <= room.length) room.set(bytes);
    }
    await this.#begun(this.#sending(head));
    const length = Number(this.#few[0]);
    if (this.rank === 0 && bytes && length <= room.length) return bytes;
    if (length <= room.length) return room.slice(0, length);
    const whole = this.rank === 0 && bytes ? bytes : new Uint8Array(length);
    await this.#send(whole);
    return whole;
  }

  async handOn(bytes: Uint8Array): Promise<void> {
    await this.barrier(this.#expected.handing);
    // Rank 0 has something else to do until the others have taken it.
    await this.#send(bytes, this.rank === 0 ? LOOKS.handed : LOOKS.moved);
  }

  /** Sends from rank 0, once all are there. */
  async #send(bytes: Uint8Array, looks = LOOKS.moved): Promise<void> {
    for (const piece of this.#inPieces(bytes)) await this.#ended(this.#sending(piece), looks);
  }

  #sending(bytes: Uint8Array): Begun {
    return ["MPI_Ibcast", bytes, bytes.length, this.library.byte, 0, this.all];
  }

  async split(group: number): Promise<Ranks> {
    const { library, rank } = this;
    await this.barrier();
    const place = new Uint8Array(HANDLE_BYTES);
    library.call("MPI_Comm_split", this.all, group, rank, place);
    const part = library.read(place);
    library.call("MPI_Comm_set_errhandler", part, library.errorsReturn);
    return new MpiRanks(library, this.seat, part, this.limits);
  }

  barrier(expected?: Expected): Promise<void> {
    return this.#begun(["MPI_Ibarrier", this.all], expected);
  }

  /** Begins what ends when all have begun it, and waits without keeping a core. */
  async #begun(call: Begun, expected?: Expected): Promise<void> {
    const since = performance.now();
    await this.#ended(call, LOOKS.there, expected);
    this.waited += performance.now() - since;
  }

  /** The same for what takes its time once all are there: it goes on when it is looked at. */
  async #ended([name, ...values]: Begun, looks: number, expected?: Expected): Promise<void> {
    const { call, ignoreStatus } = this.library;
    const request = new Uint8Array(HANDLE_BYTES);
    const done = [0];
    this.#inUse.add(values);
    call(name, ...values, request);
    const look = () => {
      call("MPI_Test", request, done, ignoreStatus);
      return done[0] !== 0;
    };
    await untilThere(look, looks, expected);
    this.#inUse.delete(values);
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
