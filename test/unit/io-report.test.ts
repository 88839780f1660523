/** Pictures, charts and the report: what is drawn, in numbers; that the page stands alone. */
import { decode } from "fast-png";
import { describe, expect, it } from "vitest";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { barChart } from "../../src/run/page/bars.ts";
import { lineChart } from "../../src/run/page/charts.ts";
import { html } from "../../src/run/page/markup.ts";
import { large, powerOfTen, prefixed, shortNumber } from "../../src/run/page/numbers.ts";
import {
  commonStretch,
  dataUrl,
  densityPng,
  scaleBarLength,
  smoothedMap,
  stretched,
} from "../../src/run/page/pictures.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import { galaxyViews } from "../../src/run/report/galaxies.ts";
import type { ReportData } from "../../src/run/report/model.ts";
import { reportHtml } from "../../src/run/report/page.ts";
import {
  componentSpeeds,
  reportProfile,
  reportRotation,
  reportSnapshot,
  reportView,
} from "../../src/run/report/particle-views.ts";
import { fixtureScenario, sequence } from "../support/scenario-fixture.ts";

describe("pictures", () => {
  it("are PNG files of the map with a palette that rises in lightness", () => {
    const map = { values: Float32Array.of(0, 1, 10, 100, 1000, 1e9), width: 3, height: 2 };
    const png = decode(densityPng(map, { floor: 1, ceiling: 1000 }));
    expect([png.width, png.height, png.channels]).toEqual([3, 2, 1]);
    expect(Array.from(png.data)).toEqual([0, 0, 85, 170, 255, 255]);
    const lightness = (png.palette ?? []).map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b);
    expect(lightness).toHaveLength(256);
    for (let i = 1; i < 256; i++) expect(lightness[i]).toBeGreaterThanOrEqual(lightness[i - 1] - 0.5);
    expect(dataUrl(Uint8Array.of(104, 105))).toBe("data:image/png;base64,aGk=");
  });

  it("share one logarithmic stretch; an empty map has none and is dark", () => {
    const a = { values: Float32Array.of(0, 1, 2), width: 3, height: 1 };
    const b = { values: Float32Array.of(0, 0, 50), width: 3, height: 1 };
    const stretch = commonStretch([a, b], 2);
    expect(stretch?.ceiling).toBeCloseTo(2, 6);
    expect(stretch?.floor).toBeCloseTo(0.02, 8);
    expect(stretched(0.2, { floor: 0.02, ceiling: 2 })).toBeCloseTo(0.5, 12);
    expect(commonStretch([{ values: [0, 0], width: 2, height: 1 }])).toBeUndefined();
    expect(Array.from(decode(densityPng({ values: [0, 0], width: 2, height: 1 }, undefined)).data)).toEqual([0, 0]);
  });

  it("are smoothed where particles are few and sharp where there are many", () => {
    const size = 128;
    const values = new Float32Array(size * size);
    const random = sequence(2);
    for (let i = 0; i < 4000; i++) values[Math.floor(random() * size * size)] += 1;
    for (let y = 60; y < 64; y++) for (let x = 60; x < 64; x++) values[y * size + x] = 1000;
    const smooth = smoothedMap({ values, width: size, height: size }, 1);
    const total = (v: ArrayLike<number>) => Array.from(v).reduce((s, x) => s + x, 0);
    expect(smooth.values[62 * size + 62]).toBe(1000);
    // Around the bright square nothing spreads beyond its finest kernels.
    expect(total(smooth.values) / total(values)).toBeGreaterThan(0.95);
    expect(total(smooth.values) / total(values)).toBeLessThan(1.15);
    const corner = Array.from({ length: 400 }, (_, i) => smooth.values[(4 + Math.floor(i / 20)) * size + 4 + (i % 20)]);
    const mean = total(corner) / 400;
    const scatter = Math.sqrt(total(corner.map((v) => (v - mean) ** 2)) / 400);
    expect(mean).toBeCloseTo(4000 / size ** 2, 1);
    expect(scatter / mean).toBeLessThan(0.35);
  });

  it("have round scale bars", () => {
    expect([16, 10, 3, 0.7, 450].map((span) => scaleBarLength(span))).toEqual([2, 2, 0.5, 0.2, 100]);
  });
});

