/**
 * AQUAL in float64 (Bekenstein & Milgrom 1984): ∇·[μ(|t|/a0) t] = 4πGρ, t = ∇φ − g_e, by the full approximation scheme (Brandt 1977;
 * Tiret & Combes 2007; Candlish, Smith & Fellhauer 2015) on cell-centred levels:
 *   relaxation    φ += ω (A(φ) − f)/D in four colours, as cells see those across faces and edges; D = Σ μ (1 + L t_n²/t²)/h², the
 *                 derivative of A by the cell's own φ, L = d ln μ/d ln x
 *   coarse level  A(φ_H) = A(Rφ) + R(f − A(φ)), R the mean of 8 cells;  φ += P(φ_H − Rφ), trilinear
 * QUMOND's potential is the first guess, so that a solve remembers nothing, and beyond an isolated mesh it is the boundary: both
 * equations have the same field far from a mass, and what they differ by in its quadrupole falls as r⁻ᵖ, by which the boundary
 * follows what is inside; in a dominating external field what the two differ by is added.
 */

import { boundaryDecay, boundaryDifference } from "../../../physics/mond/external-boundary.ts";
import { interpolatingFunctions } from "../../../physics/mond/interpolation.ts";
import {
  allLevelSizes,
  COARSEST_SWEEPS,
  leastX,
  type MultigridSettings,
  notConverged,
  OMEGA,
} from "../../mesh/mond/aqual-settings.ts";
import { forEachCell, massOf } from "./beyond-box.ts";
import { addInterpolated, forEachRow, setGhosts } from "./multigrid-levels.ts";
import type { QumondMesh, Refinement } from "./qumond.ts";

interface Level {
  /** Cells a side, h, and the words of a row with its ghosts. */
  n: number;
  h: number;
  pitch: number;
  /** [(n+2)³] potential, and what it was when it was restricted. */
  phi: Float64Array;
  old: Float64Array;
  source: Float64Array;
}

const COLOURS = 4;

export class Aqual implements Refinement {
  readonly held: number;
  readonly working = 0;
  /** Of the last solve, over the source's rms. */
  residuals: number[] = [];
  private readonly levels: Level[];
  private readonly wraps: boolean;
  private least = 0;
  /** Centre of mass [length], and with which power of the distance AQUAL's difference to QUMOND falls beyond the mesh. */
  private centre: readonly number[] = [];
  private decay = 0;

  constructor(
    private readonly mesh: QumondMesh,
    private readonly settings: MultigridSettings,
  ) {
    const { cells, boundary, boxSize } = mesh;
    this.wraps = boundary === "periodic";
    this.levels = allLevelSizes(cells).map((n) => {
      const words = (n + 2) ** 3;
      const [phi, old, source] = [0, 1, 2].map(() => new Float64Array(words));
      return { n, h: boxSize / n, pitch: n + 2, phi, old, source };
    });
    this.held = this.levels.reduce((sum, { phi }) => sum + 3 * 8 * phi.length, 0);
  }

  refine(density: Float64Array, guess: Float64Array): Float64Array {
    const { boxSize, G, mond } = this.mesh;
    const [finest] = this.levels;
    const { n } = finest;
    const mean = this.wraps ? density.reduce((sum, rho) => sum + rho, 0) / n ** 3 : 0;
    this.least = leastX(mond, G * massOf(density, n, finest.h).mass, boxSize);
    let square = 0;
    forEachCell(n, (i, x, y, z) => {
      const at = place(finest, x, y, z);
      finest.phi[at] = guess[i];
      finest.source[at] = 4 * Math.PI * G * (density[i] - mean);
      square += finest.source[at] ** 2;
    });
    if (square === 0) return guess;
    if (!this.wraps) this.setBoundary(density);
    const norm = Math.sqrt(square / n ** 3);
    const { tolerance, maxCycles } = this.settings;
    this.residuals = [];
    for (let cycle = 0; cycle < maxCycles; cycle++) {
      this.cycle(0);
      if (tolerance === 0) continue;
      this.residuals.push(this.residual(finest) / norm);
      if (this.residuals.at(-1)! <= tolerance) break;
    }
    if (tolerance > 0 && !(this.residuals.at(-1)! <= tolerance)) {
      throw notConverged(this.residuals, this.residuals.length, this.settings);
    }
    const result = new Float64Array(n ** 3);
    forEachCell(n, (i, x, y, z) => {
      result[i] = finest.phi[place(finest, x, y, z)];
    });
    return result;
  }

