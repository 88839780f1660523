/** Where there is no WebGPU: why, and what to switch on. */
import type { Store } from "./store.ts";

export function NoWebGpu({ store }: { store: Store }) {
  const ability = store.page.ability.value;
  if (!ability || ability.webgpu) return null;
  return (
    <div class="notice" role="status">
      <h2>No WebGPU in this browser</h2>
      <p>{ability.why}</p>
      <p>Until then the runs below start small, on the CPU: 32³ cells and some thousand particles.</p>
    </div>
  );
}
