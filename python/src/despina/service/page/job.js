/** A job: its graph, its errors, its log, its processes. */

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { Graph, ends } from "./graph.js";
import { Plots } from "./plots.js";
import { ENDED, Labels, Log, State, place } from "./screens.js";
import { ask, state } from "./service.js";
import * as f from "./format.js";

const TAIL = 50;
const TAIL_MS = 200;
const TABS = [["", "Graph"], ["errors", "Errors"], ["log", "Log"], ["resources", "Processes"]];

const STOPS = { drain: "Drain and stop", flush: "Flush and stop", now: "Stop now" };

export function Job({ name, tab }) {
  const told = state.job;
  const [selected, select] = useState("");
  useEffect(() => select(""), [name]);
  if (told?.problem) {
    return html`<section><h1>${name}</h1><p class="problem" role="alert">${told.problem.message}. ${told.problem.hint}</p></section>`;
  }
  if (!told || told.job.name !== name) return html`<section><h1>${name}</h1><p class="quiet">Waiting for the service …</p></section>`;
  const job = told.job;
  return html`<section aria-labelledby="title">
    <div class="head"><h1 id="title">${name}</h1><${State} name=${job.state} /><span class="quiet">run ${job.run}, since ${f.date(job.changed_at_ms)}</span>
      ${job.saved && html`<a href=${place("graphs", job.saved.graph)}>${job.saved.graph}@${job.saved.revision}</a>`}
      ${job.isolation === "shared" && html`<span class="quiet">in the process that jobs share</span>`}
      <${Labels} labels=${job.labels} /><${Orders} job=${job} /></div>
    ${job.reason && !job.error && html`<p class="reason">${job.reason}</p>`}
    ${job.error && html`<p class="problem" role="alert"><code>${job.error.rule}</code> ${job.error.message}${job.error.hint && html` – ${job.error.hint}`}</p>`}
    <${Facts} job=${job} values=${told.values} />
    <nav class="tabs" aria-label="Of this job">${TABS.map(([key, word]) => html`
      <a key=${key} href=${key ? place("job", name, key) : place("job", name)} aria-current=${tab === key ? "page" : null}>${word}</a>`)}</nav>
    <${Tab} key=${`${name}/${job.run}`} tab=${tab} told=${told} selected=${selected} select=${select} />
  </section>`;
}

