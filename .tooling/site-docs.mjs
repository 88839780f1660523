// The documentation as pages of the site: docs/*.md in dist/site/docs, README.md as the index. Formulas stay as they are written.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import markdownIt from "markdown-it";

const CSS = `body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink); }
a { color: var(--accent); } table { border-collapse: collapse; } td, th { border-bottom: 1px solid var(--hairline); padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--hairline); } code { font-size: .92em; }
`;

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const markdown = markdownIt();
const { rules } = markdown.renderer;
rules.heading_open = (tokens, i) => `<${tokens[i].tag} id="${slug(tokens[i + 1].content)}">`;
rules.image = (tokens, i) => `<i>${escaped(tokens[i].content)}</i>`;
const pageOf = (name) => `${name === "README" ? "index" : name}.html`;
// Pages of the documentation are linked as such; files elsewhere in the repository are no part of the site.
rules.link_open = (tokens, i, _options, _env, self) => {
  const address = tokens[i].attrGet("href");
  const page = /^([\w-]+)\.md(#.*)?$/.exec(address);
  if (page) tokens[i].attrSet("href", `${pageOf(page[1])}${page[2] ?? ""}`);
  else if (!/^(https?:|#)/.test(address)) tokens[i].attrs = [];
  return self.renderToken(tokens, i);
};

export const htmlOf = (text) => markdown.render(text.replace(/^<!--.*-->\n|<\/?kbd>/gm, ""));

export function writeDocs(root, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "docs.css"), CSS);
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const page = (title, body) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
    `<link rel="stylesheet" href="../colours.css"><link rel="stylesheet" href="docs.css"><body>${body}</body></html>\n`;
  for (const name of names) {
    const text = readFileSync(join(root, "docs", name), "utf8");
    const title = /^# (.*)/m.exec(text)?.[1] ?? name;
    const to = pageOf(name.replace(/\.md$/, ""));
    const back = to === "index.html" ? "" : `<p><a href="index.html">gravmesh: all pages</a></p>\n`;
    writeFileSync(join(folder, to), page(title, `${back}${htmlOf(text)}`));
  }
}
