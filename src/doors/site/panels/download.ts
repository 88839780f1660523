/** Files that the page makes: their names, and the browser's own way of keeping them. */

/** "Milky Way, Q = 1.4" → "milky-way-q-1.4"; "gravmesh" where nothing of it is left. */
export function fileName(title: string, ending: string): string {
  const plain = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return `${plain.slice(0, 60) || "gravmesh"}${ending}`;
}

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after this; a minute is enough, and it isn't kept for ever.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
