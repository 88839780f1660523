// How long the page leaves input unanswered while a deck runs: the main thread's own work at a time (by the processor's clock, too), and how late a timer and
// the worker's answers come. Prints a table; the machine should have nothing else to do.
//   node .tooling/build.mjs && node .tooling/page-response.mjs [CELLS PARTICLES SECONDS]
import { openSite } from "./built-page.mjs";

const [cells = 32, particles = 10_000, seconds = 20] = process.argv.slice(2).map(Number);
const PATIENCE = { timeout: 300_000 };
const { browser, url, close } = await openSite();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(url);
await page.getByText("Plummer sphere", { exact: true }).first().click();
await page.waitForFunction(() => window.gravmesh.sources.a.value, undefined, PATIENCE);
await page.evaluate(
  (entries) => {
    window.gravmesh.overrides.value = entries;
  },
  { "mesh.cells": cells, "particles.plummer.count": particles, "time.end": 1000 },
);
await page.keyboard.press("Control+Enter");
await page.waitForFunction(
  (count) => {
    const { status, particles: now, step } = window.gravmesh.panes.a.state.value;
    return status === "running" && now === count && step > 3;
  },
  particles,
  PATIENCE,
);
await browser.startTracing(page, {
  categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"],
});
const found = await page.evaluate(async (duration) => {
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
    type: "longtask",
  });
  // Who had the thread, where the browser says so.
  const frames = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration, blockingDuration, renderStart, scripts } of list.getEntries()) {
      const worked = scripts.map(({ invoker, duration, sourceFunctionName, sourceURL }) => ({
        invoker,
        duration,
        sourceFunctionName,
        sourceURL,
      }));
      frames.push({
        startTime,
        duration,
        blockingDuration,
        rendering: renderStart ? startTime + duration - renderStart : 0,
        worked,
      });
    }
  }).observe({ type: "long-animation-frame" });
  const [late, answers] = [[], []];
  const end = performance.now() + duration;
  const { step: before } = window.gravmesh.panes.a.state.value;
  while (performance.now() < end) {
    const asked = performance.now();
    await new Promise((done) => setTimeout(done, 5));
    late.push(performance.now() - asked - 5);
    const sent = performance.now();
    await window.gravmesh.stage.ability();
    answers.push(performance.now() - sent);
  }
  const { step: after } = window.gravmesh.panes.a.state.value;
  return { tasks, frames, late, answers, stepsPerSecond: (1000 * (after - before)) / duration };
}, 1000 * seconds);
const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
await close();

/** Processor time of the main thread's tasks [ms]: what they take on a machine that has nothing else to do. */
const main = new Set(
  traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(placeOf),
);
const processor = traceEvents
  .filter((event) => /RunTask/.test(event.name) && event.tdur !== undefined && main.has(placeOf(event)))
  .map(({ tdur }) => tdur / 1000);

function placeOf({ pid, tid }) {
  return `${pid}/${tid}`;
}

const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
const row = (name, values) =>
  `${name.padEnd(34)} ${[0.5, 0.99, 1].map((share) => at(values, share).toFixed(1).padStart(7)).join(" ")}`;
console.log(`${cells}³ cells, ${particles} particles, ${found.stepsPerSecond.toFixed(1)} steps/s, ${seconds} s`);
console.log(`${"[ms]".padEnd(34)}  median    99 % largest`);
console.log(row("processor time of its tasks", processor));
console.log(row("timer on the main thread, late by", found.late));
console.log(row("answer of the worker", found.answers));
console.log(
  `tasks of the main thread over 50 ms: ${found.tasks.length}${found.tasks.length > 0 ? `, longest ${Math.max(...found.tasks).toFixed(0)} ms` : ""}`,
);
for (const { duration, blockingDuration, rendering, worked } of found.frames) {
  const by = worked.map(
    ({ invoker, duration, sourceFunctionName }) => `${invoker} ${sourceFunctionName} ${duration.toFixed(0)} ms`,
  );
  console.log(
    `  a frame of ${duration.toFixed(0)} ms, blocking ${blockingDuration.toFixed(0)}, rendering ${rendering.toFixed(0)}; scripts: ${by.join(", ") || "none"}`,
  );
}