/** Starts and stops it, where the token may. What it does is asked once more, for a click is made quickly. */
function Orders({ job }) {
  const [asks, setAsks] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => setAsks(false), [ENDED.has(job.state)]);     // else a click that was meant to stop it may start it
  const order = (what, body) => {
    setAsks(false);
    ask(`/jobs/${encodeURIComponent(job.name)}/${what}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
      .then(() => setProblem(""), (error) => setProblem(error.message));
  };
  const choices = ENDED.has(job.state) ? [["Start", "start", {}], ["From its beginning", "start", { from_start: true }]]
    : Object.entries(STOPS).map(([mode, word]) => [word, "stop", { mode }]);
  return html`<span class="orders" role="group" aria-label="Start and stop">
    ${asks ? html`${choices.map(([word, what, body]) => html`<button key=${word} onClick=${() => order(what, body)}>${word}</button>`)}
      <button onClick=${() => setAsks(false)}>Leave it</button>` : html`<button onClick=${() => setAsks(true)}>${ENDED.has(job.state) ? "Start …" : "Stop …"}</button>`}
    ${problem && html`<span class="problem" role="alert">${problem}</span>`}</span>`;
}

function Tab({ tab, told, selected, select }) {
  const [form, setForm] = useState(null);
  const [problem, setProblem] = useState("");
  const job = told.job;
  const path = `/jobs/${encodeURIComponent(job.name)}`;
  const ready = !state.gone && !state.missing;
  useEffect(() => {
    if (form && !ready) return;
    ask(`${path}/graph?run=${job.run}`).then((found) => {
      setForm(found);
      setProblem("");
    }, (error) => setProblem(error.message));
  }, [ready]);      // without a coordinator it has no plan
  if (tab === "log") return html`<${Log} path=${`${path}/log?run=${job.run}`} mark=${told.log} name=${`${job.name}.log`} empty="Nothing was said yet." />`;
  if (tab === "errors") return html`<${Errors} told=${told} path=${path} />`;
  if (tab === "resources") return html`<${Processes} told=${told} />`;
  return html`${problem && html`<p class="problem" role="alert">The graph cannot be told: ${problem}</p>`}
    <${Live} told=${told} form=${form} selected=${selected} select=${select} />`;
}

export function Facts({ job, values }) {
  const of = (what) => values[`job/${what}`];
  const epoch = job.status?.epoch;
  const facts = [["In", f.rate(of("in")), "in"], ["Out", f.rate(of("out")), "out"], ["Lag", f.seconds(of("lag")), "lag"],
    ["Latency", f.latency(of("latency")), "latency"],
    ["CPU, cores", f.cores(of("cpu")), "cpu"], ["Memory", f.bytes(of("memory")), "memory"],
    ["Starts", `${job.starts}${job.status?.restarts ? ` + ${job.status.restarts}` : ""}`, "starts"],
    ...(epoch ? [["Last epoch", epoch.complete ? `${epoch.complete}, ${f.seconds(epoch.age_s)} old` : "none yet", "epoch"]] : [])];
  return html`<dl class="facts">${facts.map(([word, text, key]) => html`<div key=${key}><dt>${word}</dt><dd data-fact=${key}>${text}</dd></div>`)}</dl>`;
}

function planned(form) {
  if (!form) return {};
  if (form.plan?.operators) return Object.fromEntries(form.plan.operators.map((operator) => [operator.id, operator]));
  return Object.fromEntries(Object.entries(JSON.parse(form.graph).operators ?? {}).map(([id, { type, ...fields }]) => [id, { id, type, fields }]));
}

export function Live({ told, form, selected, select }) {
  const { job, values } = told;
  const status = job.status;
  if (!status) return html`<p class="empty">It has not run since the service was started: nothing is known of its operators.</p>`;
  const plan = planned(form);
  const operators = Object.keys(status.operators);
  const links = Object.keys(status.links);
  const types = Object.fromEntries(Object.entries(plan).map(([id, operator]) => [id, operator.type]));
  const run = { job: job.name, run: job.run };
  return html`<div class="live">
    ${status.phase && html`<p class="quiet">${status.phase}</p>`}
    ${Object.entries(status.awaited ?? {}).map(([name, command]) => html`<p key=${name}>Resource ${name} has not joined: <code>${command}</code></p>`)}
    <${Graph} operators=${operators} links=${links} types=${types} values=${values} counters=${status} selected=${selected} select=${(what) => select(what === selected ? "" : what)} />
    <p class="legend"><span><i class="swatch paused-0"></i>flows</span><span><i class="swatch paused-1"></i>sender waits 1 %</span>
      <span><i class="swatch paused-2"></i>10 %</span><span><i class="swatch paused-3"></i>half of the time and more</span><span><i class="swatch queue"></i>fullest queue of a link</span><span><i class="swatch busy"></i>share of the time in which the busiest task runs</span></p>
    <aside class="detail" aria-live="off">${selected.startsWith("operator/") && operators.includes(selected.slice(9))
      ? html`<${OfOperator} key=${selected} id=${selected.slice(9)} operator=${plan[selected.slice(9)]} run=${run} counters=${status.operators[selected.slice(9)]} fed=${links.filter((link) => ends(link)[1] === selected.slice(9))} />`
      : selected.startsWith("link/") && links.includes(selected.slice(5))
        ? html`<${OfLink} key=${selected} link=${selected.slice(5)} run=${run} counters=${status.links[selected.slice(5)]} />`
        : html`<h2>The job</h2><${Plots} ...${run} plots=${[
          { title: "Packets", unit: "packets/s", series: { "job/in": "in", "job/out": "out" } },
          ...("job/lag" in values ? [{ title: "Lag behind the clock", unit: "s", series: { "job/lag": "lag" } }] : []),
          { title: "Processor time", unit: "cores", series: { "job/cpu": "cores" } }]} />`}</aside>
    <${Tables} operators=${operators} links=${links} types=${types} values=${values} status=${status} select=${select} />
  </div>`;
}

function Tables({ operators, links, types, values, status, select }) {
  return html`<div class="wide"><table class="operators"><caption>Operators</caption>
      <thead><tr><th scope="col">Operator</th><th scope="col">Type</th>${["In", "Out", "Busy", "Waits", "Lag", "Latency", "Behind", "Errors", "Packets in", "Packets out", "Late", "Dropped", "State"].map((word) => html`
        <th key=${word} scope="col" class="number">${word}</th>`)}</tr></thead>
      <tbody>${operators.map((id) => {
        const counters = status.operators[id];
        const of = (what) => values[`operator/${id}/${what}`];
        return html`<tr key=${id} data-operator=${id}><th scope="row"><button class="link" onClick=${() => select(`operator/${id}`)}>${id}</button></th><td>${types[id]}</td>
          <td class="number" data-value="in">${f.rate(of("in"))}</td><td class="number" data-value="out">${f.rate(of("out"))}</td>
          <td class="number" data-value="busy">${f.share(of("busy"))}</td><td class="number">${f.share(of("paused"))}</td><td class="number">${f.seconds(of("lag"))}</td>
          <td class="number" data-value="latency">${f.latency(of("latency"))}</td><td class="number" data-value="behind">${f.count(of("behind_records"))}</td>
          <td class=${`number${counters.errors ? " bad" : ""}`}>${f.count(counters.errors)}</td>
          <td class="number" data-value="packets_in">${f.count(counters.packets_in)}</td><td class="number" data-value="packets_out">${f.count(counters.packets_out)}</td>
          <td class="number">${f.count(counters.late)}</td><td class="number">${f.count(counters.dropped)}</td><td class="number">${f.bytes(counters.state_bytes)}</td></tr>`;
      })}</tbody></table></div>
    <div class="wide"><table class="links"><caption>Links</caption>
      <thead><tr><th scope="col">Link</th>${["Packets", "Bytes", "Between processes", "Sender waits", "Queue", "Packets so far"].map((word) => html`<th key=${word} scope="col" class="number">${word}</th>`)}</tr></thead>
      <tbody>${links.map((link) => {
        const of = (what) => values[`link/${link}/${what}`];
        return html`<tr key=${link} data-link=${link}><th scope="row"><button class="link" onClick=${() => select(`link/${link}`)}>${link}</button></th>
          <td class="number">${f.rate(of("packets"))}</td><td class="number">${f.byteRate(of("bytes"))}</td><td class="number">${f.byteRate(of("wire"))}</td>
          <td class="number" data-value="paused">${f.share(of("paused"))}</td><td class="number">${f.share(of("fill"))}</td>
          <td class="number" data-value="packets">${f.count(status.links[link].packets)}</td></tr>`;
      })}</tbody></table></div>`;
}

function OfOperator({ id, operator, run, counters, fed }) {
  const of = (what) => `operator/${id}/${what}`;
  const plots = [{ title: "Packets", unit: "packets/s", series: { [of("in")]: "in", [of("out")]: "out" } },
    ...(counters.watermark_us === undefined ? [] : [{ title: "Lag behind the clock", unit: "s", series: { [of("lag")]: "lag" } }]),
    { title: "Time of its tasks", unit: "share", series: { [of("busy")]: "the busiest runs", [of("paused")]: "waits for room" } },
    ...(counters.latency_p99_ms === undefined ? [] : [{ title: "Latency of 99 %", unit: "latency", series: { [of("latency")]: "latency" } }]),
    ...(counters.behind_records === undefined ? [] : [{ title: "Waiting at the server", unit: "records", series: { [of("behind_records")]: "records" } }]),
    { title: "Errors", unit: "1/s", series: { [of("errors")]: "errors" } }];
  return html`<h2>${id} <span class="quiet">${operator?.type}</span></h2>
    ${operator?.doc && html`<p>${operator.doc}</p>`}
    <p class="quiet">${instances(counters.resources ?? Array(operator?.parallelism ?? 1).fill(""))}${
      counters.watermark_us === undefined ? "" : `, event time ${f.date(counters.watermark_us / 1000)}`}</p>
    ${fed.length > 0 && html`<${Tail} run=${run} operator=${id} port="" />`}
    <${Plots} ...${run} plots=${plots} />
    ${Object.keys(operator?.fields ?? {}).length > 0 && html`<h3>Fields</h3><dl class="fields">${Object.entries(operator.fields).map(([name, value]) => html`
      <div key=${name}><dt>${name}</dt><dd><code>${typeof value === "string" ? value : JSON.stringify(value, null, 1)}</code></dd></div>`)}</dl>`}
    ${[...(operator?.inputs ?? []).map((port) => ["in", port]), ...(operator?.outputs ?? []).filter((port) => port.linked || port.name === "out").map((port) => ["out", port])].map(([way, port]) => html`
      <h3 key=${way + port.name}>${way === "in" ? "Takes at" : "Gives at"} ${port.name}</h3><ul class="schema">${columns(port.schema).map((column) => html`<li key=${column}><code>${column}</code></li>`)}</ul>`)}
    ${Object.entries(counters.counters ?? {}).map(([name, value]) => html`<p key=${name}>${name}: ${f.count(value)}</p>`)}`;
}

/** How many, and where which of them are: `3 instances: 0, 2 in near, 1 in far`. What a resource's name has of its run is left out. */
function instances(resources) {
  const by = new Map();
  resources.forEach((resource, number) => by.set(resource, [...(by.get(resource) ?? []), number]));
  const where = [...by].filter(([resource]) => resource).map(([resource, numbers]) => `${by.size > 1 ? `${numbers.join(", ")} ` : ""}in ${resource.split("__").pop()}`);
  return `${resources.length} instance${resources.length === 1 ? "" : "s"}${by.size > 1 ? ":" : ""} ${where.join(", ")}`;
}

/** The columns of a DDL text: commas inside of types part nothing. */
function columns(schema) {
  const found = [""];
  let depth = 0;
  for (const letter of schema) {
    depth += letter === "<" || letter === "(" ? 1 : letter === ">" || letter === ")" ? -1 : 0;
    if (letter === "," && depth === 0) found.push("");
    else found[found.length - 1] += letter;
  }
  return found.map((column) => column.trim()).filter(Boolean);
}

/** Some of the rows that come to a port, while they are looked at. */
function Tail({ run, operator, port }) {
  const [rows, setRows] = useState(null);
  const [problem, setProblem] = useState("");
  const looks = rows !== null;
  useEffect(() => {
    if (!looks) return undefined;
    let over = false;
    let timer = 0;
    let after = 0;
    const look = async () => {
      try {
        if (!document.hidden && !state.gone) {
          const query = new URLSearchParams({ run: run.run, port, after });
          const found = await ask(`/jobs/${encodeURIComponent(run.job)}/tail/${encodeURIComponent(operator)}?${query}`);
          after = found.next;
          if (!over) {
            setRows((before) => [...before, ...found.rows].slice(-TAIL));
            setProblem("");
          }
        }
      } catch (error) {
        if (!over) setProblem(error.message);
      }
      if (!over) timer = setTimeout(look, TAIL_MS);
    };
    look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [looks]);
  if (!state.tails) return null;
  return html`<div class="tail"><button aria-pressed=${String(looks)} onClick=${() => setRows(looks ? null : [])}>Rows that come${port ? ` to ${port}` : ""}</button>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${looks && html`<ol class="rows" tabindex="0" aria-label="Rows that come" aria-live="off">${rows.map((row, at) => html`<li key=${at}><code>${row}</code></li>`)}</ol>`}</div>`;
}

function OfLink({ link, run, counters }) {
  const of = (what) => `link/${link}/${what}`;
  return html`<h2>${link}</h2>
    <p class="quiet">${f.count(counters.packets)} packets, ${f.bytes(counters.bytes)}${counters.bytes_on_wire
      ? `, of which ${f.bytes(counters.bytes_on_wire)} travelled (${f.share(counters.bytes_on_wire / counters.bytes)})` : ""}${counters.senders
      ? `; ${counters.senders} sender${counters.senders > 1 ? "s" : ""}, whose queues have room for ${f.bytes(counters.capacity_bytes)}` : "; within one task, without a queue"}</p>
    <${Tail} run=${run} operator=${ends(link)[1]} port=${link.split("->")[1].split(".").slice(1).join(".")} />
    <${Plots} ...${run} plots=${[{ title: "Packets", unit: "packets/s", series: { [of("packets")]: "packets" } },
      { title: "Bytes", unit: "bytes/s", series: { [of("bytes")]: "before compression", [of("wire")]: "between processes" } },
      ...(counters.senders ? [{ title: "Pressure", unit: "share", series: { [of("paused")]: "sender waits", [of("fill")]: "queue" } }] : [])]} />`;
}

function Errors({ told, path }) {
  const { job } = told;
  const [shown, show] = useState("");
  const skipped = Object.entries(job.status?.skipped ?? {});
  const bad = Object.entries(job.status?.operators ?? {}).filter(([, counters]) => counters.errors > 0);
  return html`<div>
    ${bad.length > 0 && html`<div class="wide"><table><caption>Bad records of this start</caption>
      <thead><tr><th scope="col">Operator, for its last</th><th scope="col" class="number">Records</th><th scope="col">The first that was skipped</th></tr></thead>
      <tbody>${bad.map(([id, counters]) => html`<tr key=${id}><th scope="row"><button class="link" aria-pressed=${String(id === shown)}
        onClick=${() => show(id === shown ? "" : id)}>${id}</button></th><td class="number">${f.count(counters.errors)}</td>
        <td class="text">${skipped.find(([operator]) => operator === id)?.[1] ?? "–"}</td></tr>`)}</tbody></table></div>`}
    ${shown ? html`<h2>Bad records of ${shown}</h2><${Log} key=${shown} path=${`${path}/errors?run=${job.run}&operator=${encodeURIComponent(shown)}`}
        mark=${job.status?.operators?.[shown]?.errors} name=${`${job.name}.${shown}.records`} empty="None of them is kept." />`
      : html`<${Log} key="errors" path=${`${path}/errors?run=${job.run}`} mark=${told.errors} name=${`${job.name}.errors`} empty="It has not failed." />`}
  </div>`;
}

function Processes({ told }) {
  const { job, values } = told;
  const names = Object.keys(job.status?.resources ?? {});
  const run = { job: job.name, run: job.run };
  return html`<div>
    <div class="wide"><table><caption>Processes</caption><thead><tr><th scope="col">Resource</th><th scope="col" class="number">Process</th>
      <th scope="col" class="number">CPU, cores</th><th scope="col" class="number">Memory</th></tr></thead>
      <tbody>${names.map((name) => html`<tr key=${name}><th scope="row">${name}</th><td class="number">${job.status.resources[name].pid}</td>
        <td class="number">${f.cores(values[`resource/${name}/cpu`])}</td><td class="number">${f.bytes(values[`resource/${name}/memory`])}</td></tr>`)}</tbody></table></div>
    ${names.slice(0, 12).map((name) => html`<h2 key=${name}>${name}</h2><${Plots} ...${run} plots=${[
      { title: "Processor time", unit: "cores", series: { [`resource/${name}/cpu`]: "cores" } },
      { title: "Memory", unit: "bytes", series: { [`resource/${name}/memory`]: "resident" } }]} />`)}
  </div>`;
}
