// The growing mode of Zang's disk: node docs/examples/mestel-modes.mjs [nu] [stars] [cells] [end] [seed]
// All of a Mestel disk in its plane, q = 6, V = R_i = 1, G = 1, outer taper of index 5 at 11.5. Each star that is drawn stands for
// eight, turned by 45° each, so that all m below 8 vanish; stretching x by 1 % begins m = 2. Prints ln |A| and the phase of
// A = Σ e^{2iφ} over the stars from 1 to 4 R_i, and from where it grows exponentially rate s and frequency ω = 2Ω_p.
// Linear theory (Zang 1976; Evans & Read 1998), ω and s: 0.88, 0.13 for ν = 4; 0.90, 0.22 for 6; 0.92, 0.27 for 8.
import { initialConditions, parseScenario, Simulation } from "gravmesh";

const [nu = "6", stars = "160000", cells = "96", end = "40", seed = "1"] = process.argv.slice(2);
const [COPIES, STRETCH, SIZE, STEP, EVERY] = [8, 0.01, 32, 0.05, 20];
const RING = [1, 4];
/** |A| over the stars of the ring where growth is fitted: above what the stretch began besides the mode, below where it saturates. */
const FIT = [0.02, 0.1];
const deck = (count) =>
  parseScenario(
    `title = "Zang's disk"\nbox.size = ${SIZE}\nmesh = { cells = ${cells} }\n` +
      `time = { end = ${end}, step = ${STEP} }\noutput = { snapshots = 0, diagnostics = 1 }\n` +
      `[[level]]\nrefinement = 2\ncells = ${cells}\n[[level]]\nrefinement = 2\ncells = ${cells}\n` +
      `[[particles]]\nkind = "mestel-disk"\nname = "disk"\ncount = ${count}\nspeed = 1\ninnerRadius = 1\ninnerTaper = ${nu}\n` +
      `outerRadius = 11.5\nactiveFraction = 1\ncutoff = 15\ncentre = false\nseed = ${seed}\n`,
  );

const drawn = (await initialConditions(deck(stars / COPIES), { G: 1 })).particles;
const [positions, velocities] = [drawn.positions, drawn.velocities].map((values, which) => {
  const middle = which === 0 ? SIZE / 2 : 0;
  const copies = new Float64Array(COPIES * values.length);
  for (let i = 0; i < drawn.count; i++) {
    const [x, y] = [values[3 * i] - middle, values[3 * i + 1] - middle];
    for (let copy = 0; copy < COPIES; copy++) {
      const at = 3 * (COPIES * i + copy);
      const [c, s] = [Math.cos((2 * Math.PI * copy) / COPIES), Math.sin((2 * Math.PI * copy) / COPIES)];
      const stretch = which === 0 ? 1 + STRETCH : 1;
      copies[at] = middle + stretch * (c * x - s * y);
      copies[at + 1] = middle + s * x + c * y;
      copies[at + 2] = middle;
    }
  }
  return copies;
});
const masses = drawn.masses[0] / COPIES;
const simulation = await Simulation.create(deck(COPIES * drawn.count), {
  particles: {
    positions,
    velocities,
    masses,
    components: [{ name: "disk", species: "disk", first: 0, count: COPIES * drawn.count }],
  },
});

const rows = [];
while (simulation.time < end - STEP / 2) {
  const { positions: at } = await simulation.readParticles();
  let [re, im, n] = [0, 0, 0];
  for (let i = 0; i < at.length; i += 3) {
    const [x, y] = [at[i] - SIZE / 2, at[i + 1] - SIZE / 2];
    const R = Math.hypot(x, y);
    if (R < RING[0] || R > RING[1]) continue;
    re += (x * x - y * y) / (R * R);
    im += (2 * x * y) / (R * R);
    n++;
  }
  let phase = Math.atan2(im, re);
  const last = rows.at(-1)?.phase ?? phase;
  phase += 2 * Math.PI * Math.round((last - phase) / (2 * Math.PI));
  rows.push({ time: simulation.time, size: Math.hypot(re, im) / n, phase });
  console.log(simulation.time.toFixed(2).padStart(6), Math.log(rows.at(-1).size).toFixed(3), phase.toFixed(2));
  if (rows.at(-1).size > 3 * FIT[1]) break;
  await simulation.advance({ until: simulation.time + EVERY * STEP });
}
simulation.destroy();

const first = rows.findLastIndex(({ size }) => size < FIT[0]) + 1;
const fitted = rows.slice(first).filter(({ size }) => size < FIT[1]);
/** Slope of a value over time, by least squares. */
const slope = (value) => {
  const mean = (of) => fitted.reduce((sum, row) => sum + of(row), 0) / fitted.length;
  const [t, y] = [mean(({ time }) => time), mean(value)];
  return mean((row) => (row.time - t) * (value(row) - y)) / mean(({ time }) => (time - t) ** 2);
};
const range =
  fitted.length > 1 ? `t = ${fitted[0].time.toFixed(1)} to ${fitted.at(-1).time.toFixed(1)}` : "too few rows";
console.log(
  `ν = ${nu}: ω = ${slope(({ phase }) => phase).toFixed(3)}, s = ${slope(({ size }) => Math.log(size)).toFixed(3)}, ${range}`,
);
