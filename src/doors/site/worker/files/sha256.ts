/** SHA-256 (FIPS 180-4, 6.2) of bytes that come in pieces: a browser's own digests wants all of them at once, and waits. */

/** Fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8: 32 bits of each. */
const PRIMES = primes(64);
const ROUNDS = Uint32Array.from(PRIMES, (p) => fraction(Math.cbrt(p)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (p) => fraction(Math.sqrt(p)));

function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 2 ** 32);
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

const BLOCK = 64;
const turned = (x: number, by: number) => (x >>> by) | (x << (32 - by));

export class Sha256 {
  readonly #state = START.slice();
  readonly #words = new Uint32Array(BLOCK);
  /** Bytes that are no whole block yet. */
  readonly #rest = new Uint8Array(BLOCK);
  #length = 0;

  update(bytes: Uint8Array): this {
    let at = 0;
    const held = this.#length % BLOCK;
    this.#length += bytes.length;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK) return this;
      this.#block(this.#rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** Once, after the last byte: in hexadecimal digits. */
  digest(_as: "hex" = "hex"): string {
    const bits = 8 * this.#length;
    const padding = new Uint8Array(BLOCK * Math.ceil((this.#length + 9) / BLOCK) - this.#length);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  #block(bytes: Uint8Array, from: number): void {
    const [w, state] = [this.#words, this.#state];
    for (let t = 0; t < 16; t++) {
      const at = from + 4 * t;
      w[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let t = 16; t < BLOCK; t++) {
      const [x, y] = [w[t - 15], w[t - 2]];
      const small = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
      const large = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
      w[t] = w[t - 16] + small + w[t - 7] + large;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < BLOCK; t++) {
      const chosen = (e & f) ^ (~e & g);
      const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUNDS[t] + w[t]) | 0;
      const most = (a & b) ^ (a & c) ^ (b & c);
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] += word;
  }
}

/** As Node's `crypto` has it. */
export const createHash = (_algorithm: "sha256") => new Sha256();