describe("charts", () => {
  const chart = (points: [number, number][], log = false) =>
    String(
      lineChart({
        description: "a < b",
        x: { label: "Time" },
        y: { label: "E", scale: log ? "log" : "linear" },
        series: [{ points, label: "v_c" }],
      }),
    );

  it("draw every point inside the frame, with escaped text and lowered indices", () => {
    const svg = chart([
      [0, 1],
      [1, 3],
      [2, 2],
    ]);
    expect(svg).toContain('aria-label="a &lt; b"');
    expect(svg).toMatch(/v<tspan dy="3"[^>]*>c<\/tspan>/);
    const path = /class="curve s-accent" d="M([^"]*)"/.exec(svg)?.[1] ?? "";
    const numbers = path.split(/[ML,]/).map(Number);
    expect(numbers).toHaveLength(6);
    for (const [i, v] of numbers.entries()) {
      expect(v).toBeGreaterThanOrEqual(i % 2 === 0 ? 20 : 26);
      expect(v).toBeLessThanOrEqual(i % 2 === 0 ? 400 : 210);
    }
  });

  it("take a power of ten out of small numbers", () => {
    const svg = chart([
      [0, 0],
      [1, -3.1e-5],
    ]);
    expect(svg).toContain("E  (× 10⁻⁵)");
    expect(svg).toContain(">−3<");
    expect(svg).not.toContain("0.00003");
  });

  it("stand constant, empty and impossible data", () => {
    for (const points of [
      [],
      [[0, 0]],
      [
        [0, 5],
        [1, 5],
      ],
      [
        [0, Number.NaN],
        [1, Number.POSITIVE_INFINITY],
      ],
    ] as [number, number][][]) {
      for (const log of [false, true]) {
        const svg = chart(points, log);
        expect(svg).toMatch(/^<svg.*<\/svg>$/s);
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      }
    }
    expect(String(barChart({ description: "none", groups: [] }))).not.toMatch(/NaN|Infinity/);
    expect(
      String(barChart({ description: "zero", groups: [{ label: "a", bars: [{ value: 0, text: "0 ms" }] }] })),
    ).not.toMatch(/NaN|Infinity/);
  });

  it("write logarithmic axes in powers of ten or in round numbers", () => {
    expect(
      chart(
        [
          [0, 1e-6],
          [1, 10],
        ],
        true,
      ),
    ).toMatch(/>10⁻⁴<.*>10⁰</s);
    expect(
      chart(
        [
          [0, 0.3],
          [1, 4],
        ],
        true,
      ),
    ).toMatch(/>0\.5<.*>1<.*>2</s);
  });

  it("keep labels apart", () => {
    const svg = String(
      lineChart({
        description: "",
        x: { label: "" },
        y: { label: "", domain: [0, 100] },
        series: [1, 1.1, 1.2, 1.3].map((v) => ({
          points: [
            [0, v],
            [1, v],
          ] as [number, number][],
          label: `n${v}`,
        })),
      }),
    );
    const heights = [...svg.matchAll(/<text class="s-accent" x="[\d.]+" y="([\d.]+)"/g)]
      .map((m) => Number(m[1]))
      .sort((a, b) => a - b);
    expect(heights).toHaveLength(4);
    for (let i = 1; i < 4; i++) expect(heights[i] - heights[i - 1]).toBeGreaterThanOrEqual(12.9);
  });

  it("write numbers for people", () => {
    expect([0, 1.23456, 0.00123, 1234.5, 2.9e-4, -1e7, Number.NaN].map((v) => shortNumber(v))).toEqual([
      "0",
      "1.23",
      "0.00123",
      "1\u202f235",
      "2.9\u202f×\u202f10⁻⁴",
      "−1\u202f×\u202f10⁷",
      "–",
    ]);
    expect([0, 12.34, 1000, 1_500_000, 123_456_789, 2e9, 100_000, 12.3e12].map(large)).toEqual([
      "0",
      "12.3",
      "1\u00a0k",
      "1.5\u00a0M",
      "123\u00a0M",
      "2\u00a0G",
      "100\u00a0k",
      "12.3\u00a0T",
    ]);
    expect([1000, 1_500_000, 123_456_789].map(prefixed)).toEqual(["1.00 k", "1.50 M", "123 M"]);
    expect(powerOfTen(-12)).toBe("10⁻¹²");
    expect(String(html`${`<a b="c">'&`}`)).toBe("&lt;a b=&quot;c&quot;&gt;&#39;&amp;");
  });
});

