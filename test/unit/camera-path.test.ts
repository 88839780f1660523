/** A film's camera: through its keyframes, smoothly, without overshoot. */
import { describe, expect, it } from "vitest";
import { keyframesInOrder, viewAlong } from "../../src/doors/site/camera.ts";
import { type View, wholeBox } from "../../src/studio/view/view.ts";

const box = wholeBox(16);
const at = (azimuth: number, span = 16, rest: Partial<View> = {}): View => ({
  ...box,
  ...rest,
  camera: { ...box.camera, azimuth, span },
});

describe("camera path", () => {
  it("is the present view without keyframes, and the only keyframe with one", () => {
    expect(viewAlong([], 0.4, box)).toBe(box);
    expect(viewAlong([{ at: 0.7, view: at(30) }], 0.1, box).camera.azimuth).toBe(30);
  });

  it("goes through its keyframes in order of time, whatever the list's order", () => {
    const frames = [
      { at: 1, view: at(360, 4) },
      { at: 0, view: at(0, 16) },
      { at: 0.5, view: at(90, 8) },
    ];
    for (const { at: share, view } of frames) {
      const { camera } = viewAlong(frames, share, box);
      expect(camera.azimuth).toBeCloseTo(view.camera.azimuth, 9);
      expect(camera.span).toBeCloseTo(view.camera.span, 9);
    }
  });

  it("is monotonic between keyframes, rests at equal ones, begins and ends at rest", () => {
    const frames = [0, 10, 10, 300].map((azimuth, i) => ({ at: i / 3, view: at(azimuth) }));
    const azimuths = Array.from({ length: 301 }, (_, i) => viewAlong(frames, i / 300, box).camera.azimuth);
    expect(azimuths.every((value, i) => i === 0 || value >= azimuths[i - 1] - 1e-12)).toBe(true);
    expect(azimuths.slice(100, 201).every((value) => Math.abs(value - 10) < 1e-9)).toBe(true);
    expect(azimuths[1] - azimuths[0]).toBeLessThan(0.01);
    // Half the way at half the time, with cubics at rest at both ends.
    expect(azimuths[250]).toBeCloseTo(155, 9);
  });

  it("zooms by equal factors, and keeps words until the next keyframe", () => {
    const frames = [
      { at: 0, view: at(0, 100, { quantity: "density", brightest: 1 }) },
      { at: 1, view: at(0, 1, { quantity: "velocity", brightest: 100 }) },
    ];
    const half = viewAlong(frames, 0.5, box);
    expect(half.camera.span).toBeCloseTo(10, 9);
    expect(half.brightest).toBeCloseTo(10, 9);
    expect(half.quantity).toBe("density");
    expect(viewAlong(frames, 1, box).quantity).toBe("velocity");
    const automatic = [frames[0], { at: 1, view: at(0, 1, { brightest: "auto" }) }];
    expect(viewAlong(automatic, 0.5, box).brightest).toBe(1);
  });

  it("takes the later one of two at the same time", () => {
    const frames = [at(1), at(2)].map((view) => ({ at: 0.5, view }));
    expect(keyframesInOrder(frames).map(({ view }) => view.camera.azimuth)).toEqual([2]);
  });
});
