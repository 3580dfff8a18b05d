/**
 * A job in a notebook's cell: the page's own graph and plots, of what the kernel tells each second. Python puts FILES behind this
 * text, the page's files by their paths, for a notebook has no address from which modules could come.
 */

const KEPT = 600;
const SHEETS = ["vendor/uplot.css", "style.css"];
const GLOBAL = { "vendor/uplot.js": "uPlot" };      // is no module, and the plots take it from the window

/** Imports files of the page with all that they name. Each view has its own, and so a state of its own. */
function modules() {
  const urls = new Map();
  const url = (path) => {
    if (!urls.has(path)) {
      const text = FILES[path].replace(/from "\.\/([^"]+)"/g, (_, named) => `from "${url(named)}"`);
      const whole = path in GLOBAL ? `${text}\nglobalThis.${GLOBAL[path]} ??= ${GLOBAL[path]};` : text;
      urls.set(path, URL.createObjectURL(new Blob([whole], { type: "text/javascript" })));
    }
    return urls.get(path);
  };
  return { load: (path) => import(url(path)), release: () => urls.forEach((each) => URL.revokeObjectURL(each)) };
}

/** The last ten minutes of all series. */
class Past {
  constructor({ at_ms: times, values }) {
    this.times = [...times];
    this.values = new Map(Object.entries(values));
  }

  add({ at_ms: at, values }) {
    if (at <= (this.times.at(-1) ?? 0)) return;
    for (const name of Object.keys(values)) if (!this.values.has(name)) this.values.set(name, this.times.map(() => null));
    this.times.push(at);
    for (const [name, known] of this.values) known.push(values[name] ?? null);
    if (this.times.length > KEPT) for (const each of [this.times, ...this.values.values()]) each.shift();
  }

  /** As the service's history answers it. */
  told(names) {
    return { step_s: 1, at_ms: [...this.times], values: Object.fromEntries(names.map((name) => [name, [...this.values.get(name) ?? this.times.map(() => null)]])) };
  }
}

/** Light or dark as the notebook is, where it says so. */
function themed(host) {
  const data = document.body.dataset;
  const kind = data.jpThemeLight === "false" || data.vscodeThemeKind?.includes("dark") ? "dark" : data.jpThemeLight || data.vscodeThemeKind ? "light" : "";
  if (kind) host.dataset.theme = kind;
  dispatchEvent(new Event("despina-theme"));
}

function within(el) {
  const root = el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = SHEETS.map((path) => FILES[path]).join("\n");
  const box = document.createElement("div");
  root.append(style, box);
  return box;
}

async function view(model, el, past) {
  const { load, release } = modules();
  const [{ html, render, useState }, { Facts, Live }, { State }, service] = await Promise.all(
    ["vendor/htm-preact.js", "job.js", "screens.js", "service.js", "vendor/uplot.js"].map(load));
  service.listenToKernel(async (path) => past.told(new URLSearchParams(path.split("?")[1]).getAll("series")));
  const box = within(el);
  const watch = new MutationObserver(() => themed(el));
  watch.observe(document.body, { attributes: true });
  themed(el);
  function Cell({ told, form }) {
    const [selected, select] = useState("");
    const { job, values } = told;
    return html`<section class="cell" aria-label=${`the job ${job.name}`}>
      <div class="head"><h2>${job.name}</h2><${State} name=${job.state} />${told.lost && html`<span class="quiet">${told.lost}</span>`}</div>
      ${job.error && html`<p class="problem" role="alert"><code>${job.error.rule}</code> ${job.error.message}</p>`}
      <${Facts} job=${job} values=${values} /><${Live} told=${told} form=${form} selected=${selected} select=${select} /></section>`;
  }
  const draw = () => {
    service.tell(model.get("told"));
    render(html`<${Cell} told=${model.get("told")} form=${model.get("form")} />`, box);
  };
  draw();
  model.on("change:told", draw);
  return () => {
    model.off("change:told", draw);
    watch.disconnect();
    render(null, box);
    release();
  };
}

export default () => {
  let past = null;
  return {
    initialize({ model }) {
      past = new Past(model.get("past"));
      model.on("change:told", () => past.add(model.get("told")));
    },
    render: ({ model, el }) => view(model, el, past),
  };
};