/** A rotating disk in a halo that spans most of the box. */
function galaxy() {
  const random = sequence(11);
  const disk = 3000;
  const halo = 1000;
  const count = disk + halo;
  const positions = new Float64Array(3 * count);
  const velocities = new Float32Array(3 * count);
  const accelerations = new Float32Array(3 * count);
  for (let i = 0; i < disk; i++) {
    const R = 4 * Math.sqrt(random());
    const phi = 2 * Math.PI * random();
    positions.set([8 + R * Math.cos(phi), 8 + R * Math.sin(phi), 8 + 0.2 * (random() - 0.5)], 3 * i);
    velocities.set([-Math.sin(phi), Math.cos(phi), 0], 3 * i);
    accelerations.set([-Math.cos(phi) / R, -Math.sin(phi) / R, 0], 3 * i);
  }
  for (let i = 3 * disk; i < 3 * count; i++) positions[i] = 16 * random();
  return {
    count,
    positions,
    velocities,
    accelerations,
    masses: new Float64Array(count).fill(1 / disk),
    components: [
      { name: "disk", species: "disk" as const, first: 0, count: disk },
      { name: "halo", species: "halo" as const, first: disk, count: halo },
    ],
  };
}

/** In the fixture's box. */
function reduced(particles: ParticleSet, boundary: "isolated" | "periodic" = "isolated") {
  return reductionsOf(particles, { size: 16, boundary });
}