  /** Ghosts of the finest level: QUMOND's potential, carried on by a parabola, and what AQUAL has beside it. */
  private setBoundary(density: Float64Array): void {
    const [finest] = this.levels;
    const { phi, h, n } = finest;
    const { G, mond } = this.mesh;
    const { mass, centre } = massOf(density, n, h);
    const difference = boundaryDifference(mond, G * mass);
    forEachGhost(finest, (at, inner, outward, cell) => {
      phi[at] = 3 * phi[inner] - 3 * phi[inner - outward] + phi[inner - 2 * outward];
      phi[at] += difference(cell.map((i, axis) => (i + 0.5) * h - centre[axis]) as [number, number, number]);
    });
    finest.old.set(phi);
    this.centre = centre;
    this.decay = boundaryDecay(mond, G * mass, n * h);
  }

  private ghosts(level: Level): void {
    const { phi, old, n, h } = level;
    if (this.wraps) {
      setGhosts(phi, n);
      return;
    }
    const l = this.levels.indexOf(level);
    const wall = (2 ** l - 1) / (2 ** l + 1);
    const { decay, centre } = this;
    forEachGhost(level, (at, inner, _, cell) => {
      let square = 0;
      let outwards = 0;
      for (const [axis, i] of cell.entries()) {
        const step = i < 0 ? -1 : i === n ? 1 : 0;
        const between = (i - step / 2 + 0.5) * h - centre[axis];
        square += between ** 2;
        outwards += step * h * between;
      }
      // Straight in h, so that levels agree about it.
      const share = decay === 0 ? -wall : 1 - (decay * outwards) / square;
      phi[at] = old[at] + share * (phi[inner] - old[inner]);
    });
  }

  private cycle(l: number): void {
    const level = this.levels[l];
    const { presmooth, postsmooth } = this.settings;
    const coarse = this.levels[l + 1];
    if (!coarse) {
      this.relax(level, COARSEST_SWEEPS);
      return;
    }
    this.relax(level, presmooth);
    this.restrict(level, coarse);
    this.cycle(l + 1);
    this.prolong(coarse, level);
    this.relax(level, postsmooth);
  }

  private relax(level: Level, sweeps: number): void {
    const { n, phi, source } = level;
    for (let sweep = 0; sweep < sweeps; sweep++) {
      for (let colour = 0; colour < COLOURS; colour++) {
        this.ghosts(level);
        forEachRow(n, (row, y, z) => {
          if (((y + z) & 1) !== colour >> 1) return;
          for (let x = (colour + y) & 1; x < n; x += 2) {
            const { value, diagonal } = this.operator(level, row + x);
            phi[row + x] += (OMEGA * (value - source[row + x])) / diagonal;
          }
        });
      }
    }
  }

  /** A(φ) at a place, and D. */
  private operator(level: Level, at: number): { value: number; diagonal: number } {
    const { interpolation, a0, externalField } = this.mesh.mond;
    const { mu, muSlope } = interpolatingFunctions[interpolation];
    const { phi, h, pitch } = level;
    const steps = [1, pitch, pitch * pitch];
    let value = 0;
    let diagonal = 0;
    for (let axis = 0; axis < 3; axis++) {
      const a = steps[axis];
      const [b, c] = [steps[(axis + 1) % 3], steps[(axis + 2) % 3]];
      const [eb, ec] = [externalField[(axis + 1) % 3], externalField[(axis + 2) % 3]];
      for (const sign of [1, -1]) {
        const next = at + sign * a;
        const across = (sign * (phi[next] - phi[at])) / h - externalField[axis];
        const square =
          across * across + this.squareAlong(level, at, next, b, eb) + this.squareAlong(level, at, next, c, ec);
        const x = Math.max(Math.sqrt(square) / a0, this.least);
        const m = mu(x);
        value += (sign * m * across) / h;
        diagonal += (m * (1 + (muSlope(x) * across * across) / Math.max(square, (this.least * a0) ** 2))) / (h * h);
      }
    }
    return { value, diagonal };
  }

