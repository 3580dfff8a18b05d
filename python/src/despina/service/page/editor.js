/** A graph as text: checked whenever its author pauses, with marks at the places that check names, and drawn beside. */

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/htm-preact.js";
import { Graph } from "./graph.js";
import { Changed, Drafted, Submit, useAnswer } from "./saved.js";
import { TESTS, Tests } from "./tests.js";
import { ENDED, SEPARATOR, place } from "./screens.js";
import { ask, state } from "./service.js";

const PAUSE_MS = 400;
const DRAFT = "despina.drafts/";
const BEGIN = `{
  "format": 1,
  "name": "mine",
  "operators": {
    "source": {"type": "generator_source", "rate_per_s": 10, "rows": {"type": "select", "select": ["id AS n"]}},
    "sink": {"type": "console_sink"}
  },
  "links": [{"from": "source", "to": "sink"}]
}
`;
const JSON_BODY = { "content-type": "application/json" };

/** What check says of a text, once its author has paused: of the last that was answered. The drawing stays while there is none. */
function useCheck(graph, file) {
  const [found, setFound] = useState({ graph: null, diagnostics: [], plan: null, problem: "" });
  const gone = Boolean(state.gone);
  useEffect(() => {
    if (gone) return undefined;
    const mine = new AbortController();
    const timer = setTimeout(() => {
      ask("/check", { method: "POST", body: JSON.stringify({ graph, file }), headers: JSON_BODY, signal: mine.signal }).then(
        (told) => setFound((before) => ({ graph, diagnostics: told.diagnostics, plan: told.plan ?? before.plan, problem: "" })),
        (error) => { if (!mine.signal.aborted) setFound((before) => ({ ...before, problem: error.message })); });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [graph, file, gone]);
  return found;
}

/** Keeps a draft until the tab is closed, or none. A browser has room for some millions of letters: without it the text stays on the screen. */
function keep(key, draft) {
  try {
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
    else sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** A graph's own text, and the files behind it by their paths: those of its parts and its tests. */
function opened(text) {
  const [own, files] = text.split(SEPARATOR);
  return { own, files: files ? JSON.parse(files) : {} };
}

const joined = ({ own, files }) => Object.keys(files).length ? `${own}${SEPARATOR}${JSON.stringify(files)}` : own;

const withoutTests = ({ own, files }) => joined({ own, files: Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(TESTS))) });

export function Editor({ name }) {
  const [told, setTold] = useState(name ? null : { text: BEGIN, revision: 0 });
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (name) ask(`/graphs/${encodeURIComponent(name)}`).then(setTold, (error) => setProblem(error.message));
  }, [name]);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  return told ? html`<${Opened} name=${name} told=${told} />` : html`<p class="quiet">Waiting for the service …</p>`;
}

function Opened({ name, told }) {
  const first = joined(opened(told.text));       // as this page writes it, so that texts can be compared
  const kept = `${DRAFT}${name}`;
  const [draft] = useState(() => JSON.parse(sessionStorage.getItem(kept) ?? "null"));
  // a draft stays one over its own revision, so that it is not saved over what another has saved since
  const [saved, setSaved] = useState({ text: draft && draft.revision !== told.revision ? null : first, revision: draft?.revision ?? told.revision });
  const [text, setText] = useState(draft?.text ?? first);
  const newest = saved.text === null ? { text: first, revision: told.revision } : saved;
  const { own, files } = useMemo(() => opened(text), [text]);
  // JSON has no such sign, and pasted in it would be taken for the one that the files stand behind
  const type = (typed) => setText((before) => joined({ ...opened(before), own: typed.replaceAll(SEPARATOR, "") }));
  const put = (path, content) => setText((before) => {
    const now = opened(before);
    return joined({ ...now, files: { ...now.files, [path]: { text: content } } });
  });
  const file = name || "graph";
  const checked = withoutTests({ own, files });
  const found = useCheck(checked, file);
  const wrong = useMemo(() => found.diagnostics.filter((each) => each.file === file), [found, file]);
  const source = useRef(null);
  const changed = text !== saved.text;
  const [isKept, setKept] = useState(true);
  useEffect(() => setKept(keep(kept, changed ? { text, revision: saved.revision } : null)), [text, changed]);
  const [problem, setProblem] = useState("");
  const format = () => ask("/format", { method: "POST", body: JSON.stringify({ graph: own, file }), headers: JSON_BODY }).then(
    (made) => { setProblem(""); type(made.graph); }, (error) => setProblem(error.message));
  const take = () => {
    setSaved(newest);
    setText(newest.text);
  };
  const go = (line, column = 1) => source.current?.go(line, column);
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">${name || "A new graph"}</h1><span class="quiet">${saved.revision ? `revision ${saved.revision}` : "not saved yet"}${changed ? ", changed" : ""}${isKept ? "" : ", too long to be kept here until it is saved"}</span>
      <button onClick=${format}>Format</button>
      ${changed && newest.revision > 0 && html`<button onClick=${take}>Take revision ${newest.revision}</button>`}
      ${name && html`<a href=${place("graphs", name)}>its revisions</a>`}${problem && html`<span class="problem" role="alert">${problem}</span>`}</div>
    <div class="editor">
      <${Code} label="Text of the graph" text=${own} type=${type} source=${source} wrong=${wrong} plan=${found.plan} schema="/schema" />
      <div><${Said} found=${found} whole=${checked} file=${file} go=${go} />
        <${Drawn} plan=${found.plan} go=${go} />
        <${Saving} name=${name} text=${text} saved=${saved} done=${(revision) => setSaved({ text, revision })} />
        ${name && saved.revision > 0 && html`<${Submit} name=${name} revision=${saved.revision} path=${`/graphs/${encodeURIComponent(name)}`} />
          <${Running} name=${name} revision=${saved.revision} draft=${changed ? text : ""} />`}</div>
    </div>
    <${Tests} Code=${Code} text=${text} files=${files} put=${put} file=${file} go=${go} />
  </section>`;
}

/** A text, once the editor's modules have come. `schema`: where the schema of what is completed is, if there is one. */
function Code({ label, text, type, source, wrong, plan, schema }) {
  const box = useRef(null);
  const latest = useRef({});
  Object.assign(latest.current, { text, type, plan });
  const [problem, setProblem] = useState("");
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let known = null;
    let over = false;
    if (schema) ask(schema).then((told) => { known = told; }, () => {});      // without it nothing is completed
    import("./source.js").then(({ Source }) => {
      if (over) return;
      source.current = new Source(box.current, latest.current.text, { label, typed: (changed) => latest.current.type(changed),
        schema: () => known, operators: () => (latest.current.plan?.operators ?? []).map((operator) => operator.id) });
      setReady(true);
    }, (error) => setProblem(error.message));
    return () => {
      over = true;
      source.current?.close();
      source.current = null;
    };
  }, []);
  useLayoutEffect(() => source.current?.set(text), [text, ready]);     // at once: later it would take back what was typed meanwhile
  useEffect(() => source.current?.mark(wrong), [wrong, ready]);
  return html`<div>${problem && html`<p class="problem" role="alert">The editor cannot be loaded: ${problem}</p>`}<div ref=${box}></div></div>`;
}

/** Jobs that run a revision of this graph, and what has changed since: in this text, if it is not saved. */
function Running({ name, revision, draft }) {
  const [told] = useAnswer("/jobs");
  const [shown, show] = useState("");
  const jobs = (told?.jobs ?? []).filter((job) => job.saved?.graph === name && !ENDED.has(job.state));
  const chosen = jobs.find((job) => job.name === shown);
  return html`${jobs.map((job) => html`<p key=${job.name}><a href=${place("job", job.name)}>${job.name}</a> runs revision ${job.saved.revision}. ${
      job.saved.revision === revision && !draft ? "" : html`<button aria-pressed=${String(job === chosen)} onClick=${() => show(job === chosen ? "" : job.name)}>What has changed since</button>`}</p>`)}
    ${chosen && (draft ? html`<${Drafted} path=${`/graphs/${encodeURIComponent(name)}`} before=${chosen.saved.revision} text=${draft} />`
      : html`<${Changed} path=${`/graphs/${encodeURIComponent(name)}`} before=${chosen.saved.revision} revision=${revision} />`)}`;
}

const counted = (found, severity) => {
  const count = found.diagnostics.filter((each) => each.severity === severity).length;
  return count ? [`${count} ${severity}${count > 1 ? "s" : ""}`] : [];
};

function Said({ found, whole, file, go }) {
  const told = found.graph === null ? "is checked …" : [...counted(found, "error"), ...counted(found, "warning")].join(", ") || "in order";
  return html`<p class="said ${found.graph === whole ? "" : "stale"}" role="status">${found.problem ? `It cannot be checked: ${found.problem}` : told}</p>
    <ol class="found" tabindex="0" aria-label="What check says">${found.diagnostics.map((each, at) => html`<li key=${at} class=${each.severity}>
      ${each.line > 0 && each.file === file ? html`<button onClick=${() => go(each.line, each.column)}>line ${each.line}</button>` : each.line > 0 && html`<span class="quiet">${each.file}:${each.line}</span>`}${" "}
      <code>${each.rule}</code> ${each.message}${each.hint && html`<span class="quiet"> – ${each.hint}</span>`}</li>`)}</ol>`;
}

function Drawn({ plan, go }) {
  if (!plan?.operators) return html`<p class="empty">It is drawn here once it is in order.</p>`;
  const lines = new Map(plan.operators.map((operator) => [`operator/${operator.id}`, operator.line]));
  return html`<${Graph} operators=${plan.operators.map((operator) => operator.id)} links=${(plan.links ?? []).map((link) => link.name)}
    types=${Object.fromEntries(plan.operators.map((operator) => [operator.id, operator.type]))} values=${{}} counters=${{}} selected=""
    select=${(what) => lines.get(what) && go(lines.get(what))} />`;
}

/** Saves it as the next revision; where another was saved meanwhile, nothing is. */
function Saving({ name, text, saved, done }) {
  const [called, setCalled] = useState(name);
  const [comment, setComment] = useState("");
  const [problem, setProblem] = useState("");
  const given = async (event) => {
    event.preventDefault();
    try {
      const made = await ask(`/graphs/${encodeURIComponent(called)}`, { method: "PUT", body: JSON.stringify({ text, comment }),
        headers: { ...JSON_BODY, ...(saved.revision && { "if-match": `"${saved.revision}"` }) } });
      setProblem("");
      setComment("");
      done(made.revision);
      if (!name) {
        sessionStorage.removeItem(DRAFT);
        location.hash = place("edit", called);
      }
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`<form class="submit" aria-label="Save" onSubmit=${given}>
    ${!name && html`<label>Name <input value=${called} required pattern="[A-Za-z0-9][A-Za-z0-9_.\\-]*" maxlength="64" onInput=${(e) => setCalled(e.target.value)} /></label>`}
    <label>Why <input value=${comment} maxlength="1000" onInput=${(e) => setComment(e.target.value)} /></label>
    <span><button disabled=${text === saved.text && saved.revision > 0}>Save</button></span>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
  </form>`;
}
