/** What is measured on particles and drawn of them, and the random fields that cosmological boxes begin with. */

import { pseudoRandom } from "../../engine/direct/arithmetic.ts";
import { gpuDisplacements } from "../../engine/lpt/displacements.ts";
import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { displacementsInFloat64 } from "../../engine/reference/lpt/displacements.ts";
import { ReferencePipeline } from "../../engine/reference/mesh/pipeline.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { DisplacementRequest } from "../../physics/initial/model.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { reductionsOf } from "../../physics/particles/host-reductions.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { MapView, Reductions } from "../../physics/particles/reductions.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { haloesOf, spectrumOf } from "../../scenario/simulation/analysis.ts";
import type { HostParticles } from "../../studio/view/host-counts.ts";
import { HostRenderer } from "../../studio/view/host-renderer.ts";
import { Renderer } from "../../studio/view/renderer.ts";
import { UploadedScene } from "../../studio/view/uploaded-scene.ts";
import { type View, wholeBox } from "../../studio/view/view.ts";
import {
  BOX,
  type Check,
  close,
  IN_PIECES,
  LEAST_PIECE,
  nowhereFar,
  ofEach,
  onContext,
  same,
  someParticles,
} from "./check.ts";
import { meshSettings } from "./run-checks.ts";

/** Something asked of the particles on the GPU, and of those in float64. */
function onBoth<T>(
  gpu: GpuContext,
  { set, boundary, windows = {} }: { set: ParticleSet; boundary: Boundary; windows?: GpuContext["windows"] },
  ask: (backend: MeshPipeline | ReferencePipeline) => Promise<T>,
): Promise<[T, T]> {
  const settings = meshSettings({ boundary });
  return onContext(gpu, { windows }, (context) =>
    releasing(MeshPipeline.create(context, settings, set), async (pipeline): Promise<[T, T]> => {
      return [await ask(pipeline), await ask(await ReferencePipeline.create(settings, set))];
    }),
  );
}

const spectrum: Check = {
  name: "power spectrum",
  part: "diagnostics",
  twin: "float64 (engine/reference/diagnostics/power-spectrum.ts)",
  run: async (gpu) => {
    const set = someParticles("periodic", 3001);
    const [found, expected] = await onBoth(gpu, { set, boundary: "periodic" }, (backend) =>
      spectrumOf(backend, BOX, { cells: 32 }),
    );
    return [
      same("modes", found.modes, expected.modes),
      close("power", found.power, expected.power, 5e-6),
      close("shot noise", found.shotNoise, expected.shotNoise, 5e-6),
    ];
  },
};

/** Clumps over a thin field. */
function clumps(): ParticleSet {
  const set = someParticles("periodic", IN_PIECES);
  const random = pseudoRandom(3);
  const centres = Array.from({ length: 3 * 20 }, random);
  const positions = Float64Array.from(set.positions, (x, i) => {
    const particle = Math.floor(i / 3);
    if (particle % 3 === 0) return x;
    const place = centres[3 * (particle % 20) + (i % 3)] + 0.01 * (random() - 0.5);
    return (BOX * Math.round(2 ** 32 * (place - Math.floor(place)))) / 2 ** 32;
  });
  return { ...set, positions };
}

const haloes = (windows: GpuContext["windows"]): Check => ({
  name: `haloes by friends of friends${windows.particles ? ", of particles in pieces" : ""}`,
  part: "diagnostics",
  twin: "float64 with the same criterion in integers (engine/reference/diagnostics/friends-of-friends.ts)",
  run: async (gpu) => {
    const [found, expected] = await onBoth(gpu, { set: clumps(), boundary: "periodic", windows }, (backend) =>
      haloesOf(backend, BOX, { linking: 0.2, minimumMembers: 10 }),
    );
    return [
      same("labels of the haloes", found.ids, expected.ids),
      same("members", found.members, expected.members),
      close("masses", found.masses, expected.masses, 5e-6),
      close("positions", found.positions, expected.positions, 1e-6),
      close("velocities", found.velocities, expected.velocities, 1e-5),
      close("radii", found.rmsRadii, expected.rmsRadii, 1e-5),
    ];
  },
});

async function reduced(reductions: Reductions) {
  const centre = [0.52 * BOX, 0.49 * BOX, 0.5 * BOX] as const;
  const views: MapView[] = [
    { axis: "z", centre: [BOX / 2, BOX / 2, BOX / 2], span: BOX, width: 32, height: 32 },
    { axis: "x", centre, span: 0.4 * BOX, width: 24, height: 16 },
  ];
  const ranges = [{ first: 100, count: 1500 }];
  const edges = [0, 0.1, 0.2, 0.4, 0.8, 1.2];
  const about = { centre, flat: false };
  const rings = await reductions.rings({ centre, velocity: [0, 0.01, 0], edges, accelerations: true });
  const waves = await reductions.waves({ centre, edges });
  const multipoles = await reductions.multipoles({ centre, edges });
  const [motion] = await reductions.velocityMaps([views[0]], [0, 0, 0.02]);
  const whole = await reductions.centre();
  return {
    "masses of maps": (await reductions.maps(views)).flatMap((map) => [...map]),
    "masses of a map of some": (await reductions.maps([views[0]], ranges)).flatMap((map) => [...map]),
    centres: [...whole.centre, ...(await reductions.centre(ranges, { centre, radius: 0.5 })).centre],
    "mean velocities": [...(await reductions.meanVelocity(ranges))],
    radii: [await reductions.radius(0.5, about), await reductions.radius(0.9, { ...about, flat: true }, ranges)],
    "masses of shells": (await reductions.shells(edges, about)).mass,
    "velocities in rings": [...rings.velocity.radial, ...rings.velocity.azimuthal, ...rings.square.vertical],
    "accelerations in rings": rings.inward ?? [],
    "waves in rings": [...waves.cosine.flat(), ...waves.sine.flat(), ...waves.squaredHeight],
    "multipoles of shells": multipoles.terms.flat(),
    "mean velocities of a map": Array.from(motion.mean, (value) => (Number.isNaN(value) ? 0 : value)),
  };
}

