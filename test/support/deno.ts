/** Where Deno is, which has wgpu and naga. Fetched from npm for the tests alone; GRAVMESH_DENO names another. */
import { join } from "node:path";

/** Where it is fetched to, within the project. */
export const DENO_FOLDER = "node_modules/.cache/gravmesh-deno";
/** wgpu would take OpenGL where there is no Vulkan. */
export const DENO_ENVIRONMENT: Record<string, string> =
  process.platform === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", DENO_NO_UPDATE_CHECK: "1" } : {};

/** The program, which may be missing. */
export function denoProgram(root: string): string {
  const name = process.platform === "win32" ? "deno.exe" : "deno";
  return process.env.GRAVMESH_DENO ?? join(root, DENO_FOLDER, "node_modules/deno", name);
}
