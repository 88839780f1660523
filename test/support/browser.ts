/** Headless Chromium with WebGPU, and a server for the project's files on localhost. */
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { PATIENCE_MS } from "./patience.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** With these, compute and canvas both work without a GPU (SwiftShader). */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-angle=vulkan",
  "--use-vulkan=swiftshader",
  "--ignore-gpu-blocklist",
];
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".json": "application/json",
  ".map": "application/json",
};

/** Of these, what a browser has to do with WebGPU. */
const WEBGPU_FLAGS = ["--enable-unsafe-webgpu", "--enable-features=Vulkan"];

/** Fails, rather than skips, where there is no Chromium. `webgpu`: whether it has that. */
export async function launchChromium({ webgpu = true } = {}): Promise<Browser> {
  const executablePath = process.env.GRAVMESH_CHROMIUM ?? PLACES.find(existsSync);
  if (!executablePath) {
    throw new Error(
      `no Chromium at ${PLACES.join(", ")}: sudo apt-get install -y chromium, or name one in GRAVMESH_CHROMIUM, ` +
        "or leave the browser test out with GRAVMESH_NO_BROWSER=1",
    );
  }
  const args = FLAGS.filter((flag) => webgpu || !WEBGPU_FLAGS.includes(flag));
  const browser = await chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
  return browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
}

export interface ServeOptions {
  /** Path that the folder is under: "/some/where"; everything else isn't found. */
  under?: string;
  /** Content-Security-Policy of every answer. */
  policy?: string;
}

/** Serves `folder` on a free port of localhost; `url` is that of the folder, without a slash at its end. */
export async function serve(
  folder: string,
  { under = "", policy }: ServeOptions = {},
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    const inside = path.slice(under.length);
    const file = join(folder, inside === "/" && under !== "" ? "index.html" : inside);
    if (!path.startsWith(`${under}/`) || !file.startsWith(folder) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      ...(policy ? { "content-security-policy": policy } : {}),
    });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${under}`, server };
}