const reductions = (boundary: Boundary): Check => ({
  name: `maps, centres, radii and profiles, ${boundary}`,
  part: "diagnostics",
  twin: "float64 over the same particles (physics/particles/host-reductions.ts)",
  run: (gpu) =>
    releasing(MeshPipeline.create(gpu, meshSettings({ boundary }), someParticles(boundary, 3001)), async (pipeline) => {
      const held = await pipeline.readParticles({ accelerations: true });
      const particles = { ...held, velocities: Float32Array.from(held.velocities) };
      const host = reductionsOf(particles, { size: BOX, boundary });
      const [found, expected] = [await reduced(pipeline.reductions()), await reduced(host)];
      const names = Object.keys(found) as (keyof typeof found)[];
      return names.map((name) => nowhereFar(name, found[name], expected[name], 1e-5));
    }),
});

const displacements = (order: 1 | 2): Check => ({
  name: `random displacements, order ${order}`,
  part: "initial conditions",
  twin: "float64 with the same random numbers (engine/reference/lpt/displacements.ts)",
  run: async (gpu) => {
    const request: DisplacementRequest = {
      ...{ perSide: 16, boxSize: 100, seed: 12_345_678_901, order, fixedAmplitudes: false, opposite: false },
      power: (k) => (2e4 * k) / (1 + (k / 0.02) ** 2) ** 1.3,
      local: order === 2 ? { fNL: 0.1, response: (k) => 10 * k ** 2 } : undefined,
    };
    const fields = [await gpuDisplacements(gpu)(request), await displacementsInFloat64(request)];
    const [found, expected] = await Promise.all(fields.map((one) => one.read(0, request.perSide)));
    for (const one of fields) one.destroy?.();
    return [
      close("first order", found.first, expected.first, 2e-6),
      ...(order === 2 ? [close("second order", found.second!, expected.second!, 2e-6)] : []),
    ];
  },
});

/** Particles about the middle, as pictures take them. */
function scene(periodic: boolean): HostParticles {
  const random = pseudoRandom(periodic ? 5 : 6);
  const count = 6000;
  return {
    ...{ boxSize: BOX, periodic },
    components: [
      { name: "halo", species: "halo", first: 0, count: count / 2 },
      { name: "disk", species: "disk", first: count / 2, count: count / 2 },
    ],
    weights: new ParticleMasses([
      { first: 0, count: count / 2, mass: 4 },
      { first: count / 2, count: count / 2, mass: periodic ? 4 : Float64Array.from({ length: count / 2 }, random) },
    ]),
    positions: Uint32Array.from({ length: 3 * count }, () => 2 ** 32 * (0.5 + (random() - 0.5) * random() ** 2)),
    velocities: Float32Array.from({ length: 3 * count }, () => 300 * (random() - 0.5)),
    ...(!periodic && { images: Uint32Array.from({ length: count }, () => 0) }),
  };
}

const pictures = (periodic: boolean): Check => ({
  name: `pictures, ${periodic ? "periodic" : "isolated"}`,
  part: "view",
  twin: "counts in integers and colours in float64 on the host (studio/view/host-renderer.ts)",
  run: async (gpu) => {
    const particles = scene(periodic);
    const face = wholeBox(BOX);
    const turned = { ...face.camera, azimuth: 30, elevation: 20, span: 0.5 * BOX };
    const views: Record<string, Partial<View>> = {
      density: {},
      species: { quantity: "species", camera: turned },
      velocity: { quantity: "velocity" },
      dispersion: { quantity: "dispersion", smoothing: 2 },
      linear: { stretch: "linear", smoothing: 0 },
      "few particles": { hidden: ["halo"], every: 31 },
    };
    const size = { width: 75, height: 50 };
    return releasing(UploadedScene.create(gpu, particles), (uploaded) =>
      releasing(Renderer.create(gpu), (renderer) => {
        const host = new HostRenderer();
        renderer.show(uploaded);
        host.show(particles);
        return ofEach(Object.entries(views), async ([name, change]) => {
          const view: View = { ...face, ...change };
          const [picture, twin] = [await renderer.picture(view, size), await host.picture(view, size)];
          const [grid, counted] = [await renderer.counts(), await host.counts()];
          const off = picture.rgba.filter((byte, i) => Math.abs(byte - twin.rgba[i]) > 2);
          return [
            same(`counts, ${name}`, grid!.counts, counted!.counts),
            same(`colours more than 2 of 255 off, ${name}`, off, []),
          ];
        });
      }),
    );
  },
});

export const analysisChecks: readonly Check[] = [
  spectrum,
  haloes({}),
  haloes({ particles: LEAST_PIECE }),
  reductions("isolated"),
  reductions("periodic"),
  displacements(1),
  displacements(2),
  pictures(true),
  pictures(false),
];
