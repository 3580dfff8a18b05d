/** The live graph: operators with their rates, links coloured by the share of time in which their sender waits. */

import { html, useMemo, useRef, useState, useEffect } from "./vendor/htm-preact.js";
import dagre from "./vendor/dagre.js";
import * as f from "./format.js";

const WIDTH = 178;
const HEIGHT = 62;
const LABEL = { width: 64, height: 46 };
const QUEUE = 40;
const LEAST_SCALE = 0.75;

/** The operators that a link connects. */
export const ends = (link) => link.split("->").map((end) => end.split(".")[0]);

function placed(operators, links) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 22, ranksep: 64, edgesep: 14, marginx: 10, marginy: 10 });
  graph.setDefaultEdgeLabel(() => ({}));
  operators.forEach((id) => graph.setNode(id, { width: WIDTH, height: HEIGHT }));
  links.forEach((link) => {
    const [from, to] = ends(link);
    graph.setEdge(from, to, { ...LABEL, labelpos: "c" }, link);
  });
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const nodes = new Map(operators.map((id) => [id, graph.node(id)]));
  const edges = graph.edges().map((edge) => ({ link: edge.name, ...graph.edge(edge) }));
  return { width: Math.max(width, 1), height: Math.max(height, 1), nodes, edges: edges.map((edge) => ({ ...edge, line: path(edge, nodes) })) };
}

/** From the right side of an operator to the left one of the next, level at each point on the way. */
function path(edge, nodes) {
  const [from, to] = ends(edge.link).map((id) => nodes.get(id));
  let at = { x: from.x + WIDTH / 2, y: from.y };
  let text = `M${at.x},${at.y}`;
  const curve = (x, y) => {
    const middle = (at.x + x) / 2;
    text += `C${middle},${at.y} ${middle},${y} ${x},${y}`;
    at = { x, y };
  };
  for (const { x, y } of edge.points.slice(1, -1)) {
    const half = x === edge.x ? LABEL.width / 2 : 0;
    curve(x - half, y);
    at = { x: x + half, y };
    text += `L${at.x},${at.y}`;
  }
  curve(to.x - WIDTH / 2, to.y);
  return text;
}

/** How bad a wait is, in words and for the colour. */
export const pausedLevel = (share) => share >= 0.5 ? 3 : share >= 0.1 ? 2 : share >= 0.01 ? 1 : 0;

