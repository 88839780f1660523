/** The live page's curves as data, what differs from what runs, a film's keyframes, views that are kept, names of files. */
import { describe, expect, it } from "vitest";
import {
  type CurvedPane,
  chartCsv,
  curveCharts,
  spoken,
  thinnedPlaces,
  valuesAt,
} from "../../src/doors/site/panels/curve-data.ts";
import { movedBy } from "../../src/doors/site/panels/curves.tsx";
import { fileName } from "../../src/doors/site/panels/download.ts";
import { appended, filmProblem, keyframeAt, reordered } from "../../src/doors/site/panels/film.ts";
import { keptViews, savedAs, shownIn } from "../../src/doors/site/panels/saved-views.ts";
import { EMPTY, type Pane, type PaneRow, type PaneState } from "../../src/doors/site/stage.ts";
import { differenceFrom } from "../../src/doors/site/variants.ts";
import { type View, wholeBox } from "../../src/studio/view/view.ts";

const UNITS = { length: "kpc", time: "kpc/(km/s)", mass: "10¹⁰ M☉", velocity: "km/s" };

function row(time: number, more: Partial<PaneRow> = {}): PaneRow {
  const vector: [number, number, number] = [0, 0, 3 + time];
  return {
    ...{ time, step: 10 * time, kinetic: 1, potential: -2, total: -1, relativeEnergyError: 1e-5 * time },
    ...{ momentum: [0, 0, 0], angularMomentum: vector, centreOfMass: [8, 8, 8], virialRatio: 1, outside: 0 },
    lagrangianRadii: [0.1, 1, 2, 4, 8, 16],
    ...more,
  };
}

function pane(name: Pane, times: readonly number[], state: Partial<PaneState> = {}): CurvedPane {
  const full: PaneState = { ...EMPTY, status: "running", title: "A disk", units: UNITS, ...state };
  return {
    pane: name,
    state: full,
    rows: times.map((time) => row(time)),
    bars: [],
    spectrum: undefined,
    rotation: undefined,
  };
}

const titles = (panes: readonly CurvedPane[]) => curveCharts(panes).map(({ title }) => title);
const chart = (panes: readonly CurvedPane[], id: string) => curveCharts(panes).find((one) => one.id === id)!;

