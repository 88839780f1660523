/** What the shapes of the deposit have in common: recorded into a batch, they leave the mass in field and high. */
import type { Batch } from "../gpu/batch.ts";
import type { WgslConstants } from "../gpu/compose.ts";
import { massConstants } from "../particles/buffers.ts";
import type { MeshSettings } from "./settings.ts";
import { type MeshStage, meshConstants } from "./stage.ts";

export type AtomicShapeName = "direct" | "runs-8" | "runs-128";

/** What a deposit works on. */
export type DepositStage = Omit<MeshStage, "settings"> & { settings: MeshSettings };

export interface DepositShape {
  readonly name: "rows" | AtomicShapeName;
  /** Records the deposit of the current half of the particles. */
  encode(batch: Batch): void;
  destroy?(): void;
}

/** Constants of the deposit's kernels. */
export function depositConstants(stage: DepositStage): WgslConstants {
  return { ...meshConstants(stage, stage.settings), ...massConstants(stage.particles) };
}
