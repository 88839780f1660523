/**
 * Philox4x32-10 for many particles at once, in WebAssembly: its 64-bit products take one instruction there, and four
 * multiplications with carries in JavaScript, so that a block takes a sixth of the time. The module is put together here,
 * instruction by instruction; where none may be compiled, philox.ts does without, to the same bits.
 */
/** Constants of Philox4x32-10 (Salmon et al. 2011), as int32: arithmetic with them is one of integers. */
export const MULTIPLIERS: readonly [number, number] = [0xd2511f53 | 0, 0xcd9e8d57 | 0];
/** What the key grows by in each round. */
export const WEYL: readonly [number, number] = [0x9e3779b9 | 0, 0xbb67ae85 | 0];
export const ROUNDS = 10;
export const UNIT_53 = 2 ** -53; // the spacing of the uniform doubles

export const BATCH = 64;
/** Blocks of each at most. */
export const MOST_BLOCKS = 8;

/** Null where there is no WebAssembly, or none may be compiled. */
let module: WebAssembly.Module | null | undefined;

export function philoxBatch() {
  if (module === undefined) {
    try {
      module = new WebAssembly.Module(moduleBytes());
    } catch {
      module = null;
    }
  }
  if (!module) return undefined;
  const { memory, run } = new WebAssembly.Instance(module).exports as unknown as {
    memory: WebAssembly.Memory;
    run: (particle: number, count: number, block: number, stream: number, k0: number, k1: number, at: number) => void;
  };
  return {
    /** [MOST_BLOCKS, BATCH, 2] in [0, 1) */
    uniforms: new Float64Array(memory.buffer, 0, MOST_BLOCKS * BATCH * 2),
    /** Block number `block` of particles particle, particle + 1, … → uniforms[block]; `stream` and the key as in philox.ts. */
    run: (particle: number, block: number, stream: number, key0: number, key1: number) =>
      run(particle, BATCH, block, stream, key0, key1, 16 * BATCH * block),
  };
}

// Opcodes of the WebAssembly core specification, section 5.4.
const I32 = { const: 0x41, add: 0x6a, sub: 0x6b };
const I64 = { const: 0x42, add: 0x7c, mul: 0x7e, and: 0x83, or: 0x84, xor: 0x85, shl: 0x86, shru: 0x88, extendu: 0xad };
const F64 = { const: 0x44, mul: 0xa2, convertu: 0xba, store: 0x39 };
const [LOOP, BR_IF, END, GET, SET, TEE, VOID] = [0x03, 0x0d, 0x0b, 0x20, 0x21, 0x22, 0x40];
const TYPE = { i32: 0x7f, i64: 0x7e };

const unsigned = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]);

function signed(value: bigint): number[] {
  const low = Number(value & 127n);
  const rest = value >> 7n;
  const done = (rest === 0n && low < 64) || (rest === -1n && low >= 64);
  return done ? [low] : [low | 128, ...signed(rest)];
}

const doubleBytes = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)];
const list = (items: number[][]) => [...unsigned(items.length), ...items.flat()];
const sized = (bytes: number[]) => [...unsigned(bytes.length), ...bytes];
const section = (id: number, items: number[][]) => [id, ...sized(list(items))];
const name = (text: string) => sized([...text].map((letter) => letter.charCodeAt(0)));

/** (particle, count, block, stream, k0, k1, at): parameters; then four words of the counter and two products. */
const PARAMETERS = 7;
const [PARTICLE, COUNT, BLOCK, STREAM, KEY_0, KEY_1, AT, C0, C1, C2, C3, P0, P1, ROUND_KEY_0, ROUND_KEY_1] = Array.from(
  { length: 15 },
  (_, local) => local,
);

function body(): number[] {
  const get = (local: number) => [GET, local];
  const set = (local: number) => [SET, local];
  const i64 = (value: number) => [I64.const, ...signed(BigInt(value >>> 0))];
  const i32 = (value: number) => [I32.const, ...signed(BigInt(value | 0))];
  const code: number[] = [];
  const emit = (...instructions: number[][]) => code.push(...instructions.flat());
  emit([LOOP, VOID]);
  emit(get(PARTICLE), [I64.extendu], set(C0), get(BLOCK), [I64.extendu], set(C1));
  emit(get(STREAM), [I64.extendu], set(C2), i64(0), set(C3));
  emit(get(KEY_0), set(ROUND_KEY_0), get(KEY_1), set(ROUND_KEY_1));
  const high = (product: number) => [...get(product), ...i64(32), I64.shru];
  const low = (product: number) => [...get(product), ...i64(0xffffffff), I64.and];
  for (let round = 0; round < ROUNDS; round++) {
    emit(get(C0), i64(MULTIPLIERS[0]), [I64.mul], set(P0), get(C2), i64(MULTIPLIERS[1]), [I64.mul], set(P1));
    emit(high(P1), get(C1), [I64.xor], get(ROUND_KEY_0), [I64.extendu, I64.xor], set(C0), low(P1), set(C1));
    emit(high(P0), get(C3), [I64.xor], get(ROUND_KEY_1), [I64.extendu, I64.xor], set(C2), low(P0), set(C3));
    emit(get(ROUND_KEY_0), i32(WEYL[0]), [I32.add], set(ROUND_KEY_0));
    emit(get(ROUND_KEY_1), i32(WEYL[1]), [I32.add], set(ROUND_KEY_1));
  }
  // 53 bits of two words: 27 of the first, 26 of the second.
  const uniform = (first: number, second: number) => [
    ...[...get(first), ...i64(5), I64.shru, ...i64(26), I64.shl],
    ...[...get(second), ...i64(6), I64.shru, I64.or, F64.convertu],
    ...[F64.const, ...doubleBytes(UNIT_53), F64.mul],
  ];
  emit(get(AT), uniform(C0, C1), [F64.store, 3, 0], get(AT), uniform(C2, C3), [F64.store, 3, 8]);
  emit(get(AT), i32(16), [I32.add], set(AT), get(PARTICLE), i32(1), [I32.add], set(PARTICLE));
  emit(get(COUNT), i32(1), [I32.sub, TEE, COUNT, BR_IF, 0, END]);
  return code;
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const locals = list([
    [6, TYPE.i64],
    [2, TYPE.i32],
  ]);
  const pages = Math.ceil((16 * BATCH * MOST_BLOCKS) / 65536);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, ...list(Array.from({ length: PARAMETERS }, () => [TYPE.i32])), 0]]),
    ...section(3, [[0]]),
    ...section(5, [[0, pages]]),
    ...section(7, [
      [...name("memory"), 2, 0],
      [...name("run"), 0, 0],
    ]),
    ...section(10, [sized([...locals, ...body(), END])]),
  ]);
}
