/** SwiftShader, Google's Vulkan on the CPU, as Chromium brings it along: a second implementation beside the machine's own. */
import { existsSync } from "node:fs";

const PLACES = ["/usr/lib/chromium", "/usr/lib64/chromium-browser", "/opt/google/chrome", "/opt/chromium.org/chromium"];

/** The Vulkan loader's description of it: that of GRAVMESH_SWIFTSHADER, or where a browser has it. */
export function swiftShaderDriver(): string | undefined {
  const asked = process.env.GRAVMESH_SWIFTSHADER;
  if (asked) {
    if (existsSync(asked)) return asked;
    throw new Error(`GRAVMESH_SWIFTSHADER: there is no file ${asked}`);
  }
  return PLACES.map((folder) => `${folder}/vk_swiftshader_icd.json`).find(existsSync);
}
