/** Plots over time, of what the service has kept and of what comes. */

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { ask, isStale, state } from "./service.js";
import * as f from "./format.js";

const RANGES = [[1, 600, "10 min"], [10, 21600, "6 h"], [60, 604800, "7 d"]];
const AGAIN_MS = { 1: 1000, 10: 10000, 60: 60000 };
const LEAST = { latency: 0.001, records: 10, bytes: 1e6, "bytes/s": 1000, cores: 0.1 };
const GAP_STEPS = 5;
const COLOURS = ["--line-1", "--line-2", "--line-3"];

const colour = (box, name) => getComputedStyle(box).getPropertyValue(name).trim();

/** The last values as a line, without axes. */
export function Spark({ values, label }) {
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, at) => `${(60 - values.length + at) * 2},${22 - 20 * value / most}`).join(" ");
  return html`<svg class="spark" width="120" height="24" viewBox="0 0 118 24" role="img" aria-label=${label}>
    <polyline points=${points} /></svg>`;
}

/** Several plots that share their range. `plots`: {title, unit, series: {name: label}} */
export function Plots({ job, run, plots }) {
  const [step, setStep] = useState(1);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState("");
  const names = plots.flatMap((plot) => Object.keys(plot.series));
  const key = JSON.stringify([job, run, step, names]);
  useEffect(() => {
    let over = false;
    let timer = 0;
    const look = async () => {
      try {
        if (!document.hidden && !isStale()) {
          const query = new URLSearchParams([["step", step], ["run", run], ...names.map((name) => ["series", name])]);
          const answer = await ask(`/jobs/${encodeURIComponent(job)}/history?${query}`);
          if (!over) {
            setFound(answer);
            setProblem("");
          }
        }
      } catch (error) {
        if (!over) setProblem(error.message);
      }
      if (!over) timer = setTimeout(look, AGAIN_MS[step]);
    };
    setFound(null);
    look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key]);
  const length = RANGES.find(([each]) => each === step)[1];
  return html`<div class="plots">
    ${state.steps.length > 1 && html`<div class="ranges" role="group" aria-label="Range of the plots">${RANGES.map(([each, , word]) => html`
      <button key=${each} aria-pressed=${String(each === step)} onClick=${() => setStep(each)}>${word}</button>`)}</div>`}
    ${problem && html`<p class="quiet">No history: ${problem}</p>`}
    ${plots.map((plot) => html`<${Plot} key=${`${plot.title}${key}`} plot=${plot} found=${found} length=${length} />`)}
  </div>`;
}

/** The times, with one more in each gap, and which row each is; null for that one. */
function gapped(found) {
  const times = [];
  const rows = [];
  (found?.at_ms ?? []).forEach((ms, row) => {
    const at = ms / 1000;
    if (times.length && at - times.at(-1) > GAP_STEPS * found.step_s) {
      times.push(times.at(-1) + found.step_s);
      rows.push(null);
    }
    times.push(at);
    rows.push(row);
  });
  return { times, rows };
}

function Plot({ plot, found, length }) {
  const box = useRef(null);
  const chart = useRef(null);
  const [theme, setTheme] = useState(0);
  const format = f.BY_UNIT[plot.unit];
  const names = Object.keys(plot.series);
  useEffect(() => {
    const again = () => setTheme((number) => number + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    addEventListener("despina-theme", again);
    return () => {
      dark.removeEventListener("change", again);
      removeEventListener("despina-theme", again);
    };
  }, []);
  useEffect(() => {
    const axis = { stroke: colour(box.current, "--quiet"), grid: { stroke: colour(box.current, "--rule"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const options = {
      width: box.current.clientWidth, height: 120, legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
      scales: { y: { range: (u, least, most) => [0, plot.unit === "share" ? 1 : Math.max(most * 1.1, LEAST[plot.unit] ?? 1)] } },
      axes: [{ ...axis, size: 22, values: (u, ticks) => ticks.map((at) => at % 86400 === 0 && length > 86400 ? f.day(at * 1000) : f.minute(at * 1000)) }, { ...axis, size: 64, values: (u, ticks) => ticks.map(format) }],
      series: [{}, ...names.map((name, at) => ({ label: plot.series[name], stroke: colour(box.current, COLOURS[at]), width: 1.5, points: { show: false } }))],
      hooks: { setCursor: [(u) => shown(u.cursor.idx)] },
    };
    chart.current = new uPlot(options, [[], ...names.map(() => [])], box.current);
    const sized = new ResizeObserver(() => chart.current?.setSize({ width: box.current.clientWidth, height: 120 }));
    sized.observe(box.current);
    draw();
    return () => {
      sized.disconnect();
      chart.current.destroy();
      chart.current = null;
    };
  }, [theme, length]);
  const figures = useRef([]);
  const latest = useRef(null);
  const drawn = useRef([]);
  latest.current = found;
  const shown = (place) => {
    const values = latest.current?.values ?? {};
    names.forEach((name, at) => {
      const all = values[name] ?? [];
      if (figures.current[at]) figures.current[at].textContent = format(all[place === null || place === undefined ? all.length - 1 : drawn.current[place]]);
    });
  };
  const draw = () => {
    const { times, rows } = gapped(latest.current);
    const until = Math.max(state.atMs / 1000, times.at(-1) ?? 0);
    chart.current.setData([times, ...names.map((name) => rows.map((row) => row === null ? null : latest.current.values[name]?.[row] ?? null))], false);
    drawn.current = rows;
    chart.current.setScale("x", { min: until - length, max: until });
    shown(chart.current.cursor.idx);
  };
  useEffect(() => { if (chart.current) draw(); }, [found, length]);
  return html`<figure class="plot">
    <figcaption>${plot.title}${names.map((name, at) => html`
      <span class="key" key=${name}><i class=${`dot line-${at + 1}`}></i>${plot.series[name]} <b ref=${(node) => { figures.current[at] = node; }}></b></span>`)}
    </figcaption>
    <div class="chart" ref=${box} role="img" aria-label=${`${plot.title}: ${Object.values(plot.series).join(", ")} over time`}></div>
  </figure>`;
}
