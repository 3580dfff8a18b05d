/** The screens that are of no single job: all jobs, what happened, the processes; and the lines that logs are shown as. */

import { html, useEffect, useMemo, useRef, useState } from "./vendor/htm-preact.js";
import { Lines, SPARK, ask, state } from "./service.js";
import { Spark } from "./plots.js";
import * as f from "./format.js";

const MOST_LINES = 2000;
export const ENDED = new Set(["done", "failed", "stopped", "incomplete", "lost"]);
const LOOK_MS = 2000;
export const SEPARATOR = "\u001e";     // behind it are the files of a graph's parts

export const State = ({ name }) => html`<span class=${`state ${name}`}>${name}</span>`;
export const Labels = ({ labels }) => Object.entries(labels).map(([name, value]) => html`<span class="label" key=${name}>${name}=${value}</span>`);
export const place = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

const COLUMNS = [
  ["Job", (job) => job.name], ["State", (job) => job.state], ["In", (job) => job.values.in], ["Out", (job) => job.values.out],
  ["Lag", (job) => job.values.lag], ["Busy", (job) => job.values.busy], ["Errors", (job) => job.errors], ["CPU, cores", (job) => job.values.cpu],
  ["Memory", (job) => job.values.memory],
];

function matches(job, words) {
  return words.split(/\s+/).filter(Boolean).every((word) => word.includes("=")
    ? Object.entries(job.labels).some(([name, value]) => `${name}=${value}`.startsWith(word))
    : [job.name, job.state].some((text) => text.toLowerCase().includes(word.toLowerCase())));
}

