/** Waiting for devices and other ranks: what is asked how often, and what it learns. */
import { afterEach, expect, it, vi } from "vitest";
import { Expected, patiently, untilThere } from "../../src/foundation/base/waiting.ts";

const DAWN = { software: true, nudge: () => expect.unreachable("Dawn for Node polls by itself") };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it("looks at once, and again until it is there", async () => {
  let looks = 0;
  const look = () => ++looks === 10;
  await untilThere(look, 4);
  expect(looks).toBe(10);
  await untilThere(() => true, 0);
});

it("ends with what a look throws, and others are waited for all the same", async () => {
  let looks = 0;
  const other = untilThere(() => ++looks > 20, 0);
  await expect(
    untilThere(() => {
      if (looks > 5) throw new Error("lost");
      return false;
    }, 0),
  ).rejects.toThrow("lost");
  await other;
  await expect(patiently(Promise.reject(new Error("gone")), DAWN)).rejects.toThrow("gone");
  expect(await patiently(Promise.resolve(7), { ...DAWN, software: false })).toBe(7);
});

it("sleeps through most of what took as long the last time", async () => {
  const expected = new Expected();
  const looksOf = async (ms: number) => {
    const since = performance.now();
    let looks = 0;
    const there = () => {
      looks += 1;
      return performance.now() - since >= ms;
    };
    await untilThere(there, 0, expected);
    return looks;
  };
  for (let again = 0; again < 4; again++) await looksOf(60);
  expect(expected.asleep).toBeGreaterThan(40);
  expect(await looksOf(60)).toBeLessThan(45); // some 75 without what it has learned
});

it("expects less as soon as something comes sooner, more by and by", () => {
  const expected = new Expected();
  expect(expected.asleep).toBe(0);
  for (let again = 0; again < 20; again++) expected.note(100);
  const long = expected.asleep;
  expect(long).toBeGreaterThan(80);
  expected.note(10);
  const short = expected.asleep;
  expect(short).toBeLessThan(10);
  expected.note(100);
  expect(expected.asleep).toBeGreaterThan(short);
  expect(expected.asleep).toBeLessThan(0.6 * long);
});

const hosts = {
  Deno: { ...process, versions: { ...process.versions, deno: "2.9.6" } },
  // Vitest needs the rest of it.
  "a browser": { ...process, versions: {} },
};

it.each(Object.entries(hosts))("nudges the device in %s, whose event loop goes on", async (_, host) => {
  vi.stubGlobal("process", host);
  vi.resetModules();
  const { patiently: there } = await import("../../src/foundation/base/waiting.ts");
  let [nudges, ticks] = [0, 0];
  const timer = setInterval(() => ticks++, 1);
  const work = new Promise<string>((resolve) => {
    const look = () => (Math.min(nudges, ticks) > 5 ? resolve("done") : setTimeout(look, 1));
    look();
  });
  expect(await there(work, { software: true, nudge: () => nudges++ })).toBe("done");
  clearInterval(timer);
  const until = nudges;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(nudges).toBe(until);
});
