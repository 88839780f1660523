/**
 * The deck's editor by CodeMirror: loaded when it is wanted. It lives in a shadow root, where its styles are adopted style
 * sheets: a page that forbids inline styles still shows them. Colours are the page's variables.
 */
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { DeckTable, StageProblem } from "../stage.ts";
import { keyAt, type Offer, offersAt } from "./completion.ts";

export type DeckEditor = ReturnType<typeof deckEditor>;

interface Options {
  parent: HTMLElement;
  text: string;
  label: string;
  vocabulary: Promise<readonly DeckTable[]>;
  /** `whole`: nothing of the earlier text is left. */
  changed: (text: string, whole: boolean) => void;
  /** Ctrl-Enter. */
  run: () => void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.keyword], color: "var(--ink)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--third)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--second)" },
  { tag: [tags.heading, tags.bracket, tags.squareBracket], color: "var(--accent)", fontWeight: "600" },
]);

const box = {
  background: "var(--panel)",
  color: "var(--ink)",
  border: "1px solid var(--hairline)",
  borderRadius: "4px",
};

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", background: "var(--page)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { background: "var(--page)", color: "var(--soft)", border: "none", opacity: ".8" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 4px", minWidth: "22px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { background: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--alarm) 1.5px",
    textUnderlineOffset: "3px",
  },
  ".cm-gutter-lint": { width: "18px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "2px" },
  ".cm-lint-marker-error": {
    ...{ content: "normal", width: "14px", height: "14px", borderRadius: "50%", background: "var(--alarm)" },
    ...{ color: "var(--page)", font: "700 11px/14px var(--sans)", textAlign: "center" },
  },
  ".cm-lint-marker-error::after": { content: "'!'" },
  ".cm-tooltip": { ...box, boxShadow: "0 2px 10px var(--shade)", maxWidth: "min(420px, 90vw)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--alarm)" },
  ".cm-diagnostic": { font: "13px/1.4 var(--sans)", padding: "5px 9px", whiteSpace: "pre-wrap" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", maxHeight: "15em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--page)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: ".75", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionInfo": { ...box, font: "13px/1.45 var(--sans)", padding: "6px 10px", maxWidth: "260px" },
  ".deck-meaning": { font: "13px/1.45 var(--sans)", padding: "6px 10px" },
});

const ICONS = { table: "namespace", key: "property", word: "constant" } as const;

function completion({ label, detail, meaning, apply, sort, goesOn }: Offer, place: number): Completion {
  return {
    label,
    ...(detail && { detail }),
    info: meaning,
    type: ICONS[sort],
    // In the vocabulary's order where the letters decide nothing; tables after keys.
    boost: (sort === "table" ? -50 : 0) - Math.min(49, place / 2),
    apply(view, _completion, from, to) {
      view.dispatch({
        changes: { from, to, insert: apply },
        selection: { anchor: from + apply.length },
        userEvent: "input.complete",
      });
      if (goesOn) startCompletion(view);
    },
  };
}

function completions(vocabulary: Options["vocabulary"]) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    const found = offersAt(text, context.pos, await vocabulary);
    if (!found || context.aborted) return null;
    // An empty line is no question, unless it is asked for by Ctrl-Space; a value is.
    const line = context.state.doc.lineAt(context.pos);
    if (!context.explicit && line.text.trim() === "") return null;
    return { from: found.from, to: found.to, options: found.offers.map(completion), validFor: /^["'[\]\w.-]*$/ };
  };
}

/** The meaning of a key, for those who rest on it. */
function meanings(vocabulary: Options["vocabulary"]) {
  return hoverTooltip(async (view, position): Promise<Tooltip | null> => {
    const key = keyAt(view.state.doc.toString(), position, await vocabulary);
    if (!key) return null;
    const { from } = view.state.doc.lineAt(position);
    const create = () => {
      const dom = document.createElement("div");
      dom.className = "deck-meaning";
      const words = key.values ? `: ${key.values.join(" | ")}` : "";
      dom.textContent = `${key.meaning}${key.unit ? ` [${key.unit}]` : ""}${words}`;
      return { dom };
    };
    return { pos: from, above: true, create };
  });
}

/** Problems that have a line, marked over its code. */
function diagnostics(state: EditorState, problems: readonly StageProblem[]): Diagnostic[] {
  return problems.flatMap(({ line: number, message, advice = [] }) => {
    if (number === undefined || number < 1 || number > state.doc.lines) return [];
    const line = state.doc.line(number);
    const code = line.text.replace(/\s+#.*$/, "").trimEnd().length;
    const from = line.from + (line.text.length - line.text.trimStart().length);
    const to = Math.max(line.from + code, Math.min(from + 1, line.to));
    return [{ from: Math.min(from, to), to, severity: "error", message: [message, ...advice].join("\n") }];
  });
}

export function deckEditor({ parent, text, label, vocabulary, changed, run }: Options) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open", delegatesFocus: true });
  const ran = () => {
    run();
    return true;
  };
  const keys = keymap.of([
    { key: "Mod-Enter", run: ran },
    // Nothing else is bound to Tab: it leaves the editor.
    { key: "Tab", run: acceptCompletion },
    ...[...completionKeymap, ...closeBracketsKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap],
  ]);
  const extensions: Extension[] = [
    ...[lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), bracketMatching()],
    ...[closeBrackets(), StreamLanguage.define(toml), syntaxHighlighting(COLOURS), THEME, keys],
    // Tab takes what is offered from its first moment on: a bit later it would have left the editor.
    autocompletion({ override: [completions(vocabulary)], icons: false, interactionDelay: 0 }),
    meanings(vocabulary),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of(({ docChanged, changes, startState, state }) => {
      if (!docChanged) return;
      let whole = false;
      changes.iterChangedRanges((from, to) => {
        whole ||= from === 0 && to === startState.doc.length;
      });
      changed(state.doc.toString(), whole);
    }),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  // Keys that are written here aren't the page's shortcuts.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  // Where errors appear below, the editor shrinks: the line that is being written stays in sight.
  const resized = new ResizeObserver(() => {
    if (view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
  });
  resized.observe(view.dom);
  return {
    /** Replaces what is there, if it is another; can be undone. */
    setText(next: string) {
      const { doc } = view.state;
      if (doc.toString() === next.replace(/\r\n?/g, "\n")) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: next }, scrollIntoView: false });
    },
    setProblems: (problems: readonly StageProblem[]) =>
      view.dispatch(setDiagnostics(view.state, diagnostics(view.state, problems))),
    /** Puts the cursor into a line, from 1, and the keyboard's focus with it. */
    goTo(number: number) {
      const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: "center" }),
      });
      view.focus();
    },
    destroy: () => {
      resized.disconnect();
      view.destroy();
    },
  };
}
