/** The documentation as pages of the site: every page is there, and every link between pages leads to one. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
// @ts-expect-error: a script of the build, without types
import { htmlOf, writeDocs } from "../../.tooling/site-docs.mjs";
import { root } from "../support/cli.ts";

it("shows headings, tables, lists, code and links to other pages", () => {
  const html = htmlOf(
    "## A `b`\n\n| a | b |\n|---|---|\n| `x \\| y` | **<i>** |\n\n- one\n  more\n- [two](maps.md#c)\n",
  );
  expect(html).toContain('<h2 id="a-b">A <code>b</code></h2>');
  expect(html).toContain("<td><code>x | y</code></td>\n<td><strong>&lt;i&gt;</strong></td>");
  expect(html).toContain('<li>one\nmore</li>\n<li><a href="maps.html#c">two</a></li>');
});

it("has every page, in its index too, and links lead to pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-docs-"));
  try {
    writeDocs(root, folder);
    const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
    const index = readFileSync(join(folder, "index.html"), "utf8");
    for (const name of pages.filter((one) => one !== "README.md")) {
      const html = readFileSync(join(folder, name.replace(/md$/, "html")), "utf8");
      expect(index).toContain(`<li><a href="${name.replace(/md$/, "html")}">`);
      for (const [, to] of html.matchAll(/href="([\w-]+\.html)/g)) expect(existsSync(join(folder, to)), to).toBe(true);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
