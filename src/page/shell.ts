/** The shell of every page: one self-contained HTML document without scripts, with SVG charts and one style. */
import { escapeHtml } from "./escape.ts";
import { PAGE_CSS } from "./style.ts";

export interface Page {
  /** The title of the browser's tab; the heading where left out. */
  title?: string;
  heading: string;
  lead?: string;
  /** Where it comes from; nothing is shown of empty text. */
  reference?: string;
  /** The deck's own expectation, in the words of scenario/expectation.ts. */
  expect?: string;
  parts: readonly string[];
  /** "gravmesh 0.1.0", … for the foot. */
  versions: readonly string[];
}

export function pageHtml({ title, heading, lead, reference, expect, parts, versions }: Page): string {
  const paragraph = (kind: string, text = "") =>
    text.trim() === "" ? [] : [`<p class="${kind}">${escapeHtml(text.trim())}</p>`];
  const header = [
    `<h1>${escapeHtml(heading)}</h1>`,
    ...[...paragraph("lead", lead), ...paragraph("reference", reference), ...paragraph("expect", expect)],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
<title>${escapeHtml(title ?? heading)}</title>
<link rel="icon" href="data:,">
<style>${PAGE_CSS}</style>
</head>
<body>
<main>
<header>
${header.join("\n")}
</header>
${parts.filter((part) => part !== "").join("\n")}
<footer>${versions.map(escapeHtml).join(" · ")}</footer>
</main>
</body>
</html>
`;
}
