// The built page in headless Chromium, on a server of its own, with a software GPU.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "dist/site");
/** As test/support/browser.ts has them. */
const FLAGS = [
  ...["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--enable-features=Vulkan"],
  ...["--use-angle=vulkan", "--use-vulkan=swiftshader", "--ignore-gpu-blocklist"],
];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

export async function openSite() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = join(site, path === "/" ? "index.html" : path);
    if (!file.startsWith(site) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { browser, url: `http://127.0.0.1:${server.address().port}/`, close };
}
