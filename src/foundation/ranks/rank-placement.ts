/** Where a rank sits: what tells which ranks share a device, and who is to solve for whom. */
import { GravmeshError } from "../base/errors.ts";

/** `auto`: one of those that share a device solves for them; `each` and `one`: whatever they share. */
export const SOLVER_WISHES = ["auto", "each", "one"] as const;
export type SolverWish = (typeof SOLVER_WISHES)[number];

export interface RankPlacement {
  host: string;
  /** Cores that the process may use, as the system writes them; ranks with the same ones share a software adapter's device. */
  cores: string;
  /** GPUs that it may open: two ranks with the same ones take the same, since a process can't choose among those of a kind. */
  devices: string;
  /** That of rank 0 counts. */
  solvers: SolverWish;
}

export const THIS_PLACEMENT: RankPlacement = { host: "", cores: "", devices: "", solvers: "auto" };

/** The wish in GRAVMESH_SOLVERS. Throws "usage". */
export function solverWish(text: string | undefined): SolverWish {
  const wish = SOLVER_WISHES.find((one) => one === (text || "auto"));
  if (wish) return wish;
  throw new GravmeshError("usage", `GRAVMESH_SOLVERS: expected one of ${SOLVER_WISHES.join(", ")}, found "${text}"`);
}