describe("what the report shows", () => {
  it("is the disk without its halo, face-on and edge-on", async () => {
    const particles = reduced(galaxy());
    const view = await reportView(particles, fixtureScenario());
    expect(view.shown).toBe("disk particles");
    expect(view.span).toBeGreaterThan(8);
    expect(view.span).toBeLessThan(11);
    const { faceOn, edgeOn } = await reportSnapshot(particles, 0, view);
    const mass = (map: typeof faceOn) =>
      Array.from(map.values).reduce((s, v) => s + v, 0) * (map.spanX / map.width) ** 2;
    expect(mass(faceOn)).toBeCloseTo(1, 4);
    expect(edgeOn && mass(edgeOn)).toBeCloseTo(1, 4);
    const profile = await reportProfile(particles, 0, view);
    for (const density of profile?.density ?? []) expect(Math.abs(density * Math.PI * 16 - 1)).toBeLessThan(0.6);
    const rotation = await reportRotation(particles, 0, view);
    expect(rotation?.rotation.at(-1)).toBeCloseTo(1, 2);
    expect(rotation?.circular?.at(-1)).toBeCloseTo(1, 2);
  });

  it("is everything in a periodic box or without a disk", async () => {
    const box = galaxy();
    const particles = reduced(
      { ...box, components: [{ ...box.components[0], species: "stars", count: 4000 }] },
      "periodic",
    );
    const scenario = fixtureScenario();
    scenario.box.boundary = "periodic";
    const view = await reportView(particles, scenario);
    expect(view).toMatchObject({ shown: "all particles", span: 16, disk: false });
    expect(await reportSnapshot(particles, 0, view)).not.toHaveProperty("edgeOn");
    expect(await reportProfile(particles, 0, view)).toBeUndefined();
    expect(await reportRotation(particles, 0, view)).toBeUndefined();
  });

  it("of two galaxies has one scale at all moments, with room for their tails", async () => {
    // Disks of radius 1 at ± `apart`, the first with a tail of `tail` of its particles out to 7.
    const pair = (apart: number, tail = 0) => {
      const one = galaxy();
      const [disk, all] = [one.components[0].count, one.count];
      const moved = (sign: number) => one.positions.map((x, k) => 8 + (x - 8) / 4 + (k % 3 === 0 ? sign * apart : 0));
      const positions = Float64Array.from([...moved(-1), ...moved(1)]);
      for (let i = 0; i < tail * disk; i++) positions[3 * i + 1] = 8 + (7 * i) / (tail * disk);
      return reduced({
        count: 2 * all,
        positions,
        velocities: Float32Array.from([...one.velocities, ...one.velocities]),
        masses: Float64Array.from([...one.masses, ...one.masses]),
        components: [0, all].flatMap((first, g) => [
          { name: `disk ${g}`, galaxy: `${g}`, species: "disk" as const, first, count: disk },
          { name: `halo ${g}`, galaxy: `${g}`, species: "halo" as const, first: first + disk, count: all - disk },
        ]),
      });
    };
    const view = await reportView(pair(5), fixtureScenario());
    expect(view.span).toBe(16);
    for (const particles of [pair(5), pair(2), pair(0.5), pair(0.5, 0.8)]) {
      const { faceOn } = await reportSnapshot(particles, 0, view);
      expect(faceOn.spanX).toBe(16);
      const shown = faceOn.values.reduce((sum, value) => sum + value, 0) * (16 / faceOn.width) ** 2;
      expect(shown).toBeGreaterThan(0.95 * 2);
    }
  });

  it("has the circular speeds of its components, an exponential disk's and a Plummer sphere's, and the disk's dispersions and height", async () => {
    const [count, h] = [40_000, 0.02];
    // Within R an exponential disk has 1 − (1 + R) e^{−R}.
    const radiusOf = (share: number) => {
      let R = 1;
      for (let k = 0; k < 60; k++) R = Math.log((1 + R) / (1 - share));
      return R;
    };
    const angle = (i: number) => 2.399963229728653 * i; // golden: even in azimuth
    const place = (i: number) => {
      const share = (Math.floor(i / 2) + 0.5) / (count / 2);
      if (i % 2 === 0) {
        const R = radiusOf(share);
        return [R * Math.cos(angle(i)), R * Math.sin(angle(i)), i % 4 === 0 ? h : -h];
      }
      const [r, u] = [1 / Math.sqrt((0.95 * share) ** (-2 / 3) - 1), 2 * ((i * 0.6180339887498949) % 1) - 1];
      const w = r * Math.sqrt(1 - u * u);
      return [w * Math.cos(angle(i)), w * Math.sin(angle(i)), r * u];
    };
    const order = Array.from({ length: count }, (_, k) => (k < count / 2 ? 2 * k : 2 * (k - count / 2) + 1));
    const places = order.map(place);
    const particles = reductionsOf(
      {
        ...{ count, positions: Float64Array.from(places.flatMap((x) => x.map((one) => 500 + one))) },
        // v_φ = 2, and v_R = ±0.3, v_z = ±0.1 in the disk.
        velocities: Float32Array.from(
          places.flatMap(([x, y], k) => {
            const [R, s] = [Math.hypot(x, y), k % 2 ? 1 : -1];
            return [(s * 0.3 * x - 2 * y) / R, (s * 0.3 * y + 2 * x) / R, 0.1 * (k % 4 < 2 ? 1 : -1)];
          }),
        ),
        masses: new Float64Array(count).fill(2 / count),
        components: [
          { name: "thin", species: "disk", first: 0, count: count / 2 },
          { name: "ball", species: "bulge", first: count / 2, count: count / 2 },
        ],
      },
      { size: 1000, boundary: "isolated" },
    );
    const scenario = fixtureScenario();
    scenario.box.size = 1000;
    const view = { ...(await reportView(particles, scenario)), radius: 5.83 };
    expect(view.shown).toBe("all particles");
    // Freeman (1970): 2y² [I0 K0 − I1 K1] at y = R/2.
    const radii = [1, 2, 3, 4];
    const freeman = [0.27796, 0.38574, 0.35899, 0.29724];
    const [thin, ball] = await componentSpeeds(particles, view, radii, 1);
    expect([thin.name, ball.name]).toEqual(["thin", "ball"]);
    for (const [k, R] of radii.entries()) {
      expect(Math.abs(thin.speed[k] / Math.sqrt(freeman[k]) - 1)).toBeLessThan(0.03);
      expect(Math.abs(ball.speed[k] / (R * (R * R + 1) ** -0.75 * 0.95 ** -0.5) - 1)).toBeLessThan(0.02);
    }
    const curve = (await reportRotation(particles, 0, { ...view, ranges: [particles.components[0]], radius: 5 }))!;
    // The centre of mass is off by a little, which the innermost rings feel.
    for (const [k] of [...curve.radius.entries()].slice(4)) {
      expect(curve.rotation[k]).toBeCloseTo(2, 2);
      expect([curve.sigmaR[k], curve.sigmaZ[k], curve.height[k]].map((x) => Number(x.toFixed(2)))).toEqual([
        0.3, 0.1, 0.02,
      ]);
    }
  });

  it("of two galaxies is each about its own centre, with its name", async () => {
    const one = galaxy();
    const [disk, all] = [one.components[0].count, one.count];
    const two = {
      count: 2 * all,
      positions: Float64Array.from([...one.positions.map((x, k) => (k % 3 === 0 ? x - 3 : x)), ...one.positions]),
      velocities: Float32Array.from([...one.velocities.map((v, k) => (k % 3 === 1 ? v + 5 : v)), ...one.velocities]),
      masses: Float64Array.from([...one.masses, ...one.masses]),
      components: [0, all].flatMap((first, g) => [
        { name: `disk ${g}`, species: "disk" as const, first, count: disk },
        { name: `halo ${g}`, species: "halo" as const, first: first + disk, count: all - disk },
      ]),
    };
    // Stripped from the first, and flung away.
    for (let i = 0; i < disk; i += 10) two.positions[3 * i + 1] += 30;
    const scenario = fixtureScenario();
    const places = [{ offset: [-3, 0, 0], velocity: [0, 5, 0] }, { offset: [0, 0, 0] }];
    scenario.particles = two.components.map(({ name }, c) => ({
      ...scenario.particles[0],
      ...{ velocity: [0, 0, 0], ...places[Math.floor(c / 2)], name },
    })) as typeof scenario.particles;
    const on = reduced(two);
    const whole = await reportView(on, scenario);
    const views = await galaxyViews(on, scenario, whole);
    expect(views.map(({ shown, disk }) => [shown, disk])).toEqual([
      ["disk 0, halo 0", true],
      ["disk 1, halo 1", true],
    ]);
    for (const view of views) {
      const { density } = (await reportProfile(on, 0, { ...view, radius: 3.5 }))!;
      for (const value of density.slice(2)) expect(Math.abs(value * Math.PI * 16 - 1)).toBeLessThan(0.6);
      expect((await reportRotation(on, 0, { ...view, radius: 3.5 }))?.rotation.at(-1)).toBeCloseTo(1, 1);
    }
    // Galaxies by place alone, whose particles don't know that there are several.
    scenario.particles = scenario.particles.slice(2);
    expect(await galaxyViews(reduced({ ...two, components: two.components.slice(2) }), scenario, whole)).toEqual([]);
    const named = reportHtml({ ...(await data()), galaxies: [{ ...(await data()).galaxies![0], name: "intruder" }] });
    expect(named).toContain("Surface density: intruder");
    expect(named).toContain("Rotation curve: intruder");
  });

  it("has the units of the deck", () => {
    expect(unitLabels("nbody")).toEqual({ length: "", mass: "", velocity: "", time: "time units" });
    expect(unitLabels("galactic")).toMatchObject({ length: "kpc", time: "kpc/(km/s)", mass: "10¹⁰\u00a0M☉" });
    expect(unitLabels("galactic").years?.value).toBeCloseTo(0.97779, 5);
    expect(unitLabels("cosmological").years?.unit).toBe("Gyr/h");
    expect(unitLabels("cosmological", "comoving")).toMatchObject({ time: "" });
  });
});

