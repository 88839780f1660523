/** What an adapter says of itself. */
export interface AdapterSummary {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  /** True for a driver that runs on the CPU (lavapipe, SwiftShader, WARP). */
  software: boolean;
}

/** Its own name; in browsers that keep it to themselves, vendor and architecture, or whose adapter it is by `agent`. */
export function adapterName(
  { description, device, vendor, architecture, software }: AdapterSummary,
  agent = globalThis.navigator?.userAgent ?? "",
): string {
  const named = description || device || `${vendor} ${architecture}`.trim();
  if (named) return named;
  const browser = /(?:Firefox|Edg|Chrome|Deno)\/\d+/.exec(agent)?.[0].replace("/", " ") ?? "this browser";
  return `unnamed ${software ? "software " : ""}adapter of ${browser}`;
}
