/** The check of the direct sum's kernels at their first use: what it lets pass, and what it refuses. */
import { describe, expect, it } from "vitest";
import { CHECKED_SOFTENING, type CheckedForces, forceCheck } from "../../src/engine/direct/force-check.ts";
import { availableShapes } from "../../src/engine/direct/force-shapes.ts";
import { DirectForces, type ForceOptions } from "../../src/engine/direct/forces.ts";
import type { Precision } from "../../src/engine/direct/settings.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { KernelSpec } from "../../src/foundation/gpu/kernel.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const ORDERS = ["acceleration", "jerk", "snap"] as const;
const PRECISIONS = ["single", "double-single"] as const;
/** Another file of tests has compiled the selection's kernels, or will find them compiled. */
const KINDS = inFull(
  ORDERS.flatMap((order) => PRECISIONS.map((precision) => [order, precision] as const)),
  [["acceleration", "double-single"]],
);

/** A device of its own in the eyes of what is remembered by device, with kernels changed on their way. */
function adapter(changed: (spec: KernelSpec) => KernelSpec, software = true): GpuContext {
  const { device, adapter: own } = gpu();
  const other = new Proxy(device, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const context = new GpuContext(other, { ...own, software }, { owned: false, parent: gpu() });
  const { kernel } = context;
  context.kernel = (spec) => kernel.call(context, changed(spec));
  context.account = () => gpu().account();
  return context;
}

const constants = (label: string, values: KernelSpec["constants"]) => (spec: KernelSpec) =>
  spec.label.includes(label) ? { ...spec, constants: { ...spec.constants, ...values } } : spec;

const create = (context: GpuContext, options: Partial<ForceOptions> = {}) =>
  DirectForces.create(context, { order: "acceleration", precision: "single", softening: 0.1, ...options });

describe("the check of the direct sum", () => {
  it.each(KINDS)("passes every shape with %s in %s, with the same bits", async (order, precision: Precision) => {
    const made = new Map<string, DirectForces>();
    for (const { name } of availableShapes(gpu())) {
      made.set(name, await create(gpu(), { order, precision, softening: CHECKED_SOFTENING, shape: name }));
    }
    const check = await forceCheck(
      gpu(),
      { order, precision, softened: "plummer" },
      made as Map<string, CheckedForces>,
    );
    for (const forces of made.values()) forces.destroy();
    expect(check).toMatchObject({ name: `direct forces, ${order}, ${precision}`, passed: true });
    expect(check.detail).toContain(`the same bits from ${[...made.keys()].join(", ")}; relative error`);
    const error = Number(check.detail.split(" ").at(-1));
    expect(error).toBeGreaterThan(1e-9);
    expect(error).toBeLessThan(precision === "single" ? 6e-7 : 3e-7);
  });

  it("passes reciprocal roots that are refined, as on a GPU, and without softening", async () => {
    const specs: KernelSpec[] = [];
    const noted = (spec: KernelSpec) => {
      specs.push(spec);
      return spec;
    };
    for (const [precision, refined] of [
      ["double-single", true],
      ["single", false],
    ] as const) {
      specs.length = 0;
      (await create(adapter(noted, false), { precision, softening: 0, shape: "plain" })).destroy();
      const sums = specs.filter(({ label }) => label.startsWith("direct force/plain"));
      expect(sums.length).toBeGreaterThan(0);
      for (const { constants: given } of sums) expect(given).toMatchObject({ REFINED: refined, SOFTENED: false });
    }
  });

  it("refuses a shape that adds in another order, for single, too", async () => {
    const usual = await create(gpu());
    const faulty = JSON.stringify(usual).includes('"subgroups"') ? "subgroups" : "split";
    usual.destroy();
    const context = adapter(constants(`direct force/${faulty}`, { SLICE: "64u" }));
    await expect(create(context)).rejects.toMatchObject({
      kind: "device",
      message: expect.stringMatching(
        // Slices that end elsewhere than a plan says lose sources where a part of them is an invocation's.
        faulty === "split"
          ? /isn't right on .*shape "split" is off by .*try another kernel shape .*--backend cpu/
          : /isn't right on .*: \d+ of 2352 words of shape "\S+" differ from those of "\S+"; try another kernel shape .*--backend cpu/,
      ),
    });
    // The other shapes are as good as ever.
    (await create(context, { shape: "plain" })).destroy();
  });

  it("refuses a force that isn't the force", async () => {
    const wrong = adapter(constants("direct force/plain", { GROUP: "32u" }));
    await expect(create(wrong, { shape: "plain" })).rejects.toThrow(/acceleration of shape "plain" is off by \d/);
  });
});