async function data(): Promise<ReportData> {
  const particles = reduced(galaxy());
  const view = await reportView(particles, fixtureScenario());
  const vector = (): [number, number, number] => [0, 0, 0];
  const profile = (await reportProfile(particles, 0, view))!;
  const rotation = (await reportRotation(particles, 0, view))!;
  return {
    title: "Disk <script>alert(1)</script> & halo",
    reference: "Aubert, Amini & David 2009",
    expect: "Arms.",
    units: unitLabels("galactic"),
    boundary: "isolated",
    boxSize: 16,
    snapshots: await Promise.all(Array.from({ length: 20 }, (_, i) => reportSnapshot(particles, i, view))),
    shown: view.shown,
    diagnostics: [0, 1, 2].map((i) => ({
      time: i,
      step: 10 * i,
      kinetic: 1,
      potential: -2,
      total: -1,
      relativeEnergyError: -1e-4 * i,
      momentum: vector(),
      angularMomentum: vector(),
      centreOfMass: vector(),
      virialRatio: 1,
      outside: i,
      lagrangianRadii: [1, 2, 3, 4, 5, 6],
    })),
    totalMass: 1,
    galaxies: [
      {
        profile: { kind: "surface-density", first: profile, last: { ...profile, time: 2 } },
        rotation: { first: rotation, last: { ...rotation, time: 2 } },
      },
    ],
    stages: [
      { stage: "deposit", ms: 300, count: 20 },
      { stage: "interpolate", ms: 100, count: 20 },
      { stage: "idle", ms: 0, count: 0 },
    ],
    summary: {
      particles: 4000,
      cells: 64,
      steps: 20,
      wallSeconds: 200,
      particleUpdatesPerSecond: 2.5e6,
      backend: "webgpu",
      adapter: "llvmpipe",
    },
    deck: 'title = "<b>"\n',
    versions: { gravmesh: "0.1.0" },
  };
}

