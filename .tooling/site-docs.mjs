// The documentation as pages of the site: docs/*.md in dist/site/docs. Formulas stay as they are written.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** Pages of the documentation are linked as such; files elsewhere in the repository are no part of the site. */
function linked(text, address) {
  const page = /^([\w-]+)\.md(#.*)?$/.exec(address);
  if (page) return `<a href="${page[1]}.html${page[2] ?? ""}">${text}</a>`;
  return /^(https?:|#)/.test(address) ? `<a href="${address}">${text}</a>` : text;
}

function inline(text) {
  const codes = [];
  const kept = text.replace(
    /(`+)([^`]+)\1/g,
    (_, __, code) => `\0${codes.push(`<code>${escaped(code)}</code>`) - 1}\0`,
  );
  return escaped(kept.replace(/<\/?kbd>/g, ""))
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "<i>$1</i>")
    .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
    .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "<i>$1</i>")
    .replace(/\[((?:[^\]]|\](?!\())+)\]\(([^)]*)\)/g, (_, label, address) => linked(label, address))
    .replace(/\0(\d+)\0/g, (_, k) => codes[k]);
}

const cells = (line, tag) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => `<${tag}>${inline(cell.trim().replaceAll("\\|", "|"))}</${tag}>`)
    .join("");

export function htmlOf(markdown) {
  const lines = markdown.split("\n").filter((line) => !line.startsWith("<!--"));
  const out = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    const taken = (of) => {
      const from = i;
      while (i < lines.length && of(lines[i])) i++;
      return lines.slice(from, i);
    };
    const heading = /^(#+) (.*)/.exec(line);
    const item = /^\s*(?:[-*]|\d+\.) /;
    if (line.startsWith("```")) {
      i++;
      out.push(`<pre>${escaped(taken((one) => !one.startsWith("```")).join("\n"))}</pre>`);
      i++;
    } else if (heading) {
      out.push(`<h${heading[1].length} id="${slug(heading[2])}">${inline(heading[2])}</h${heading[1].length}>`);
      i++;
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = taken((one) => one.startsWith("|"));
      out.push(
        `<table><tr>${cells(head, "th")}</tr>${rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")}</table>`,
      );
    } else if (item.test(line)) {
      const items = taken((one) => item.test(one) || /^\s+\S/.test(one))
        .join("\n")
        .split(/\n(?=\s*(?:[-*]|\d+\.) )/);
      out.push(`<ul>${items.map((one) => `<li>${inline(one.replace(item, ""))}</li>`).join("")}</ul>`);
    } else if (line.trim() === "") i++;
    else out.push(`<p>${inline(taken((one) => one.trim() !== "" && !/^(#|\||```)/.test(one)).join("\n"))}</p>`);
  }
  return out.join("\n");
}

/** Begins with an index of the pages, in the order of their names. */
export function writeDocs(root, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "docs.css"), CSS);
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const page = (title, body) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
    `<link rel="stylesheet" href="../colours.css"><link rel="stylesheet" href="docs.css"><body>${body}</body></html>\n`;
  const entries = names.map((name) => {
    const text = readFileSync(join(root, "docs", name), "utf8");
    const title = /^# (.*)/m.exec(text)?.[1] ?? name;
    const to = name.replace(/md$/, "html");
    writeFileSync(
      join(folder, to),
      page(title, `<p><a href="index.html">gravmesh: all pages</a></p>\n${htmlOf(text)}`),
    );
    return `<li><a href="${to}">${escaped(title)}</a></li>`;
  });
  writeFileSync(
    join(folder, "index.html"),
    page("gravmesh: documentation", `<h1>gravmesh: documentation</h1><ul>${entries.join("\n")}</ul>`),
  );
}
