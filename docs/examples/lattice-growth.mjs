// What a mesh takes from, or adds to, the growth of a displaced lattice:
//   node docs/examples/lattice-growth.mjs [END] [PER_SIDE] [BOX_SIZE] [1,2,4] [SCHEME,SCHEME …]
// Power of perSide³ particles with fixed amplitudes at the scale factor END over that at z = 49 and D², in meshes of 1, 2 and 4
// times the lattice's cells, by wavenumber over the particles' Nyquist wavenumber. SCHEME: "tsc 4-point" and the like.
import { Background, Growth, parseScenario, Simulation } from "gravmesh";

const [end = "0.25", perSide = "64", size = "200", meshes = "1,2,4", some] = process.argv.slice(2);
const SCHEMES = ["cic", "tsc"].flatMap((assignment) =>
  ["2-point", "4-point", "spectral"].map((g) => `${assignment} ${g}`),
);
const FRACTIONS = [0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.75];
const START = 0.02;

async function growthOf(cells, scheme) {
  const [assignment, gradient] = scheme.split(" ");
  const scenario = parseScenario(`
    title = "Growth of a lattice"
    units.system = "cosmological"
    box = { size = ${size}, boundary = "periodic" }
    mesh = { cells = ${cells}, assignment = "${assignment}", gradient = "${gradient}" }
    time = { clock = "comoving", start = ${START}, end = ${end}, step = 0.01 }
    [[particles]]
    kind = "lattice"
    perSide = ${perSide}
    fixedAmplitudes = true
  `);
  const simulation = await Simulation.create(scenario);
  const measured = { cells: 2 * Number(perSide) };
  const before = await simulation.powerSpectrum(measured);
  await simulation.advance();
  const after = await simulation.powerSpectrum(measured);
  simulation.destroy();
  const growth = new Growth(new Background(scenario.cosmology));
  const D2 = (growth.D1(Number(end)) / growth.D1(START)) ** 2;
  return FRACTIONS.map((at) => {
    const shell = (at * Number(perSide)) / 2 - 1;
    return after.power[shell] / before.power[shell] / D2;
  });
}

console.log(["k / k_Nyquist".padEnd(22), ...FRACTIONS.map((at) => String(at).padEnd(6))].join(" "));
for (const times of meshes.split(",")) {
  for (const scheme of some ? some.split(",") : SCHEMES) {
    const growth = await growthOf(times * Number(perSide), scheme);
    console.log(
      [`${times * perSide}³ ${scheme}`.padEnd(22), ...growth.map((one) => one.toFixed(3).padEnd(6))].join(" "),
    );
  }
}