  /** Square of the component along a face between two places, of the four differences beside it: 2⟨d²⟩ − ⟨d⟩². */
  private squareAlong({ phi, h }: Level, here: number, there: number, step: number, external: number): number {
    let sum = 0;
    let squares = 0;
    for (const at of [here, there]) {
      const upper = (phi[at + step] - phi[at]) / h - external;
      const lower = (phi[at] - phi[at - step]) / h - external;
      sum += upper + lower;
      squares += upper * upper + lower * lower;
    }
    return squares / 2 - (sum / 4) ** 2;
  }

  private residual(level: Level): number {
    this.ghosts(level);
    let square = 0;
    forEachCell(level.n, (_, x, y, z) => {
      const at = place(level, x, y, z);
      square += (level.source[at] - this.operator(level, at).value) ** 2;
    });
    return Math.sqrt(square / level.n ** 3);
  }

  private restrict(fine: Level, coarse: Level): void {
    this.ghosts(fine);
    coarse.phi.fill(0);
    coarse.source.fill(0);
    forEachCell(fine.n, (_, x, y, z) => {
      const at = place(fine, x, y, z);
      const to = place(coarse, x >> 1, y >> 1, z >> 1);
      coarse.phi[to] += fine.phi[at] / 8;
      coarse.source[to] += (fine.source[at] - this.operator(fine, at).value) / 8;
    });
    const { phi } = coarse;
    if (this.wraps) this.ghosts(coarse);
    else {
      // A straight line through the finer ghosts, a quarter of a coarse cell outside, and what is a quarter inside.
      forEachGhost(coarse, (at, _, __, cell) => {
        phi[at] = 0;
        for (let k = 0; k < 8; k++) {
          const child = cell.map((i, axis) => (i < 0 ? -1 : i === coarse.n ? fine.n : 2 * i + ((k >> axis) & 1)));
          const near = child.map((i) => Math.min(Math.max(i, 0), fine.n - 1));
          const [ghost, inside] = [child, near].map(([x, y, z]) => fine.phi[place(fine, x, y, z)]);
          phi[at] += (1.5 * ghost - 0.5 * inside) / 8;
        }
      });
    }
    coarse.old.set(phi);
    forEachCell(coarse.n, (_, x, y, z) => {
      const at = place(coarse, x, y, z);
      coarse.source[at] += this.operator(coarse, at).value;
    });
  }

  private prolong(coarse: Level, fine: Level): void {
    this.ghosts(coarse);
    const change = coarse.phi.map((value, i) => value - coarse.old[i]);
    addInterpolated(change, fine.phi, fine.n);
  }
}

const place = ({ pitch }: Level, x: number, y: number, z: number) => ((z + 1) * pitch + y + 1) * pitch + x + 1;

/** Calls `use` with a ghost's place, that of the nearest cell, the step from there outwards, and its coordinates. */
function forEachGhost(
  level: Level,
  use: (at: number, inner: number, outward: number, cell: [number, number, number]) => void,
): void {
  const { n } = level;
  const clamp = (i: number) => Math.min(Math.max(i, 0), n - 1);
  for (let z = -1; z <= n; z++) {
    for (let y = -1; y <= n; y++) {
      const whole = z < 0 || z === n || y < 0 || y === n;
      for (let x = -1; x <= n; x += whole || x === n ? 1 : n + 1) {
        const at = place(level, x, y, z);
        const inner = place(level, clamp(x), clamp(y), clamp(z));
        use(at, inner, at - inner, [x, y, z]);
      }
    }
  }
}
