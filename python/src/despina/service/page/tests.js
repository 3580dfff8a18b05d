/** The files of tests beside a graph: written, kept with it, and run by the service on the graph as it is written here. */

import { html, useMemo, useRef, useState } from "./vendor/htm-preact.js";
import { ask } from "./service.js";

export const TESTS = ".test.json";
const LINES = { "-": "went", "+": "came" };
const NOTHING = { of: null, cases: [], diagnostics: [], problem: "", runs: false };
const begin = (file) => `{
  "graph": "${file}.graph.json",
  "cases": [
    {
      "name": "one row passes",
      "inputs": {"source": [{"n": 1}]},
      "expect": {"sink": [{"n": 1}]}
    }
  ]
}
`;

/** What came of the tests: of which text, by case. */
function useTests(text, file) {
  const [told, setTold] = useState(NOTHING);
  const run = () => {
    setTold((before) => ({ ...before, problem: "", runs: true }));
    ask("/test", { method: "POST", body: JSON.stringify({ graph: text, file }), headers: { "content-type": "application/json" } }).then(
      (found) => setTold({ ...NOTHING, ...found, of: text }), (error) => setTold({ ...NOTHING, of: text, problem: error.message }));
  };
  return [told, run];
}

/** What is wrong in one file of tests, each with its place. */
function wrongIn(told, path) {
  const cases = told.cases.filter((each) => each.file === path);
  const differences = cases.flatMap((each) => each.differences.map(({ name, line, column }) => ({
    severity: "error", rule: "expect", message: `${each.name}: the rows of ${name} are not as expected`, hint: "", line, column })));
  return [...differences, ...[...told.diagnostics, ...told.cases.flatMap((each) => each.diagnostics)].filter((each) => each.file === path)];
}

/** `Code` is the editor's, `put(path, text)` writes a file, and `go` goes to a place of the graph. */
export function Tests({ Code, text, files, put, file, go }) {
  const paths = Object.keys(files).filter((path) => path.endsWith(TESTS)).sort();
  const [chosen, choose] = useState("");
  const path = paths.includes(chosen) ? chosen : paths[0];
  const [told, run] = useTests(text, file);
  const source = useRef(null);
  const wrong = useMemo(() => wrongIn(told, path), [told, path]);
  if (!path) return html`<p><button onClick=${() => put(`${file}${TESTS}`, begin(file))}>Write tests</button></p>`;
  const show = (where, line, column) => {
    if (where === file) go(line, column);
    else source.current?.go(line, column);
  };
  return html`<section class="tests" aria-labelledby="tests">
    <div class="head"><h2 id="tests">Tests</h2>
      ${paths.length > 1 && html`<label>File <select value=${path} onChange=${(e) => choose(e.target.value)}>${paths.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}</select></label>`}
      <button disabled=${told.runs} onClick=${run}>${told.runs ? "They run …" : "Run the tests"}</button></div>
    <div class="editor">
      <${Code} key=${path} label="Text of the tests" text=${files[path].text ?? ""} type=${(typed) => put(path, typed)} source=${source} wrong=${wrong} plan=${null} />
      <div class=${told.of === text || told.runs ? "" : "quiet"}><p class="said" role="status">${summary(told)}</p>
        <ol class="found" tabindex="0" aria-label="What came of the tests">${told.diagnostics.map((each, at) => html`<${Wrong} key=${at} each=${each} here=${[path, file]} show=${show} />`)}
          ${told.cases.map((each) => html`<${Case} key=${`${each.file}/${each.name}`} told=${each} here=${[path, file]} show=${show} />`)}</ol></div>
    </div>
  </section>`;
}

function summary({ of, cases, diagnostics, problem, runs }) {
  if (runs) return "They run, in a process of their own …";
  if (problem) return `They did not run: ${problem}`;
  if (of === null) return "They have not run yet.";
  const passed = cases.filter((each) => each.ok).length;
  return diagnostics.length && !cases.length ? "They are not in order." : `${passed} of ${cases.length} case${cases.length === 1 ? "" : "s"} passed.`;
}

/** A place, as a button if it is in one of the texts that are shown. */
function At({ file, line, column, here, show }) {
  if (!line) return null;
  return here.includes(file) ? html`<button onClick=${() => show(file, line, column)}>line ${line}</button>` : html`<span class="quiet">${file}:${line}</span>`;
}

function Wrong({ each, here, show }) {
  return html`<li class=${each.severity}><${At} ...${each} here=${here} show=${show} />${" "}<code>${each.rule}</code> ${each.message}${each.hint && html`<span class="quiet"> – ${each.hint}</span>`}</li>`;
}

function Case({ told, here, show }) {
  const sized = told.batch_rows === null ? "" : ` with batch_rows=${told.batch_rows}`;
  return html`<li><span class=${told.ok ? "passed" : "bad"}>${told.ok ? "✓" : "✕"}</span> ${told.name}${told.ok ? "" : `: failed${sized}`}
    ${told.differences.map((each) => html`<div key=${each.name}><${At} file=${told.file} ...${each} here=${here} show=${show} /> the rows of ${each.name}: - expected, + found
      <pre class="code">${each.rows.map((row, at) => html`<span key=${at} class=${LINES[row[0]] ?? ""}>${row}${"\n"}</span>`)}</pre></div>`)}
    ${told.diagnostics.length > 0 && html`<ol class="found">${told.diagnostics.map((each, at) => html`<${Wrong} key=${at} each=${each} here=${here} show=${show} />`)}</ol>`}</li>`;
}
