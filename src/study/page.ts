/** The page of a study: key numbers, what came out in sentences, what to know, sections, what it was made with. */
import { inShort, remarks, type Tile, tiles } from "../run/page/html.ts";
import type { Markup } from "../run/page/markup.ts";
import { type Page, pageHtml } from "../run/page/shell.ts";

export interface StudyPage extends Omit<Page, "parts"> {
  numbers: readonly Tile[];
  sentences?: Parameters<typeof inShort>[0];
  toKnow?: readonly string[];
  /** Those without content are left out. */
  sections: readonly Markup[];
}

export const studyHtml = ({ numbers, sentences = [], toKnow = [], sections, ...page }: StudyPage): string =>
  pageHtml({ ...page, parts: [tiles(numbers), inShort(sentences), remarks(toKnow), ...sections] });
