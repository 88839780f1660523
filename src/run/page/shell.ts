/** The shell of every page: one self-contained HTML document without scripts, with SVG charts and one style. */
import { html, type Markup, STATIC_POLICY } from "./markup.ts";
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
  parts: readonly Markup[];
  /** "gravmesh 0.1.0", … for the foot. */
  versions: readonly string[];
}

export function pageHtml({ title, heading, lead, reference, expect, parts, versions }: Page): string {
  const paragraph = (kind: string, text = "") => text.trim() !== "" && html`<p class="${kind}">${text.trim()}</p>\n`;
  const headed = html`<header>
<h1>${heading}</h1>
${paragraph("lead", lead)}${paragraph("reference", reference)}${paragraph("expect", expect)}</header>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${STATIC_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
${html`<title>${title ?? heading}</title>`}
<link rel="icon" href="data:,">
<style>${PAGE_CSS}</style>
</head>
<body>
<main>
${headed}
${parts.filter((part) => !part.isEmpty).join("\n")}
${html`<footer>${versions.join(" · ")}</footer>`}
</main>
</body>
</html>
`;
}
