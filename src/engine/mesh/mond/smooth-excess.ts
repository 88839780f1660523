/** What the linear solvers make of smooth sources, which modified gravity corrects its reference by. */
import type { SmoothExcess } from "../../../physics/mond/reference-field.ts";
import { multigridPresets } from "../multigrid/multigrid-settings.ts";
import type { PipelineSettings } from "../settings.ts";

/** What the solver of these settings makes of smooth isolated sources: a transform by its kernel, others by their Laplacian. */
export function smoothExcess({ mesh, multigrid }: Pick<PipelineSettings, "mesh" | "multigrid">): SmoothExcess {
  const { order } = multigrid ?? multigridPresets.default;
  if (mesh.poisson === "fft") return mesh.kernel === "truncated" ? "none" : "cellMean";
  return order === 2 ? "laplacian7" : "none";
}
