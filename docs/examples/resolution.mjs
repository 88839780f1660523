// What cells take from models: node docs/examples/resolution.mjs [spheres | disks | tide] [particles]
// By themselves, set up for the force of points, on meshes of different cells h, over ten half-mass dynamical times
// (π/2) √(2 r_h³/GM), 25 steps each: by how many per cent the radii of 10 and 50 % of a sphere's mass, or a disk's height
// between those of 25 and 75 %, have changed (mean of t = 8 … 10 over t = 0), and what a run predicts.
// Tide: the mass that stays bound to a satellite on a circle in a halo's field, over that in a direct sum of the same particles.
import { initialConditions, parseScenario, resolutionOf, Simulation } from "gravmesh";

const [only = "all", given = "10000"] = process.argv.slice(2);
let particles = Number(given);
const [TIMES, STEPS] = [10, 25];
/** Name, keys, how far it reaches. */
const SPHERES = [
  ["plummer", 'kind = "plummer"\nscale = 1\ncutoff = 6', 6],
  ["hernquist", 'kind = "hernquist"\nscale = 1\ncutoff = 4', 4],
  ["nfw", 'kind = "nfw"\nscale = 1\ncutoff = 5', 5],
  ["king W0 = 3", 'kind = "king"\nscale = 1\nW0 = 3', 4.7],
  ["king W0 = 6", 'kind = "king"\nscale = 0.3\nW0 = 6', 5.4],
  ["isochrone", 'kind = "isochrone"\nscale = 1\ncutoff = 10', 10],
  ["dehnen 1.5", 'kind = "dehnen"\nscale = 1\ngamma = 1.5\ncutoff = 3', 3],
];
const MESHES = [16, 24, 32, 48];

const line = (label, values) => console.log(label.padEnd(18), values.map((x) => x.toFixed(2).padStart(7)).join(""));
const meanOf = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
const predicted = (deck, ...of) =>
  of.map((what) => 100 * (resolutionOf(deck).find((one) => one.key === what)?.change ?? Number.NaN));

/** A deck of one component; `mesh`: keys before the tables, `more`: tables after. */
const deckOf = ({ name, size, cells, keys, end, step, more = "", mesh = "" }) =>
  parseScenario(
    `title = "${name}"\nbox.size = ${size}\nmesh = { cells = ${cells} }\ntime = { end = ${end}, step = ${step} }\n` +
      `output = { snapshots = 0, diagnostics = ${TIMES} }\n${mesh}\n[[particles]]\nname = "it"\ncount = ${particles}\nmass = 1\n${keys}\n${more}`,
  );

/** Per cent by which what `measure` reads at the outputs changes, mean of the last three over the first. */
async function changes(deck, measure) {
  const simulation = await Simulation.create(deck);
  const first = await measure(simulation);
  const last = [];
  for (let output = 1; output <= TIMES; output++) {
    await simulation.advance({ output });
    if (output > TIMES - 3) last.push(await measure(simulation));
  }
  simulation.destroy();
  return { first, change: first.map((x, k) => 100 * (meanOf(last.map((one) => one[k])) / x - 1)) };
}

async function spheres() {
  console.log("sphere             scale/h  r10/h    r10    r50   predicted r10, r50 [%]");
  for (const [name, keys, reach] of SPHERES) {
    const size = 2.2 * reach;
    const { particles: drawn } = await initialConditions(deckOf({ name, size, keys, cells: 16, end: 1, step: 0.1 }), {
      G: 1,
    });
    const radii = Float64Array.from(drawn.masses, (_, i) =>
      Math.hypot(...[0, 1, 2].map((k) => drawn.positions[3 * i + k] - size / 2)),
    ).sort();
    const mass = drawn.masses.reduce((sum, one) => sum + one, 0);
    const time = (Math.PI / 2) * Math.sqrt((2 * radii[radii.length >> 1] ** 3) / mass);
    for (const cells of MESHES) {
      const deck = deckOf({ name, size, cells, keys, end: TIMES * time, step: time / STEPS });
      const { first, change } = await changes(deck, async (one) => {
        const [, r10, , r50] = (await one.diagnostics()).lagrangianRadii;
        return [r10, r50];
      });
      const h = size / cells;
      line(name, [deck.particles[0].scale / h, first[0] / h, ...change, ...predicted(deck, "r10", "r50")]);
    }
  }
}

