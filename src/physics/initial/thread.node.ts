/** A thread that draws particles for threads.node.ts: what it runs, a file of its own in dist/node. */
import { parentPort, workerData } from "node:worker_threads";
import { modelOf } from "./models.ts";
import type { ThreadRequest } from "./threads.node.ts";
import { contextsOf, type Drawing, type DrawJob, drawingOf, roomFor } from "./worker-pool.ts";

const { scenario, G, bits, components } = workerData as DrawJob;

/** What draws each component. Throws where one isn't drawn from a model that is known here. */
async function drawings(): Promise<Map<number, Drawing>> {
  const contexts = contextsOf(scenario, { G });
  const made = new Map<number, Drawing>();
  for (const { index, frame } of components) {
    const component = scenario.particles[index];
    const draw = await modelOf(component).particles(component, contexts[index]);
    if ("blocks" in draw) throw new Error(`component "${component.name}" isn't drawn`);
    made.set(index, drawingOf(draw, component, index, scenario.box.size, frame));
  }
  return made;
}

const made = await drawings();
parentPort!.on("message", ([{ index, first, count }, room]: ThreadRequest) => {
  const drawn = room && room.positions.length >= 3 * count ? room : roomFor(3 * count, bits);
  made.get(index)!(drawn, first, count);
  parentPort!.postMessage(drawn, [drawn.positions.buffer, drawn.velocities.buffer]);
});
parentPort!.postMessage("ready");