describe("curves", () => {
  it("are those of the diagnostics columns that have values, and of the angular momentum", () => {
    expect(titles([pane("a", [0, 1, 2])])).toEqual(["Energy", "Virial ratio", "Lagrangian radii", "Angular momentum"]);
    const told = { ...pane("a", []), rows: [0, 1].map((time) => row(time, { momentumError: 1e-7 })) };
    expect(titles([told])).toContain("Momentum");
    expect(titles([pane("a", [0])])).toEqual([]);
    expect(titles([{ ...pane("a", [0, 1]), state: EMPTY }])).toEqual([]);
  });

  it("leave out what a box or a clock doesn't have", () => {
    expect(titles([pane("a", [0, 1], { periodic: true })])).toEqual(["Energy", "Virial ratio"]);
    const comoving = pane("a", [0.1, 0.2], { periodic: true, units: { ...UNITS, time: "scale factor" } });
    expect(titles([comoving])).toEqual(["Energy"]);
    expect(chart([comoving], "relativeEnergyError")).toMatchObject({
      about: "residual of the cosmic energy equation",
      x: { label: "Scale factor" },
    });
    const bar = pane("a", [0, 1], { conserved: "jacobi" });
    expect(chart([bar], "relativeEnergyError").about).toMatch(/Jacobi/);
  });

  it("call what external potentials change no drift", () => {
    const inField = (field: NonNullable<PaneState["field"]>) =>
      [{ ...pane("a", [], { field }), rows: [0, 1].map((time) => row(time, { momentumError: time })) }] as const;
    expect(chart(inField("any"), "momentumError").about).toBe("changed by external potentials: no error");
    expect(chart(inField("any"), "angularMomentum").about).toMatch(/^changed by external potentials: no error/);
    expect(chart(inField("axial"), "angularMomentum").about).toMatch(/which keep L_z alone/);
    expect(chart(inField("central"), "angularMomentum").about).toMatch(/^drift of the total angular momentum, which/);
  });

  it("of two panes are in one chart, the second dashed, on the times of both", () => {
    const both = [pane("a", [0, 1, 2]), pane("b", [0, 0.5, 1])];
    const energy = chart(both, "relativeEnergyError");
    expect(energy.x.values).toEqual([0, 0.5, 1, 2]);
    expect(energy.series.map(({ label, dashed }) => [label, dashed])).toEqual([
      ["A", false],
      ["B", true],
    ]);
    expect(energy.series[1].values).toEqual([0, 0.5e-5, 1e-5, null]);
    expect(valuesAt(energy, 1)).toEqual([0, 0.5e-5]);
    const radii = chart(both, "lagrangianRadii");
    expect(radii.series.map(({ label }) => label)).toEqual([
      "A 10 %",
      "A 50 %",
      "A 90 %",
      "B 10 %",
      "B 50 %",
      "B 90 %",
    ]);
    expect(radii.y).toEqual({ label: "Radius [kpc]", log: true });
  });

  it("show the rotation of a disk now, of both pictures, beside the circular speed", () => {
    const rotation = { radius: [1, 2, 3], rotation: [90, 100, 110], circular: [95, 105, 112] };
    const both = (["a", "b"] as const).map((name) => ({ ...pane(name, [0, 1]), rotation }));
    const { series, x, y } = chart(both, "rotation");
    expect([x.label, x.values, y.label]).toEqual(["R [kpc]", [1, 2, 3], "Speed [km/s]"]);
    expect(series.map(({ label, dashed, main }) => [label, dashed, main])).toEqual([
      ["A ⟨v_φ⟩", false, true],
      ["A v_c", false, false],
      ["B ⟨v_φ⟩", true, true],
      ["B v_c", true, false],
    ]);
    expect(series[3].values).toEqual(rotation.circular);
  });

  it("show drift of the angular momentum, a bar's strength and P(k) with their units", () => {
    const some = {
      ...pane("a", [0, 1]),
      bars: [0, 1].map((time) => ({ time, strength: 0.2 * time })),
      spectrum: { time: 1, k: [0, 1, 2], power: [5, 4, 0] },
    };
    const spin = chart([some], "angularMomentum");
    expect(spin.series[0].values).toEqual([0, 1]);
    expect(spin.y.label).toBe("|L − L₀| [10¹⁰ M☉ kpc km/s]");
    expect(spin.about).toContain("|L₀| = 3");
    expect(chart([some], "bar").series[0].values).toEqual([0, 0.2]);
    // One point of P(k) above zero is no curve.
    expect(chart([some], "spectrum")).toBeUndefined();
    const two = { ...some, spectrum: { time: 1, k: [0, 1, 2], power: [5, 4, 3] } };
    expect(chart([two], "spectrum")).toMatchObject({
      x: { label: "k [1/kpc]", log: true, values: [1, 2] },
      y: { label: "P(k) [kpc³]", log: true },
    });
  });

  it("are a csv file, a table and a sentence", () => {
    const energy = chart([pane("a", [0, 1]), pane("b", [1, 2])], "relativeEnergyError");
    expect(chartCsv(energy)).toBe(
      "# Energy: (E − E₀) / |E₀|\nTime [kpc/(km/s)],A,B\n0,0,\n1,0.00001,0.00001\n2,,0.00002\n",
    );
    expect(spoken(energy, 1)).toBe("Time [kpc/(km/s)] 1: A 1 × 10⁻⁵, B 1 × 10⁻⁵".replaceAll(" × ", "\u202f×\u202f"));
    expect(thinnedPlaces(7, 3)).toEqual([0, 3, 6]);
    expect(thinnedPlaces(6, 3)).toEqual([0, 2, 4, 5]);
    expect(thinnedPlaces(0, 3)).toEqual([]);
  });

  it("have a cursor that keys move and that stays within", () => {
    const keys = [
      ["ArrowLeft", false, 4],
      ["ArrowRight", true, 9],
      ["Home", false, 0],
      ["End", false, 9],
      ["ArrowLeft", true, 0],
      ["a", false, undefined],
    ] as const;
    for (const [key, shift, expected] of keys) expect(movedBy(key, shift, 5, 10)).toBe(expected);
  });
});

