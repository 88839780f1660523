/** The page at #doctor: checks in a worker, what it says meanwhile, and the JSON that is kept. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DoctorRecord } from "../../src/study/doctor/report.ts";
import { launchChromium, serve } from "../support/browser.ts";
import { root } from "../support/cli.ts";
import { PATIENCE, POLICY } from "../support/live-page.ts";

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the page at #doctor", () => {
  let browser: Browser;
  let server: Server | undefined;
  let page: Page;
  let url = "";
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    ({ url, server } = await serve(join(root, "dist/site"), { policy: POLICY }));
    page = await browser.newPage({ viewport: { width: 900, height: 700 }, colorScheme: "light" });
    page.on("pageerror", (error) => complaints.push(String(error)));
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const downloaded = async (name: string) => {
    const [file] = await Promise.all([
      page.waitForEvent("download", PATIENCE),
      page.getByRole("button", { name }).click(),
    ]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };

  it("checks, says what was left out, and hands over the same JSON and page as the command", async () => {
    await page.goto(`${url}/index.html#doctor?seconds=1`);
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByRole("progressbar").waitFor(PATIENCE);
    await page.locator(".doctor tbody tr", { hasText: "arithmetic" }).waitFor(PATIENCE);
    const verdict = page.locator(".doctor-verdict");
    await verdict.waitFor(PATIENCE);
    const json = await downloaded("Download the JSON");
    const record = JSON.parse(json.text) as DoctorRecord;
    expect(json.name).toBe("doctor.json");
    expect(record.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(record).toMatchObject({ format: "gravmesh-doctor", status: "complete", platform: { webgpu: "browser" } });
    expect(record.checks.length).toBeGreaterThan(0);
    expect(record.leftOut.length).toBeGreaterThan(0);
    expect(await verdict.textContent()).toMatch(/checks that were made passed.*left out/);
    const html = await downloaded("Download the page");
    expect(html.text).toContain("checks that were made passed");
    expect(complaints).toEqual([]);
    if (process.env.GRAVMESH_PICTURES) await page.screenshot({ path: `${process.env.GRAVMESH_PICTURES}/doctor.png` });
  });

  it("is reached from the gallery, and leads back to it", async () => {
    await page.goto(`${url}/index.html`);
    await page.getByRole("link", { name: "Check this adapter" }).click();
    await page.getByRole("button", { name: "Begin" }).waitFor(PATIENCE);
    await page.getByRole("link", { name: "To the gallery" }).click();
    await page.getByRole("heading", { name: "gravmesh", exact: true }).waitFor(PATIENCE);
    expect(complaints).toEqual([]);
  });
});
