// A Plummer sphere through a time unit in Node. Run: node docs/examples/node.mjs
import { parseScenario, Simulation } from "gravmesh";

const scenario = parseScenario(`
title = "A small sphere"

[box]
size = 8.0
boundary = "isolated"

[mesh]
cells = 32

[[particles]]
kind = "plummer"
count = 20_000
cutoff = 3.0

[time]
end = 1.0
step = 0.02
`);

const simulation = await Simulation.create(scenario); // WebGPU if there is an adapter, else float64 on the CPU
console.log(`${simulation.particleCount} particles on ${simulation.adapter?.description ?? "the CPU"}`);

await simulation.advance({
  until: 0.5,
  onProgress: ({ time, step }) => console.log(`time ${time.toFixed(2)}, step ${step}`),
});
await simulation.advance(); // to the end

const { relativeEnergyError, virialRatio } = await simulation.diagnostics();
console.log(`energy error ${relativeEnergyError.toExponential(1)}, virial ratio ${virialRatio.toFixed(3)}`);

const { positions, velocities } = await simulation.readParticles();
console.log(`particle 0: at ${positions.slice(0, 3)}, velocity ${velocities.slice(0, 3)}`);
simulation.destroy();
