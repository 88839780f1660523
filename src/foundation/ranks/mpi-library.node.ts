/** Open MPI (handles are addresses of symbols) or MPICH's interface (numbers), found at run time, by koffi; MPI 4.0. */
import { GravmeshError } from "../base/errors.ts";

/** Communicator, datatype, operation: an address or a number. */
export type Handle = unknown;

export type MpiKind = "openmpi" | "mpich";

export interface MpiLibrary {
  kind: MpiKind;
  version: string;
  file: string;
  world: Handle;
  int64: Handle;
  byte: Handle;
  sum: Handle;
  max: Handle;
  /** The receive buffer is the send buffer. */
  inPlace: unknown;
  errorsReturn: Handle;
  ignoreStatus: bigint;
  /** The handle that a call has written. */
  read(from: Uint8Array): Handle;
  call(name: MpiFunction, ...values: unknown[]): void;
}

/** Names of files by what is asked for; the first that loads is taken. */
const FILES: Record<MpiKind, Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  openmpi: { linux: ["libmpi.so.40", "libmpi.so.80", "libmpi.so.20"], darwin: ["libmpi.40.dylib", "libmpi.dylib"] },
  mpich: { linux: ["libmpich.so.12", "libmpi.so.12"], darwin: ["libmpi.12.dylib", "libmpich.dylib"] },
};

export const HANDLE_BYTES = 8;

/** H: a handle, as the library's header has it. R: a place for one. */
const FUNCTIONS = {
  MPI_Init_thread: "void*, void*, int, _Out_ int*",
  MPI_Comm_rank: "H, _Out_ int*",
  MPI_Comm_size: "H, _Out_ int*",
  MPI_Comm_set_errhandler: "H, H",
  MPI_Comm_split: "H, int, int, R",
  MPI_Iallreduce: "void*, void*, int, H, H, H, R",
  MPI_Reduce: "void*, void*, int, H, H, int, H",
  MPI_Allreduce: "void*, void*, int, H, H, H",
  MPI_Allgather: "void*, int, H, void*, int, H, H",
  MPI_Iallgatherv: "void*, int, H, void*, void*, void*, H, H, R",
  MPI_Gatherv: "void*, int, H, void*, void*, void*, H, int, H",
  MPI_Bcast: "void*, int, H, int, H",
  MPI_Ibcast: "void*, int, H, int, H, R",
  MPI_Ibarrier: "H, R",
  MPI_Isend: "void*, int, H, int, int, H, R",
  MPI_Irecv: "void*, int, H, int, int, H, R",
  MPI_Reduce_local: "void*, void*, int, H, H",
  MPI_Test: "R, _Out_ int*, void*",
  MPI_Abort: "H, int",
  MPI_Finalize: "",
  MPI_Error_string: "int, void*, _Out_ int*",
  MPI_Get_library_version: "void*, _Out_ int*",
} as const;
export type MpiFunction = keyof typeof FUNCTIONS;

/** mpi.h of MPICH 4: handles are ints. */
const MPICH = {
  ...{ world: 0x44000000, int64: 0x4c00083a, byte: 0x4c00010d, sum: 0x58000003, max: 0x58000001 },
  ...{ errorsReturn: 0x54000001, inPlace: -1n, ignoreStatus: 1n },
};

/** UCX, below MPICH, patches brk: 4 of 75 short runs of three ranks ended in malloc, without that none of 54. */
const UCX_EVENTS = "UCX_MEM_EVENTS";

const SERIALIZED = 2;
const LONGEST_TEXT = 8192;

function text(write: (into: Uint8Array, length: number[]) => void): string {
  const into = new Uint8Array(LONGEST_TEXT);
  const length = [0];
  write(into, length);
  return new TextDecoder()
    .decode(into.subarray(0, length[0]))
    .replace(/[\n\0][\s\S]*$/, "")
    .trim();
}

/** Finds and loads a library. Throws "usage" with what to install. */
export async function foundLibrary(kind: MpiKind, file?: string) {
  const koffi = await import("koffi").then(
    (module) => module.default,
    () => {
      throw new GravmeshError("usage", "several ranks need the package koffi, which calls MPI: npm install koffi");
    },
  );
  if (kind === "mpich") process.env[UCX_EVENTS] ??= "n";
  const names = file ? [file] : (FILES[kind][process.platform] ?? []);
  const faults: string[] = [];
  for (const name of names) {
    try {
      return { koffi, lib: koffi.load(name, { global: true }), file: name };
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new GravmeshError("usage", notFound(kind, names, faults));
}

/** The same, initialised. Throws "usage" with what to install. */
export async function mpiLibrary(kind: MpiKind, named?: string): Promise<MpiLibrary> {
  const { koffi, lib, file } = await foundLibrary(kind, named);
  const functions = new Map<MpiFunction, (...values: unknown[]) => number>();
  const [handle, place] = kind === "openmpi" ? ["void*", "void*"] : ["int", "void*"];
  for (const [name, parameters] of Object.entries(FUNCTIONS)) {
    const types = parameters.replaceAll(/\bH\b/g, handle).replaceAll(/\bR\b/g, place);
    functions.set(name as MpiFunction, lib.func(`int ${name}(${types})`));
  }
  const raw = (name: MpiFunction, ...values: unknown[]): number => functions.get(name)!(...values);
  const call = (name: MpiFunction, ...values: unknown[]) => {
    const code = raw(name, ...values);
    if (code === 0) return;
    const reason = text((into, length) => raw("MPI_Error_string", code, into, length));
    throw new GravmeshError("device", `${name} failed: ${reason || `code ${code}`}`);
  };
  const level = [0];
  call("MPI_Init_thread", null, null, SERIALIZED, level);
  const symbol = (name: string): Handle => koffi.address(lib.symbol(name));
  const handles =
    kind === "openmpi"
      ? {
          ...{ world: symbol("ompi_mpi_comm_world"), int64: symbol("ompi_mpi_int64_t"), byte: symbol("ompi_mpi_byte") },
          ...{ sum: symbol("ompi_mpi_op_sum"), max: symbol("ompi_mpi_op_max"), inPlace: 1n, ignoreStatus: 0n },
          errorsReturn: symbol("ompi_mpi_errors_return"),
        }
      : MPICH;
  call("MPI_Comm_set_errhandler", handles.world, handles.errorsReturn);
  const version = text((into, length) => raw("MPI_Get_library_version", into, length))
    .replace(/,.*$/, "")
    .replace(/\s+/g, " ");
  const read = ({ buffer, byteOffset }: Uint8Array): Handle => {
    const view = new DataView(buffer, byteOffset, HANDLE_BYTES);
    return kind === "openmpi" ? view.getBigUint64(0, true) : view.getInt32(0, true);
  };
  return { kind, version, file, ...handles, read, call };
}

function notFound(kind: MpiKind, names: readonly string[], faults: readonly string[]): string {
  const packages = { openmpi: "openmpi-bin libopenmpi3", mpich: "mpich" }[kind];
  return (
    `the MPI library of this mpirun (${kind === "openmpi" ? "Open MPI" : "MPICH"}) wasn't found: tried ${names.join(", ")}` +
    `${faults[0] ? ` (${faults[0]})` : ""}; install it (Debian: ${packages}), or name its file in GRAVMESH_MPI`
  );
}
