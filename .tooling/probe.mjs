// Prints the WebGPU adapter's name as JSON, or null. Runs as a child process: a driver may crash or hang.
import { create } from "webgpu";

const gpu = create([]);
const adapter = await gpu.requestAdapter();
console.log(JSON.stringify(adapter ? adapter.info.description || adapter.info.device || "unnamed" : null));
void gpu; // Dawn's instance has to outlive the adapter
