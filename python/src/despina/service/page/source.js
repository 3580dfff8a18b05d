/**
 * The text of a graph in CodeMirror, which is loaded with this module alone. It stands in a shadow root: the styles that it makes
 * are sheets of that root then, which the rules of the page let pass, as they let no style pass that stands in the page.
 */

import {
  EditorState, EditorView, HighlightStyle, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap,
  drawSelection, foldGutter, foldKeymap, highlightActiveLine, highlightSelectionMatches, history, historyKeymap, indentOnInput, json, keymap,
  lineNumbers, lintGutter, lintKeymap, searchKeymap, setDiagnostics, syntaxHighlighting, tags,
} from "./vendor/codemirror.js";
import { complete } from "./complete.js";

const AHEAD = 200;
const MEANT = /did you mean `([^`]+)`\?/;
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--line-1)" }, { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--line-2)" }]);
const LOOKS = EditorView.theme({
  "&": { height: "var(--height, 74vh)", background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--rule)", borderRadius: "8px" },
  ".cm-scroller": { font: "12px/18px ui-monospace, monospace" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--paper)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine": { background: "transparent" },
  "&.cm-focused .cm-activeLine": { background: "color-mix(in srgb, var(--mark) 35%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--mark) !important" },
  ".cm-tooltip, .cm-panels": { background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--rule)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--mark)", color: "var(--ink)" },
  // CodeMirror's own marks are images that stand in its styles, which the rules of the page forbid
  ".cm-lintRange": { backgroundImage: "none" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warn)" },
  ".cm-lint-marker": { content: "normal" },
  ".cm-lint-marker-error": { background: "var(--bad)", borderRadius: "50%" },
  ".cm-lint-marker-warning": { background: "var(--warn)", borderRadius: "2px" },
});

/** What the editor asks and tells: its `label`, `typed(text)`, the `schema()` of what is completed or null, `operators()` that the text has. */
export class Source {
  constructor(box, text, asks) {
    this.asks = asks;
    const root = box.shadowRoot ?? box.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: EditorState.create({ doc: text, extensions: [
      lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
      autocompletion({ override: [(context) => this.completions(context)], icons: false }), highlightActiveLine(), highlightSelectionMatches(),
      json(), syntaxHighlighting(COLOURS), LOOKS, EditorState.tabSize.of(2),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ "aria-label": asks.label, spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => { if (update.docChanged) asks.typed(update.state.doc.toString()); })] }) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Puts another text in its place, which can be undone. */
  set(text) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Marks the places that check names, and offers to write what it says was meant. */
  mark(diagnostics) {
    const found = diagnostics.filter((each) => each.line > 0 && each.line <= this.view.state.doc.lines).map((each) => {
      const [from, to] = this.token(each.line, each.column);
      return { from, to, severity: each.severity, source: each.rule, message: each.hint ? `${each.message} – ${each.hint}` : each.message,
        actions: this.actions(each, this.view.state.doc.sliceString(from, to)) };
    });
    this.view.dispatch(setDiagnostics(this.view.state, found.sort((one, other) => one.from - other.from)));
  }

  /** What stands at a place: a string with its quotation marks, a word, or one sign. */
  token(line, column) {
    const at = this.view.state.doc.line(line);
    const from = Math.min(at.to, at.from + Math.max(0, column - 1));
    const found = /^(?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.+-]+|.)?/.exec(at.text.slice(from - at.from))[0];
    return [from, from + found.length];
  }

  actions({ message, hint }, token) {
    const meant = MEANT.exec(hint)?.[1];
    const written = token.startsWith('"') ? token.slice(1, -1) : "";
    if (!meant || !written || !message.includes(`\`${written}\``)) return [];
    return [{ name: `Write ${meant}`, apply: (view, from, to) => view.dispatch({ changes: { from: from + 1, to: to - 1, insert: meant } }) }];
  }

  go(line, column) {
    const at = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    const place = Math.min(at.to, at.from + Math.max(0, column - 1));
    this.view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
    this.view.focus();
  }

  completions({ state, pos, explicit }) {
    const schema = this.asks.schema();
    if (!schema) return null;
    const { from, found } = complete(schema, state.doc.sliceString(0, pos), this.asks.operators());
    if (!found.length || (!explicit && from === pos)) return null;
    const behind = state.doc.sliceString(pos, pos + AHEAD);
    const isOpen = state.doc.sliceString(from, from + 1) === '"' && from < pos;
    const to = isOpen && behind.startsWith('"') ? pos + 1 : pos;
    const isNamed = /^"?\s*:/.test(behind);
    return { from, to, options: found.map((each) => ({
      label: each.text.replace(/: $/, ""), type: each.kind, info: each.says || undefined, boost: each.first ? 1 : 0,
      apply: isNamed ? each.text.replace(/: $/, "") : each.text })) };
  }

  close() {
    this.view.destroy();
  }
}
