// How well disks keep in a rigid halo: node docs/examples/disks.mjs [cells] [particles] [name] [softenedModels]
// Each evolves for ten dynamical times (π/2) √(2 R_h³/GM(R_h)) = (π/√2) R_h/vc at the half-mass radius R_h, 25 steps each.
// In per cent, mean of t = 8 … 10 over t = 0: the radii R of 10, 25, 50, 75 and 90 % of the disk's mass, and its mean height
// ⟨|z|⟩ between those of 0, 25, 50, 75 and 90 %. Below each, one standard deviation of the same in a sample.
import { parseScenario, Simulation } from "gravmesh";

const [cells = "128", particles = "100000", only = "all", softened = "true"] = process.argv.slice(2);
const SIZE = 14;
const HALO = '[[particles]]\nkind = "hernquist"\nname = "halo"\nrigid = true\nmass = 20\nscale = 6\n';
/** Name, keys of the disk, what else acts, circular speed at the half-mass radius. */
const MODELS = [
  [
    "exponential",
    'kind = "exponential-disk"\nmass = 0.2\nscaleLength = 1\nscaleHeight = 0.25\ntoomreQ = 2\nlayer = "isothermal"',
    HALO,
    0.85,
  ],
  [
    "kuzmin",
    'kind = "kuzmin-disk"\nmass = 0.2\nscale = 1\nscaleHeight = 0.25\ntoomreQ = 2\nlayer = "isothermal"\ncutoff = 6',
    HALO,
    0.8,
  ],
  [
    "mestel",
    'kind = "mestel-disk"\nspeed = 1\ninnerRadius = 1\nouterRadius = 4\nactiveFraction = 0.1\ncutoff = 6.5',
    `[[potential]]\nkind = "logarithmic"\ncore = 0\nspeed = ${Math.sqrt(0.9)}\n[[potential]]\nkind = "plummer"\nmass = 0.12\nscale = 0.5\n`,
    1,
  ],
];
const [TIMES, STEPS] = [10, 25];
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];
const RINGS = [0, 0.25, 0.5, 0.75, 0.9];

const row = (label, values) => console.log(label.padEnd(14), values.map((x) => x.toFixed(1).padStart(6)).join(""));

/** R, and z, both in the order of R [length]. */
function measured(positions) {
  const stars = Array.from({ length: positions.length / 3 }, (_, i) => {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    return [Math.hypot(x - SIZE / 2, y - SIZE / 2), z - SIZE / 2];
  }).sort(([a], [b]) => a - b);
  const at = (share) => Math.floor(share * stars.length);
  const radii = SHARES.map((share) => stars[at(share)][0]);
  const rings = RINGS.slice(1).map((share, k) => stars.slice(at(RINGS[k]), at(share)));
  const heights = rings.map((ring) => ring.reduce((sum, [, z]) => sum + Math.abs(z), 0) / ring.length);
  return { stars, at, rings, radii, heights };
}

/** One standard deviation of radii and heights [%]. */
function noise({ stars, at, rings, heights }) {
  const width = 0.02;
  const radial = SHARES.map((p) => {
    const slope = Math.log(stars[at(p + width)][0] / stars[at(p - width)][0]) / (2 * width);
    return 100 * slope * Math.sqrt((p * (1 - p)) / stars.length);
  });
  const across = rings.map((ring, k) => {
    const square = ring.reduce((sum, [, z]) => sum + z * z, 0) / ring.length;
    return (100 * Math.sqrt((square - heights[k] ** 2) / ring.length)) / heights[k];
  });
  return { radial, across };
}

for (const [name, keys, others, speed] of MODELS) {
  if (only !== "all" && only !== name) continue;
  const deck = (end, step) =>
    parseScenario(
      `title = "${name}"\nbox.size = ${SIZE}\nmesh = { cells = ${cells}, softenedModels = ${softened} }\n` +
        `time = { end = ${end}, step = ${step} }\noutput = { snapshots = 0, diagnostics = ${TIMES} }\n` +
        `[[particles]]\nname = "disk"\ncount = ${particles}\n${keys}\n${others}`,
    );
  const first = await Simulation.create(deck(1, 0.1));
  const { radii } = measured((await first.readParticles()).positions);
  first.destroy();
  const time = ((Math.PI / Math.SQRT2) * radii[2]) / speed;
  const simulation = await Simulation.create(deck(TIMES * time, time / STEPS));
  const now = async () => measured((await simulation.readParticles()).positions);
  const start = await now();
  const last = [];
  for (let output = 1; output <= TIMES; output++) {
    await simulation.advance({ output });
    if (output > TIMES - 3) last.push(await now());
  }
  const change = (of) =>
    start[of].map((value, k) => 100 * (last.reduce((sum, one) => sum + one[of][k], 0) / last.length / value - 1));
  const { radial, across } = noise(start);
  row(`${name} R`, change("radii"));
  row("  noise", radial);
  if (Math.max(...start.heights) > 0) {
    row(`${name} |z|`, change("heights"));
    row("  noise", across);
  }
  simulation.destroy();
}