export function Graph({ operators, links, types, values, counters, selected, select }) {
  const key = JSON.stringify([operators, links]);
  const layout = useMemo(() => placed(operators, links), [key]);
  const feeds = new Set(links.map((link) => ends(link)[0]));
  const fed = new Set(links.map((link) => ends(link)[1]));
  const box = useRef(null);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    const sized = new ResizeObserver(() => setRoom(box.current?.clientWidth ?? 0));
    sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  const scale = room ? Math.min(1, Math.max(LEAST_SCALE, room / layout.width)) : 1;
  return html`<div class="graph" ref=${box}>
    <svg width=${layout.width * scale} height=${layout.height * scale} viewBox=${`0 0 ${layout.width} ${layout.height}`} role="group"
      aria-label="The graph; each operator and link is a button">
      <defs>${[0, 1, 2, 3].map((level) => html`<marker key=${level} id=${`arrow-${level}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"
        markerHeight="7" orient="auto" markerUnits="userSpaceOnUse"><path class=${`arrow paused-${level}`} d="M0,0L8,4L0,8z" /></marker>`)}</defs>
      ${layout.edges.map((edge) => html`<${Edge} key=${edge.link} edge=${edge} line=${edge.line} values=${values} counters=${counters.links?.[edge.link]}
        selected=${selected === `link/${edge.link}`} select=${select} />`)}
      ${operators.map((id) => html`<${Node} key=${id} id=${id} begins=${!fed.has(id)} stops=${!feeds.has(id)} at=${layout.nodes.get(id)} type=${types[id] ?? ""} values=${values}
        counters=${counters.operators?.[id] ?? {}} selected=${selected === `operator/${id}`} select=${select} />`)}
    </svg>
  </div>`;
}

const pressed = (action) => (event) => {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    action();
  }
};

function Node({ id, begins, stops, at, type, values, counters, selected, select }) {
  const of = (what) => values[`operator/${id}/${what}`];
  const choose = () => select(`operator/${id}`);
  const lag = of("lag");
  const busy = of("busy");
  const latency = of("latency");
  const words = `operator ${id}, ${type}, in ${f.rate(of("in"))}, out ${f.rate(of("out"))}${lag === undefined ? "" : `, lag ${f.seconds(lag)}`}`
    + `${busy === undefined ? "" : `, busy ${f.share(busy)} of the time`}${latency === undefined ? "" : `, latency ${f.latency(latency)}`}`
    + `${counters.errors ? `, ${f.count(counters.errors)} errors` : ""}`;
  return html`<g class=${`node${selected ? " selected" : ""}${counters.errors ? " bad" : ""}`} tabindex="0" role="button" aria-label=${words}
      aria-pressed=${String(selected)} data-operator=${id} transform=${`translate(${at.x - WIDTH / 2},${at.y - HEIGHT / 2})`}
      onClick=${choose} onKeyDown=${pressed(choose)}>
    <title>${words}</title>
    <rect class="box" width=${WIDTH} height=${HEIGHT} rx="7" />
    ${busy !== undefined && html`<rect class="busy" x="2" y=${HEIGHT - 6} width=${(WIDTH - 4) * Math.min(1, busy)} height="4" rx="2" />`}
    <text class="id" x="10" y="19">${f.cut(id, counters.errors > 0 ? 14 : 19)}</text>
    <text class="type" x="10" y="34">${f.cut(type, 16)}</text>
    ${lag !== undefined && html`<text class="type end" x=${WIDTH - 10} y="34">lag ${f.seconds(lag)}</text>`}
    <text class="figure" x="10" y="51">${begins ? "" : f.rate(of("in"))} → ${stops ? "" : f.rate(of("out"))}</text>
    ${latency !== undefined && html`<text class="figure end" x=${WIDTH - 10} y="51">${f.latency(latency)}</text>`}
    ${counters.errors > 0 && html`<text class="errors end" x=${WIDTH - 10} y="19">${f.count(counters.errors)} ✕</text>`}
  </g>`;
}

function Edge({ edge, line, values, counters, selected, select }) {
  const of = (what) => values[`link/${edge.link}/${what}`];
  const level = pausedLevel(of("paused") ?? 0);
  const choose = () => select(`link/${edge.link}`);
  const fill = of("fill");
  const words = `link ${edge.link}, ${f.rate(of("packets"))}, sender waits ${f.share(of("paused"))} of the time, queue ${f.share(fill)} full`
    + `${counters?.paused ? ", paused now" : ""}`;
  return html`<g class=${`edge paused-${level}${selected ? " selected" : ""}`} tabindex="0" role="button" aria-label=${words}
      aria-pressed=${String(selected)} data-link=${edge.link} data-level=${level} onClick=${choose} onKeyDown=${pressed(choose)}>
    <title>${words}</title>
    <path class="reach" d=${line} />
    <path class="line" d=${line} marker-end=${`url(#arrow-${level})`} />
    <g transform=${`translate(${edge.x},${edge.y})`}>
      <rect class="back" x=${-LABEL.width / 2} y=${-LABEL.height / 2} width=${LABEL.width} height=${LABEL.height} rx="5" />
      <text class="figure" y="-6">${f.rate(of("packets"))}</text>
      <rect class="queue" x=${-QUEUE / 2} y="6" width=${QUEUE} height="3" />
      <rect class="fill" x=${-QUEUE / 2} y="6" width=${QUEUE * Math.min(1, fill ?? 0)} height="3" />
      ${level > 0 && html`<text class="waits" y="21">waits ${f.share(of("paused"))}</text>`}
    </g>
  </g>`;
}
