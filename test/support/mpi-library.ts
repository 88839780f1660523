/**
 * MPI for several ranks in one process, as far as sums and what is handed on ask for it: a library for each rank. What a call
 * moves is there once all have made it; calls that would wait for that inside the library return at once.
 */
import type { MpiFunction, MpiKind, MpiLibrary } from "../../src/foundation/ranks/mpi-library.node.ts";

type Words = BigInt64Array | Uint8Array;

/** What the ranks have called so far of one kind, each in its order. */
interface Meeting {
  calls: { name: MpiFunction; length: number; given: Words; into: Words | null; done: () => void }[];
  arrived: number;
}

interface Message {
  length: number;
  words?: Words;
  into?: Words;
  done: (() => void)[];
}

export interface EmulatedMpi {
  libraries: MpiLibrary[];
  /** Names of all calls of rank 0 and the words that they were about; 0 where they move none. */
  calls: { name: MpiFunction; length: number }[];
}

/** `mostCount`: what a count may be at most, in place of 2³¹ − 1; a longer message throws. */
export function emulatedMpi(size: number, kind: MpiKind, mostCount = 2 ** 31 - 1): EmulatedMpi {
  const meetings: Meeting[] = [];
  const messages = new Map<string, Message[]>();
  const finished = new Set<number>();
  const calls: EmulatedMpi["calls"] = [];
  let requests = 0;

  /** A request that ends when what is returned is called. */
  const begun = (request: unknown): (() => void) => {
    const id = ++requests;
    new DataView((request as Uint8Array).buffer).setInt32(0, id, true);
    return () => finished.add(id);
  };

  const meet = (rank: number, at: number, call: Meeting["calls"][number], end: (calls: Meeting["calls"]) => void) => {
    meetings[at] ??= { calls: [], arrived: 0 };
    const meeting = meetings[at];
    meeting.calls[rank] = call;
    if (++meeting.arrived < size) return;
    const different = meeting.calls.find(({ name, length }) => name !== call.name || length !== call.length);
    if (different)
      throw new Error(`ranks differ: ${call.name} of ${call.length}, ${different.name} of ${different.length}`);
    end(meeting.calls);
    for (const { done } of meeting.calls) done();
  };

  const added = (all: Meeting["calls"]): bigint[] =>
    Array.from(all[0].given as BigInt64Array, (_, i) => all.reduce((sum, { given }) => sum + BigInt(given[i]), 0n));

  /** The message with which rank `to` gets what `from` sends next, of which one half is there. */
  const letter = (from: number, to: number, half: "words" | "into"): Message | undefined => {
    const waiting = messages.get(`${from} ${to}`) ?? [];
    return waiting.find((one) => one[half] === undefined);
  };

  const delivered = (from: number, to: number, half: "words" | "into", words: Words, done: () => void) => {
    const box = `${from} ${to}`;
    const message = letter(from, to, half) ?? { length: words.length, done: [] };
    if (message.length !== words.length) throw new Error(`expected ${message.length} words, found ${words.length}`);
    if (message.done.length === 0) messages.set(box, [...(messages.get(box) ?? []), message]);
    message[half] = words;
    message.done.push(done);
    if (!message.words || !message.into) return;
    message.into.set(message.words as Uint8Array & BigInt64Array);
    messages.set(
      box,
      (messages.get(box) ?? []).filter((one) => one !== message),
    );
    for (const end of message.done) end();
  };

  const library = (rank: number): MpiLibrary => {
    let next = 0;
    const together = (
      name: MpiFunction,
      given: Words,
      into: Words | null,
      done: () => void,
      end: (all: Meeting["calls"]) => void,
    ) => meet(rank, next++, { name, length: given.length, given: given.slice(), into, done }, end);
    const call: MpiLibrary["call"] = (name, ...values) => {
      const [a, b, count] = values;
      const length = typeof count === "number" && a !== "world" ? count : 0;
      if (rank === 0 && name !== "MPI_Test") calls.push({ name, length });
      if (length > mostCount) throw new Error(`${name}: a count of ${length}, expected ${mostCount} at most`);
      const nothing = () => {};
      const part = (words: unknown, some: number) => (words as BigInt64Array).subarray(0, some);
      switch (name) {
        case "MPI_Comm_rank":
          (b as number[])[0] = rank;
          return;
        case "MPI_Comm_size":
          (b as number[])[0] = size;
          return;
        case "MPI_Ibarrier":
          return together(name, new Uint8Array(0), null, begun(b), nothing);
        case "MPI_Iallreduce":
        case "MPI_Allreduce": {
          const into = part(b, length);
          const given = a === "in place" ? into : part(a, length);
          const done = name === "MPI_Iallreduce" ? begun(values[6]) : nothing;
          return together(name, given, into, done, (all) => {
            const sums = added(all);
            for (const one of all) (one.into as BigInt64Array).set(sums);
          });
        }
        case "MPI_Reduce": {
          if ((rank === 0) !== (a === "in place")) throw new Error("MPI_Reduce: the root alone adds in place");
          const given = part(rank === 0 ? b : a, length);
          return together(name, given, rank === 0 ? given : null, nothing, (all) =>
            (all[0].into as BigInt64Array).set(added(all)),
          );
        }
        case "MPI_Reduce_local": {
          const [from, into] = [part(a, length), part(b, length)];
          for (const i of into.keys()) into[i] += from[i];
          return;
        }
        case "MPI_Isend":
        case "MPI_Irecv": {
          // (words, count, type, other rank, tag, communicator, request)
          const [words, some, , other, , , request] = values as [BigInt64Array, number, ...unknown[]];
          if (some > mostCount) throw new Error(`${name}: a count of ${some}, expected ${mostCount} at most`);
          const [from, to] = name === "MPI_Isend" ? [rank, other as number] : [other as number, rank];
          return delivered(from, to, name === "MPI_Isend" ? "words" : "into", part(words, some), begun(request));
        }
        case "MPI_Ibcast": {
          // (bytes, count, type, root, communicator, request)
          const [bytes, some] = values as [Uint8Array, number];
          if (some > mostCount) throw new Error(`${name}: a count of ${some}, expected ${mostCount} at most`);
          return together(name, bytes.subarray(0, some), bytes.subarray(0, some), begun(values[5]), (all) => {
            for (const one of all) (one.into as Uint8Array).set(all[0].given as Uint8Array);
          });
        }
        case "MPI_Test":
          (b as number[])[0] = finished.has(new DataView((a as Uint8Array).buffer).getInt32(0, true)) ? 1 : 0;
          return;
        default:
          throw new Error(`${name} isn't emulated`);
      }
    };
    return {
      ...{ kind, version: "emulated", file: "", world: "world", int64: "int64", byte: "byte", sum: "sum", max: "max" },
      ...{ inPlace: "in place", errorsReturn: "errors", ignoreStatus: 0n, read: () => "world", call },
    };
  };
  return { libraries: Array.from({ length: size }, (_, rank) => library(rank)), calls };
}
