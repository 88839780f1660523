/**
 * Headless Firefox with WebGPU on whatever adapter there is, driven by WebDriver BiDi. `npm run test:adapters` runs tests in
 * it; GRAVMESH_FIREFOX is its program.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, firefox } from "playwright-core";

/** Firefox for Linux needs both: without the first there is no `navigator.gpu`, without the second no software adapter. */
const PREFERENCES = { "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true };

/** Fails, rather than skips, where there is no Firefox. */
export async function launchFirefox(): Promise<{ browser: Browser; context: BrowserContext }> {
  const executablePath = process.env.GRAVMESH_FIREFOX ?? "";
  if (!existsSync(executablePath)) {
    throw new Error(`GRAVMESH_FIREFOX: there is no ${executablePath}; sudo apt-get install -y firefox-esr`);
  }
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath, firefoxUserPrefs: PREFERENCES });
  return { browser, context: await browser.newContext({ viewport: { width: 900, height: 700 } }) };
}