export function Jobs() {
  const [words, setWords] = useState("");
  const [order, setOrder] = useState(0);
  if (!state.jobs) return html`<p class="quiet">Waiting for the service …</p>`;
  const by = COLUMNS[order][1];
  const found = state.jobs.filter((job) => matches(job, words)).sort((one, other) => order < 2
    ? String(by(one)).localeCompare(String(by(other))) : (by(other) ?? -1) - (by(one) ?? -1));
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">Jobs</h1>
      <label class="find">Filter <input type="search" placeholder="name, state or label=value" value=${words} onInput=${(e) => setWords(e.target.value)} /></label>
      <span class="quiet">${found.length} of ${state.jobs.length}</span></div>
    ${state.jobs.length === 0 ? html`<p class="empty">No job yet: <code>despina submit GRAPH</code></p>` : html`<div class="wide"><table>
      <thead><tr>${COLUMNS.map(([word], at) => html`<th key=${word} scope="col" class=${at > 1 ? "number" : ""}
          aria-sort=${order === at ? (at < 2 ? "ascending" : "descending") : null}><button class="sort" onClick=${() => setOrder(at)}>${word}</button></th>`)}
        <th scope="col">In, last minute</th><th scope="col">Labels</th><th scope="col">Since</th></tr></thead>
      <tbody>${found.map((job) => html`<tr key=${job.name} data-job=${job.name}>
        <th scope="row"><a href=${place("job", job.name)}>${job.name}</a> <span class="quiet">run ${job.run}</span></th>
        <td><${State} name=${job.state} />${job.reason && html`<div class="reason">${job.reason}</div>`}</td>
        <td class="number" data-value="in">${f.rate(job.values.in)}</td><td class="number" data-value="out">${f.rate(job.values.out)}</td>
        <td class="number">${f.seconds(job.values.lag)}</td><td class="number">${f.share(job.values.busy)}</td>
        <td class="number" data-value="errors">${job.errors ? html`<a class="bad" href=${place("job", job.name, "errors")}>${f.count(job.errors)}</a>` : 0}</td>
        <td class="number">${f.cores(job.values.cpu)}</td><td class="number">${f.bytes(job.values.memory)}</td>
        <td>${!ENDED.has(job.state) && html`<${Spark} values=${state.sparks.get(`${job.name}/${job.run}`) ?? []} label=${`packets in, the last ${SPARK} seconds`} />`}</td>
        <td><${Labels} labels=${job.labels} /></td><td class="when">${f.date(job.changed_at_ms)}</td></tr>`)}</tbody>
    </table></div>`}
  </section>`;
}

/** Lines that come, searched and followed. `mark` changes when more are there. */
export function Log({ path, mark, name, empty }) {
  const lines = useMemo(() => new Lines(path, MOST_LINES), [path]);
  const [shown, setShown] = useState([]);
  const [problem, setProblem] = useState("");
  const [words, setWords] = useState("");
  const [followed, setFollowed] = useState(true);
  const box = useRef(null);
  const gone = Boolean(state.gone);
  useEffect(() => {
    if (gone) return;       // it is asked again when the service is back
    lines.more().then((came) => {
      if (came) setShown(lines.lines);
      setProblem("");
    }, (error) => setProblem(error.message));
  }, [lines, mark, gone]);
  useEffect(() => { if (followed && box.current) box.current.scrollTop = box.current.scrollHeight; }, [shown, followed]);
  const found = shown.filter((line) => !words || JSON.stringify(Object.values(line)).toLowerCase().includes(words.toLowerCase()));
  return html`<div>
    <div class="head"><label class="find">Search <input type="search" value=${words} onInput=${(e) => setWords(e.target.value)} /></label>
      <label><input type="checkbox" checked=${followed} onChange=${(e) => setFollowed(e.target.checked)} /> follow</label>
      <button onClick=${() => download(found, `${name}.jsonl`)}>Download</button>
      <span class="quiet">${found.length} of the last ${shown.length} lines</span></div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${shown.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ol class="lines" ref=${box} tabindex="0" aria-label="Lines">${found.map((line, at) => html`
      <li key=${`${line.at_ms}/${at}`} class="${line.level} ${line.source}"><time datetime=${new Date(line.at_ms).toISOString()}>${f.date(line.at_ms)}</time>
        <span class="level">${line.level}</span><span class="source">${line.operator || line.source}</span>
        <span class="text">${line.rule && html`<code>${line.rule}</code> `}${line.attempt ? `attempt ${line.attempt}: ` : ""}${line.text}${
          line.hint && html`<span class="quiet"> – ${line.hint}</span>`}${line.record && html`<code class="record">${line.record}</code>`}${
          line.line > 0 && html`<span class="quiet">the operator is in line ${line.line} of the graph</span>`}</span></li>`)}</ol>`}
  </div>`;
}

function download(lines, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines.map((line) => `${JSON.stringify(line)}\n`), { type: "application/jsonl" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function Events() {
  const lines = useMemo(() => new Lines("/events", MOST_LINES), []);
  const [problem, setProblem] = useState("");
  const [words, setWords] = useState("");
  const [, setShown] = useState(0);
  const gone = Boolean(state.gone);
  useEffect(() => {
    if (gone) return;
    lines.more().then(() => {
      setShown((number) => number + 1);
      setProblem("");
    }, (error) => setProblem(error.message));
  }, [state.place, gone]);
  const found = [...lines.lines].reverse().filter((line) => !words || `${line.job ?? line.name} ${line.what} ${line.who} ${line.text}`.toLowerCase().includes(words.toLowerCase()));
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">Events</h1>
      <label class="find">Search <input type="search" value=${words} onInput=${(e) => setWords(e.target.value)} /></label>
      <span class="quiet">starts, stops, ends and saves, and whose token asked for them; the newest first</span></div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${lines.lines.length === 0 ? html`<p class="empty">Nothing has happened yet.</p>` : html`<div class="wide"><table>
      <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Of</th><th scope="col">Who</th><th scope="col">In words</th></tr></thead>
      <tbody>${found.map((line, at) => html`<tr key=${`${line.at_ms}/${at}`}><td class="when">${f.date(line.at_ms)}</td>
        <td><${State} name=${line.what} /></td><td class="whose">${line.job ? html`<a href=${place("job", line.job)}>${line.job}</a> <span class="quiet">run ${line.run}</span>`
          : html`<a href=${place(`${line.kind}s`, line.name)}>${line.name}</a> <span class="quiet">${line.kind}</span>`}</td>
        <td>${line.who || html`<span class="quiet">–</span>`}</td><td>${line.text}</td></tr>`)}</tbody></table></div>`}
  </section>`;
}

export function Resources() {
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let timer = 0;
    let over = false;
    const look = async () => {
      try {
        if (!document.hidden && !state.gone) {
          const found = await ask("/service");
          if (!over) setTold((before) => ({ ...found, at: Date.now(), before: before && { ...before, before: null } }));
        }
        setProblem("");
      } catch (error) {
        if (!over) setProblem(error.message);
      }
      if (!over) timer = setTimeout(look, LOOK_MS);
    };
    look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, []);
  const cpu = (process) => {
    const before = told.before?.processes.find((each) => each.pid === process.pid);
    return before && (process.cpu_s - before.cpu_s) * 1000 / (told.at - told.before.at);
  };
  const running = (state.jobs ?? []).filter((job) => job.values.memory !== undefined).sort((one, other) => other.values.memory - one.values.memory);
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">Resources</h1></div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${told && html`<dl class="facts"><div><dt>Free on the disk</dt><dd>${f.bytes(told.disk_free_bytes)} of ${f.bytes(told.disk_bytes)}</dd></div>
      <div><dt>Jobs may take</dt><dd data-fact="memory">${f.bytes(told.memory_taken_bytes)}${told.memory_bytes ? ` of ${f.bytes(told.memory_bytes)}` : ""}</dd></div>
      <div><dt>Viewers</dt><dd>${told.viewers}</dd></div><div><dt>Threads of the service</dt><dd>${told.threads}</dd></div></dl>`}
    <div class="wide"><table><caption>Processes of the service, and those of each job on its machine</caption>
      <thead><tr><th scope="col">Whose</th><th scope="col" class="number">Process</th><th scope="col" class="number">CPU, cores</th><th scope="col" class="number">Memory</th></tr></thead>
      <tbody>${(told?.processes ?? []).map((process) => html`<tr key=${process.name}><th scope="row">${process.name}</th><td class="number">${process.pid}</td>
        <td class="number">${f.cores(cpu(process))}</td><td class="number">${f.bytes(process.resident_bytes)}</td></tr>`)}
      ${running.map((job) => html`<tr key=${`job ${job.name}`}><th scope="row"><a href=${place("job", job.name, "resources")}>${job.name}</a></th><td class="number quiet">all of the job</td>
        <td class="number">${f.cores(job.values.cpu)}</td><td class="number">${f.bytes(job.values.memory)}</td></tr>`)}</tbody></table></div>
  </section>`;
}