describe("report.html", async () => {
  const whole = await data();
  const html = reportHtml(whole);

  it("has a table of levels where there are any", () => {
    expect(html).not.toContain("core reaches");
    const level = {
      name: "<A>",
      around: "<A>",
      within: null,
      cells: 128,
      refinement: 4,
      h: 0.375,
      coreHalfWidth: 12.375,
    };
    const levels = [{ ...level, share: 0.25, followed: 0.875, bytes: 3 * 2 ** 20 }];
    const page = reportHtml({ ...whole, summary: { ...whole.summary, levels } });
    for (const text of ["&lt;A&gt;", "128³", "0.375", "12.4", "25 %", "87.5 %", "3.0 MiB"])
      expect(page).toContain(`>${text}<`);
  });

  it("stands alone: no script, no network, no unescaped text", () => {
    // Pictures may spell anything.
    const words = html.replace(/;base64,[\w+/=]+/g, "");
    expect(words).not.toMatch(/<script|https?:|url\(|@import|NaN|undefined/);
    for (const [, target] of html.matchAll(/(?:src|href)="([^"]*)"/g)) expect(target).toMatch(/^data:/);
    expect(html).toContain("Disk &lt;script&gt;alert(1)&lt;/script&gt; &amp; halo");
    expect(html).toContain("title = &quot;&lt;b&gt;&quot;");
    expect(html).toContain("prefers-color-scheme: dark");
  });

  it("holds the pictures, thinned to twelve with first and last, and every chart", () => {
    const captions = [...html.matchAll(/<figcaption><b>t\u00a0=\u00a0([^<]*)<\/b><\/figcaption>/g)].map((m) => m[1]);
    expect(captions).toHaveLength(12);
    expect(captions[0]).toBe("0\u00a0kpc/(km/s)");
    expect(captions[11]).toBe("19\u00a0kpc/(km/s)");
    // The other unit stands in brackets, where a reader wants it once.
    expect(html).toContain("(1.96\u00a0Gyr)");
    expect(html).toContain("Time [kpc/(km/s) = 0.978\u00a0Gyr]");
    expect(html.match(/<img /g)).toHaveLength(24);
    for (const title of [
      "Energy",
      "Momentum",
      "Virial ratio",
      "Lagrangian radii",
      "Surface density",
      "Rotation curve",
      "Time per stage",
    ]) {
      expect(html).toContain(`<b>${title}</b>`);
    }
    for (const text of [
      "2.5\u00a0M/s",
      "64³",
      "4\u202f000",
      "isolated, side 16\u00a0kpc",
      "largest 2\u202f×\u202f10⁻⁴",
      "15\u00a0ms · 75\u00a0%",
      "12 of 20 snapshots, evenly picked, to keep the page small; the result folder has them all.",
      "[km/s]",
      "[10¹⁰\u00a0M☉/kpc²]",
    ]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain("idle");
  });

  it("leaves out what a run does not have", () => {
    const { galaxies: _, ...rest } = whole;
    const bare = reportHtml({ ...rest, snapshots: [], diagnostics: [], stages: [], expect: "", reference: "" });
    expect(bare).not.toMatch(/<svg|<img|<h2|class="expect"|NaN|undefined/);
    expect(bare).toContain("4\u202f000");
  });
});