async function disks() {
  console.log("disk, z0 = 0.25     z0/h   height   predicted [%]");
  const [size, speed] = [14, 0.95];
  const keys =
    'kind = "exponential-disk"\nscaleLength = 1\nscaleHeight = 0.25\ntoomreQ = 2\nlayer = "isothermal"\nseed = 1';
  const halo = '[[particles]]\nkind = "hernquist"\nname = "halo"\nrigid = true\nmass = 40\nscale = 6\n';
  const time = (Math.PI / Math.SQRT2) * (1.68 / speed);
  for (const cells of [24, 32, 48, 64, 96]) {
    const deck = deckOf({ name: "disk", size, cells, keys, end: TIMES * time, step: time / STEPS, more: halo });
    const { change } = await changes(deck, async (one) => {
      const { positions } = await one.readParticles();
      const stars = Array.from({ length: positions.length / 3 }, (_, i) => {
        const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
        return [Math.hypot(x - size / 2, y - size / 2), Math.abs(z - size / 2)];
      }).sort(([a], [b]) => a - b);
      return [meanOf(stars.slice(stars.length / 4, (3 * stars.length) / 4).map(([, z]) => z))];
    });
    line("exponential", [(0.25 * cells) / size, ...change, ...predicted(deck, "height")]);
  }
}

/** Share of the particles that are bound to the densest place, in the spherical mean of those that are. */
function boundShare({ positions, velocities, count }) {
  const at = (of, i) => [of[3 * i], of[3 * i + 1], of[3 * i + 2]];
  const mean = (of, list) => [0, 1, 2].map((k) => meanOf(list.map((i) => of[3 * i + k])));
  const from = (centre) => (i) => Math.hypot(...at(positions, i).map((x, k) => x - centre[k])) + 1e-9;
  const everyone = Array.from({ length: count }, (_, i) => i);
  // The densest place: ever fewer about the mean of those before.
  let near = everyone;
  while (near.length > 50) {
    const distance = from(mean(positions, near));
    near = [...near].sort((a, b) => distance(a) - distance(b)).slice(0, Math.floor(0.9 * near.length));
  }
  const centre = mean(positions, near);
  const sorted = everyone.map((i) => ({ i, r: from(centre)(i) })).sort((a, b) => a.r - b.r);
  let [bound, drift] = [new Set(everyone), mean(velocities, near)];
  for (let round = 0; round < 20 && bound.size > 0; round++) {
    // Ψ(r) = M(<r)/r + Σ m/r' outside, of those that are bound.
    let [inside, outside] = [bound.size / count, 0];
    const kept = [];
    for (const { i, r } of sorted.toReversed()) {
      const square = at(velocities, i).reduce((sum, v, k) => sum + (v - drift[k]) ** 2, 0);
      if (0.5 * square < inside / r + outside) kept.push(i);
      if (bound.has(i)) [inside, outside] = [inside - 1 / count, outside + 1 / count / r];
    }
    bound = new Set(kept);
    if (kept.length > 0) drift = mean(velocities, kept.slice(-50));
  }
  return bound.size / count;
}

async function tide() {
  console.log("satellite          scale/h  bound  over the sum's   predicted [%]");
  const [size, R] = [44, 12];
  // A sum over pairs of all takes long.
  particles = Math.min(particles, 4000);
  const KING = 'kind = "king"\nscale = 1.4\nW0 = 3';
  for (const [name, keys, end, jacobi] of [
    ["king, 2.5", KING, 60, 4.4],
    ["king, 2.0", KING, 60, 3.5],
    ["plummer, 2.8", 'kind = "plummer"\nscale = 1.2\ncutoff = 6', 60, 4.4],
  ]) {
    const speed = Math.sqrt(R ** 2 / (2 * jacobi ** 3));
    const orbit = `\noffset = [${R}, 0, 0]\nvelocity = [0, ${speed}, 0]\nseed = 1`;
    const halo = `[[potential]]\nkind = "logarithmic"\ncore = 0\nspeed = ${speed}\n`;
    const left = async (cells, mesh = "") => {
      const deck = deckOf({ name, size, cells, keys: keys + orbit, end, step: 0.15, more: halo, mesh });
      const simulation = await Simulation.create(deck);
      await simulation.advance({ output: TIMES });
      const share = boundShare(await simulation.readParticles());
      simulation.destroy();
      return { deck, share };
    };
    const { share: all } = await left(
      64,
      'gravity = "direct"\ndirect = { softening = 0.05, integrator = "leapfrog", steps = "shared" }',
    );
    line(`${name}, sum`, [0, all, 1]);
    for (const cells of [24, 32, 48, 64, 96]) {
      const { deck, share } = await left(cells);
      line(name, [(deck.particles[0].scale * cells) / size, share, share / all, ...predicted(deck, "bound mass")]);
    }
  }
}

for (const [name, part] of Object.entries({ spheres, disks, tide })) if (only === "all" || only === name) await part();
