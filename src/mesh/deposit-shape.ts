/** What the shapes of the deposit have in common: recorded into a batch, they leave the mass in field and high. */
import type { Batch } from "../gpu/batch.ts";
import type { WgslConstants } from "../gpu/compose.ts";
import { massConstants } from "../particles/buffers.ts";
import { type MeshStage, meshConstants } from "./field.ts";
import type { MeshSettings } from "./settings.ts";

export type AtomicShapeName = "direct" | "bounded" | "runs-8" | "runs-128";

/** What a deposit works on. */
export type DepositStage = Omit<MeshStage, "settings"> & { settings: MeshSettings };

/** The deposit of particles that have moved since they were ordered. */
export interface DriftedDeposit {
  /** Compiles what only this needs, the first time. */
  prepare(): Promise<void>;
  encode(batch: Batch): void;
}

export interface DepositShape {
  readonly name: "rows" | "tiles" | AtomicShapeName;
  /** Records the deposit of the current half of the particles, in cell order. */
  encode(batch: Batch): void;
  /** Undefined where particles must be ordered anew. */
  readonly drifted?: DriftedDeposit | undefined;
  destroy?(): void;
}

/** Constants of the deposit's kernels. */
export function depositConstants({ settings, particles }: DepositStage): WgslConstants {
  return { ...meshConstants(settings, particles.boundary), ...massConstants(particles) };
}
