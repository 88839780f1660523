/**
 * Deposit by tiles, for GPUs: a workgroup sums the particles of a block of cells in workgroup memory (deposit-tiles.wgsl).
 * NGP has no use for it: its cells share nothing.
 */

import cicParticle from "../../wgsl/mesh/deposit-particle-cic.wgsl";
import tscParticle from "../../wgsl/mesh/deposit-particle-tsc.wgsl";
import tilesKernel from "../../wgsl/mesh/deposit-tiles.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { sectionSource } from "../particles/sections.ts";
import { type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";

/** Cells of a block along y and z. With TSC's reach and 16 along x its sums take 14 400 of 16 384 bytes. */
const TILE = 8;
/** Along x, where memory is contiguous; the largest that divides the side. */
const TILES_X = [16, 8];

export async function tileDeposit(stage: DepositStage): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const { cells, assignment } = settings;
  if (assignment === "ngp") throw new Error("there is no deposit by tiles for NGP");
  const tileX = TILES_X.find((size) => cells % size === 0)!;
  const kernel = await gpu.kernel({
    label: `deposit/tiles ${assignment}`,
    sources: [sectionSource(false), tilesKernel, assignment === "cic" ? cicParticle : tscParticle],
    entry: "deposit",
    constants: { ...depositConstants(stage), TILE_X: tileX, TILE, GHOSTS: 0 },
  });
  const bound = particles.eachHalf(({ positions, ids, massUnits }) =>
    kernel.bind(positions, ids, massUnits, mesh.field, mesh.high, mesh.cellStart),
  );
  const groups = workgroups(cells ** 3 / (tileX * TILE ** 2), 1);
  return {
    name: "tiles",
    encode: (batch) => batch.clear(mesh.field).clear(mesh.high).dispatch(bound[particles.current], groups),
  };
}
