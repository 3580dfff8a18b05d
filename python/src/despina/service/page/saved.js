/** Graphs and deployments that the service keeps: found, read, compared, and submitted. */

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { SEPARATOR, place } from "./screens.js";
import { ask, state } from "./service.js";
import * as f from "./format.js";

const KINDS = { graphs: "graph", deployments: "deployment" };
const WAIT_MS = 300;

/** Asks again whenever the path changes or the service is back; what it said, and why not. */
export function useAnswer(path) {
  const [found, setFound] = useState({ path: "", told: null, problem: "" });
  const gone = Boolean(state.gone);
  useEffect(() => {
    if (gone || !path) return undefined;
    let over = false;
    ask(path).then((told) => { if (!over) setFound({ path, told, problem: "" }); },
      (error) => { if (!over) setFound({ path, told: null, problem: error.message }); });
    return () => { over = true; };
  }, [path, gone]);
  const fresh = found.path === path;
  return [fresh ? found.told : null, fresh ? found.problem : ""];
}

const Problem = ({ text }) => text && html`<p class="problem" role="alert">${text}</p>`;

export function Specs() {
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), WAIT_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">Graphs</h1>
      <label class="find">Find <input type="search" placeholder="in names, comments and texts" value=${words} onInput=${(e) => setWords(e.target.value)} /></label>
      <span class="quiet">saved by <code>despina graph save NAME FILE</code>, or <a href="#/edit">written here</a></span></div>
    ${Object.keys(KINDS).map((kinds) => html`<${Found} key=${kinds} kinds=${kinds} words=${asked} />`)}
  </section>`;
}

function Found({ kinds, words }) {
  const [told, problem] = useAnswer(`/${kinds}?${new URLSearchParams({ find: words })}`);
  if (problem) return html`<${Problem} text=${problem} />`;
  if (!told) return html`<p class="quiet">Waiting for the service …</p>`;
  const unread = told.unread.length > 0 && html`<p class="quiet">The texts of ${told.unread.length} were not searched, for there is too much of them: ${told.unread.slice(0, 5).join(", ")} …</p>`;
  if (!told.saves.length) return html`<p class="empty">No ${KINDS[kinds]}${words ? " has all of that" : " is kept yet"}.</p>${unread}`;
  return html`${unread}<div class="wide"><table><caption>${kinds === "graphs" ? "Graphs" : "Deployments"}</caption>
    <thead><tr><th scope="col">Name</th><th scope="col" class="number">Revision</th><th scope="col">Saved</th><th scope="col">Who</th><th scope="col">Comment</th></tr></thead>
    <tbody>${told.saves.map((save) => html`<tr key=${save.name} data-saved=${save.name}><th scope="row"><a href=${place(kinds, save.name)}>${save.name}</a></th>
      <td class="number">${save.revision}</td><td class="when">${f.date(save.at_ms)}</td><td>${save.who}</td><td class="text">${save.comment}</td></tr>`)}</tbody></table></div>`;
}

export function Spec({ kinds, name }) {
  const path = `/${kinds}/${encodeURIComponent(name)}`;
  const [told, problem] = useAnswer(`${path}/revisions`);
  const [chosen, choose] = useState({ revision: 0, before: 0 });
  const saves = told ? [...told.saves].reverse() : [];
  const shown = chosen.revision || saves[0]?.revision || 0;
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">${name}</h1><span class="quiet">${KINDS[kinds]}</span><a href="#/graphs">all</a>
      ${kinds === "graphs" && html`<a href=${place("edit", name)}>edit</a>`}</div>
    <${Problem} text=${problem} />
    ${told && html`<div class="wide"><table><caption>Revisions</caption>
      <thead><tr><th scope="col" class="number">Revision</th><th scope="col">Saved</th><th scope="col">Who</th><th scope="col">Comment</th><th scope="col">Look</th></tr></thead>
      <tbody>${saves.map((save, at) => html`<tr key=${save.revision} data-revision=${save.revision}><th scope="row" class="number">${save.revision}</th><td class="when">${f.date(save.at_ms)}</td>
        <td>${save.who}</td><td class="text">${save.comment}</td>
        <td><button aria-pressed=${shown === save.revision && !chosen.before ? "true" : "false"} onClick=${() => choose({ revision: save.revision, before: 0 })}>text</button>${" "}
          ${at + 1 < saves.length && html`<button aria-pressed=${shown === save.revision && chosen.before ? "true" : "false"}
            onClick=${() => choose({ revision: save.revision, before: saves[at + 1].revision })}>what it changed</button>`}</td></tr>`)}</tbody></table></div>
      ${kinds === "graphs" && html`<${Submit} name=${name} revision=${shown} path=${path} />`}
      ${chosen.before ? html`<${Changed} path=${path} revision=${shown} before=${chosen.before} />` : shown > 0 && html`<${Text} path=${path} revision=${shown} />`}`}
  </section>`;
}

