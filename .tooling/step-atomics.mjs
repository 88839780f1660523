// Atomics of a step on a GPU, counted on a model of warps of 32 lanes in step, on 64³ cells with CIC: of the deposit the atomics on
// the mesh and the sectors of 32 bytes that their instructions meet, a particle; of the update the atomics of a warp on the counter
// that it meets most. node .tooling/step-atomics.mjs; docs/performance.md has the table.
const N = 64;
const LANES = 32;
const SLOTS = 1020; // a workgroup's, as SLOTS in src/engine/mesh/deposit/deposit.ts
const TURNS = 4; // as in wgsl/engine/time/count-in-subgroups.wgsl
let seed = 7;
const unit = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
};
const normal = () => Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit());
const round = (r, z, angle) => [0.5 + r * Math.cos(angle), 0.5 + r * Math.sin(angle), 0.5 + z];
const DRAWN = {
  uniform: () => [unit(), unit(), unit()],
  // Within 0.35 of the middle, scale 0.05; scale length 0.06, height 0.006, as in `gravmesh bench stages`.
  Plummer() {
    const r = 0.05 / Math.sqrt((0.95 * unit()) ** (-2 / 3) - 1);
    const z = r * (2 * unit() - 1);
    return round(Math.sqrt(r * r - z * z), z, 2 * Math.PI * unit());
  },
  disk() {
    let r = 1;
    while (r > 0.35) r = -0.06 * Math.log(unit() * unit());
    return round(r, 0.006 * Math.atanh(2 * unit() - 1), 2 * Math.PI * unit());
  },
};
const wrap = (c) => (c + N) % N;
const baseOf = (x) => wrap(Math.floor(x * N - 0.5));
const place = (x, y, z) => 4 * (((z >> 1) * N) / 2 + (y >> 1)) * N + 4 * x + 2 * (z & 1) + (y & 1);

/** Base cells of particles in order [3 bytes in a word], and the places of the cells that they move to: a tenth of a cell rms. */
function particles(draw, count) {
  const [cells, keys, places] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  const starts = new Uint32Array(N ** 3 + 1);
  for (let i = 0; i < count; i++) {
    const p = draw();
    const [x, y, z] = p.map(baseOf);
    cells[i] = (z << 16) | (y << 8) | x;
    places[i] = place(x, y, z);
    keys[i] = place(...p.map((u) => baseOf(u + (0.1 * normal()) / N)));
    starts[places[i] + 1]++;
  }
  for (let k = 0; k < N ** 3; k++) starts[k + 1] += starts[k];
  const [sortedCells, sortedKeys] = [new Uint32Array(count), new Uint32Array(count)];
  for (let i = 0; i < count; i++) {
    const slot = starts[places[i]]++;
    sortedCells[slot] = cells[i];
    sortedKeys[slot] = keys[i];
  }
  return { cells: sortedCells, keys: sortedKeys };
}

/** Atomics and sectors of runs of so many particles: the lanes that leave a cell add its 8 words, an instruction each. */
function byRuns({ cells }, run) {
  const count = cells.length;
  let [atomics, sectors] = [0, 0];
  for (let first = 0; first < count; first += LANES * run)
    for (let k = 1; k <= run; k++) {
      const left = [];
      for (let lane = 0; lane < LANES; lane++) {
        const i = first + lane * run + k;
        const end = Math.min(first + (lane + 1) * run, count);
        if (i <= end && (i === end || cells[i] !== cells[i - 1])) left.push(cells[i - 1]);
      }
      atomics += 8 * left.length;
      for (let word = 0; word < 8; word++) {
        const met = left.map((cell) => {
          const [x, y, z] = [cell & 255, (cell >> 8) & 255, cell >> 16];
          return ((wrap(z + (word >> 2)) * N + wrap(y + ((word >> 1) & 1))) * N + wrap(x + (word & 1))) >> 3;
        });
        sectors += new Set(met).size;
      }
    }
  return [atomics / count, sectors / count];
}

function byWindows({ cells }) {
  const count = cells.length;
  let [atomics, sectors] = [0, 0];
  for (let group = 0; group < count; group += SLOTS) {
    const end = Math.min(group + SLOTS, count);
    for (let from = group, to = from; from < end; from = to) {
      const pencil = cells[from] & 0xfefe00;
      while (to < end && (cells[to] & 0xfefe00) === pencil) to++;
      const first = cells[from] & 255;
      const width = (cells[to - 1] & 255) - first + 2;
      const touched = new Uint8Array(9 * width);
      for (let i = from; i < to; i++) {
        const [x, y, z] = [(cells[i] & 255) - first, (cells[i] >> 8) & 1, (cells[i] >> 16) & 1];
        for (let word = 0; word < 8; word++)
          touched[((z + (word >> 2)) * 3 + y + ((word >> 1) & 1)) * width + x + (word & 1)] = 1;
      }
      for (let warp = 0; warp < touched.length; warp += LANES) {
        const met = new Set();
        for (let at = warp; at < Math.min(warp + LANES, touched.length); at++)
          if (touched[at]) {
            atomics++;
            met.add(100 * Math.floor(at / width) + (wrap(first + (at % width)) >> 3));
          }
        sectors += met.size;
      }
    }
  }
  return [atomics / count, sectors / count];
}

/** Atomics of a warp on its busiest counter: a particle an atomic, and with those of up to four cells together. */
function onCounters({ keys }) {
  let [plain, together, warps] = [0, 0, 0];
  for (let first = 0; first < keys.length; first += LANES, warps++) {
    const counts = new Map();
    for (const key of keys.subarray(first, first + LANES)) counts.set(key, (counts.get(key) ?? 0) + 1);
    plain += Math.max(...counts.values());
    together += Math.max(1, ...[...counts.values()].slice(TURNS));
  }
  return [plain / warps, together / warps];
}

const two = (values) => values.map((value) => value.toFixed(2)).join(", ");
console.log(
  "| particles a cell | direct | runs of 8 | windows | busiest counter: was | is |\n|---|---|---|---|---|---|",
);
for (const [name, draw] of Object.entries(DRAWN))
  for (const perCell of [0.1, 1, 8, 40]) {
    const set = particles(draw, Math.round(perCell * N ** 3));
    const deposits = [byRuns(set, 1), byRuns(set, 8), byWindows(set)].map(two);
    const [was, is] = onCounters(set);
    console.log(`| ${name}, ${perCell} | ${deposits.join(" | ")} | ${was.toFixed(1)} | ${is.toFixed(1)} |`);
  }
