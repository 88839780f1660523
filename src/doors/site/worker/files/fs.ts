/**
 * What the readers of snapshots ask of Node's `fs`, of files that were dropped onto the page: the build puts it in the place
 * of `node:fs` (.tooling/site.mjs). A worker reads files without waiting, as the readers do. Nothing is written.
 */
/** Workers have it, but the types are those of a page. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

interface Open {
  file: File;
  position: number;
}

let files: ReadonlyMap<string, File> = new Map();
const open = new Map<number, Open>();
let next = 1;

/** These are the files that there are, by name. */
export function provide(given: readonly File[]): void {
  files = new Map(given.map((file) => [file.name, file]));
}

export const constants = { O_RDONLY: 0, O_NONBLOCK: 0 };

function refusal(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function found(path: string): File {
  const file = files.get(path);
  if (!file) throw refusal("ENOENT");
  return file;
}

function opened(handle: number): Open {
  const one = open.get(handle);
  if (!one) throw refusal("EBADF");
  return one;
}

const yes = () => true;
const no = () => false;
const statOf = ({ size }: File) => ({ size, isFile: yes, isDirectory: no, isFIFO: no, isSocket: no });

export const existsSync = (path: string) => files.has(path);
export const statSync = (path: string) => statOf(found(path));
export const fstatSync = (handle: number) => statOf(opened(handle).file);

export function openSync(path: string): number {
  open.set(next, { file: found(path), position: 0 });
  return next++;
}

export function closeSync(handle: number): void {
  open.delete(handle);
}

/** As Node's; at the place of the last reading where `position` is null. */
export function readSync(
  handle: number,
  into: Uint8Array,
  offset: number,
  length: number,
  position: number | null = null,
): number {
  const one = opened(handle);
  const from = position ?? one.position;
  const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(one.file.slice(from, from + length)));
  into.set(bytes, offset);
  if (position === null) one.position = from + bytes.length;
  return bytes.length;
}

function readOnly(): never {
  throw refusal("EROFS");
}

export {
  readOnly as createReadStream,
  readOnly as fsyncSync,
  readOnly as lstatSync,
  readOnly as mkdirSync,
  readOnly as readdirSync,
  readOnly as readFileSync,
  readOnly as readlinkSync,
  readOnly as renameSync,
  readOnly as rmSync,
  readOnly as statfsSync,
  readOnly as writeFileSync,
  readOnly as writeSync,
};

// Between slabs the readers let others have a turn.
Object.assign(globalThis, { setImmediate: (turn: () => void) => setTimeout(turn) });