function Text({ path, revision }) {
  const [told, problem] = useAnswer(`${path}?revision=${revision}`);
  if (!told) return html`<${Problem} text=${problem} />`;
  const [own, files] = told.text.split(SEPARATOR);
  return html`<h2>Revision ${revision}</h2><pre class="code" tabindex="0" aria-label="Text">${own}</pre>
    ${files && Object.entries(JSON.parse(files)).map(([file, content]) => html`<h3 key=${file}>${file}</h3><pre class="code" tabindex="0" aria-label=${file}>${content.text ?? content.problem}</pre>`)}`;
}

const MARKS = { "+": "came", "-": "went", "@": "quiet" };

export function Changed({ path, revision, before }) {
  const [told, problem] = useAnswer(`${path}/difference?before=${before}&after=${revision}`);
  return told ? html`<${Difference} title=${`From revision ${before} to ${revision}`} told=${told} />` : html`<${Problem} text=${problem} />`;
}

/** What a text that is not saved would change, asked whenever its author pauses. */
export function Drafted({ path, before, text }) {
  const [found, setFound] = useState({ told: null, problem: "" });
  useEffect(() => {
    const mine = new AbortController();
    const timer = setTimeout(() => ask(`${path}/difference`, { method: "POST", body: JSON.stringify({ text, before }),
      headers: { "content-type": "application/json" }, signal: mine.signal }).then((told) => setFound({ told, problem: "" }),
      (error) => { if (!mine.signal.aborted) setFound({ told: null, problem: error.message }); }), WAIT_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [path, before, text]);
  return found.told ? html`<${Difference} title=${`From revision ${before} to this text`} told=${found.told} />` : html`<${Problem} text=${found.problem} />`;
}

function Difference({ title, told }) {
  const fates = told.operators.filter((each) => each.change !== "kept");
  return html`<h2>${title}</h2>
    ${fates.length > 0 && html`<p>${fates.map((each) => html`<span class="label" key=${each.operator}>${each.operator}: ${each.change}</span>`)}</p>`}
    <pre class="code" tabindex="0" aria-label="What it changed">${told.text.split("\n").map((line, at) => html`<span key=${at} class=${MARKS[line[0]] ?? ""}>${line}${"\n"}</span>`)}</pre>`;
}

/** `NAME=VALUE` in lines. Throws an Error with the line that is none. */
function pairs(text) {
  return Object.fromEntries(text.split("\n").filter((line) => line.trim()).map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`${line} is not NAME=VALUE`);
    return [line.slice(0, at).trim(), line.slice(at + 1)];
  }));
}

export function Submit({ name, revision, path }) {
  const [isOpen, open] = useState(false);
  const [deployments] = useAnswer(isOpen ? "/deployments" : "");
  const [job, setJob] = useState("");
  const [where, setWhere] = useState("/own");      // a deployment's name has no slash
  const [values, setValues] = useState("");
  const [labels, setLabels] = useState("");
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const given = async (event) => {
    event.preventDefault();
    try {
      const body = { revision, parameters: pairs(values), labels: pairs(labels), ...(job && { job }), ...(where.startsWith("/") ? { isolation: where.slice(1) } : { deployment: where }) };
      const made = await ask(`${path}/submit`, { method: "POST", body: JSON.stringify(body),
        headers: { "content-type": "application/json", "idempotency-key": key } });
      location.hash = place("job", made.name);
    } catch (error) {
      setProblem(error.message);
      if (!(error instanceof TypeError)) setKey(crypto.randomUUID());      // what was refused is changed, and then is another
    }
  };
  if (!isOpen) {
    return html`<p><button onClick=${() => { setKey(crypto.randomUUID()); open(true); }}>Submit revision ${revision} …</button></p>`;
  }
  return html`<form class="submit" aria-label="Submit" onSubmit=${given}>
    <label>Name of the job <input value=${job} placeholder="the graph's" pattern="[A-Za-z0-9][A-Za-z0-9_.\\-]*" maxlength="64" onInput=${(e) => setJob(e.target.value)} /></label>
    <label>Deployment <select value=${where} onChange=${(e) => setWhere(e.target.value)}>
      <option value="/own">one process of its own</option><option value="/shared">the process that jobs share</option>
      ${(deployments?.saves ?? []).map((each) => html`<option key=${each.name} value=${each.name}>${each.name}</option>`)}</select></label>
    <label>Parameters <textarea rows="2" placeholder="NAME=VALUE" value=${values} onInput=${(e) => setValues(e.target.value)}></textarea></label>
    <label>Labels <textarea rows="2" placeholder="NAME=VALUE" value=${labels} onInput=${(e) => setLabels(e.target.value)}></textarea></label>
    <span><button>Submit revision ${revision}</button> <button type="button" onClick=${() => open(false)}>Leave it</button></span>
    <${Problem} text=${problem} />
  </form>`;
}