describe("what differs from what runs", () => {
  const source = { kind: "deck", text: "t", overrides: ["mesh.cells=64", 'title="a = b"'] } as const;

  it("is the text, and overrides that came, changed or went", () => {
    expect(differenceFrom(source, "t", source.overrides)).toBeUndefined();
    expect(differenceFrom(source, "t", [...source.overrides].reverse())).toBeUndefined();
    expect(differenceFrom(source, "u", source.overrides)).toEqual({ text: true, overrides: [] });
    expect(differenceFrom(source, "t", ["mesh.cells=32", "time.end=1"])).toEqual({
      text: false,
      overrides: [
        { path: "mesh.cells", from: "64", to: "32" },
        { path: "title", from: '"a = b"' },
        { path: "time.end", to: "1" },
      ],
    });
    expect(differenceFrom({ kind: "snapshot", files: [] }, "t", [])).toBeUndefined();
  });
});

const at = (azimuth: number): View => ({ ...wholeBox(16), camera: { ...wholeBox(16).camera, azimuth } });

describe("keyframes", () => {
  it("are spread evenly as they are added, and turn the short way", () => {
    const frames = [350, 10, 20, 30].reduce<ReturnType<typeof appended>>((all, angle) => appended(all, at(angle)), []);
    frames.forEach((frame, i) => {
      expect(frame.at).toBeCloseTo(i / 3, 12);
    });
    expect(frames.map(({ view }) => view.camera.azimuth)).toEqual([350, 370, 380, 390]);
  });

  it("change places without their times, and take another's place at the same time", () => {
    const frames = [0, 0.2, 1].map((share, i) => ({ at: share, view: at(i) }));
    const shown = (list: typeof frames) => list.map(({ at: share, view }) => [share, view.camera.azimuth]);
    expect(shown(reordered(frames, 0, 2))).toEqual([
      [0, 1],
      [0.2, 2],
      [1, 0],
    ]);
    expect(shown(keyframeAt(frames, 0.2, at(9)))).toEqual([
      [0, 0],
      [0.2, 9],
      [1, 2],
    ]);
  });

  it("make a film that is possible, or it is said why not", () => {
    const film = { seconds: 10, rate: 30, until: 2, still: false, width: 1280, height: 720, legend: true };
    expect(filmProblem(film, 1)).toBeUndefined();
    expect(filmProblem({ ...film, until: 1 }, 1)).toMatch(/last time/);
    expect(filmProblem({ ...film, until: 1, still: true }, 1)).toBeUndefined();
    expect(filmProblem({ ...film, width: 641 }, 1)).toMatch(/even/);
    expect(filmProblem({ ...film, seconds: 0 }, 1)).toMatch(/seconds/);
    expect(filmProblem({ ...film, rate: 2.5 }, 1)).toMatch(/pictures/);
  });
});

describe("views that are kept", () => {
  it("fit a box of another size", () => {
    const saved = savedAs("mine", { ...at(30), brightest: 5, hidden: ["halo"] }, 16);
    const shown = shownIn(saved, 32);
    expect(shown.camera).toEqual({ azimuth: 30, elevation: 90, centre: [16, 16, 16], span: 32 });
    expect(shown).toMatchObject({ brightest: "auto", hidden: [] });
    expect(keptViews(() => JSON.stringify([saved, { name: "bad" }, null, { ...saved, name: 3 }]))).toEqual([saved]);
    expect([keptViews(() => null), keptViews(() => "{"), keptViews(() => "{}")]).toEqual([[], [], []]);
  });
});

describe("names of files", () => {
  it("are plain words of the title", () => {
    expect(fileName("Milky Way, Q = 1.4", ".png")).toBe("milky-way-q-1.4.png");
    expect(fileName("../../É", ".csv")).toBe("e.csv");
    expect(fileName("…", ".mp4")).toBe("gravmesh.mp4");
  });
});
