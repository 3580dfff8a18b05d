/**
 * What the page knows of the service: a token, the live stream, and requests. Everything is told to one listener. In a notebook
 * there is no service: the kernel tells what its job does, and answers what is asked.
 */

const TOKEN = "despina.token";
const STALE_MS = 3500;
const RETRY_MS = [500, 1000, 2000, 5000];
export const SPARK = 60;
const REMEMBERED = 24;

/** What the screens draw. Of this module's functions alone; a screen only reads. */
export const state = {
  token: "", denied: "", jobs: null, job: null, place: "", heardMs: 0,
  atMs: 0, missing: "", gone: "", sparks: new Map(), following: "",
  steps: [1, 10, 60], tails: true,      // which history there is, and whether rows can be looked at
};

let changed = () => {};
let answered = overHttp;
let reading = null;
let failures = 0;
let timer = 0;

/** Takes the token that this tab has, and reads the live stream with it. */
export function begin() {
  state.token = sessionStorage.getItem(TOKEN) ?? "";
  if (state.token) read();
}

/** Has a listener told of every change. */
export function listen(listener) {
  changed = listener;
  setInterval(() => { if (isStale() || state.gone) changed(); }, 1000);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stopReading();
    else if (state.token) read();
  });
}

/** Has the kernel of a notebook answer in place of a service: `answer(path)`. It keeps ten minutes, and gives no rows to look at. */
export function listenToKernel(answer) {
  answered = answer;
  Object.assign(state, { steps: [1], tails: false });
}

/** What such a kernel says of its job. */
export function tell(job) {
  Object.assign(state, { job, atMs: job.at_ms, heardMs: Date.now() });
}

export const isStale = () => state.heardMs > 0 && Date.now() - state.heardMs > STALE_MS;
export const ageS = () => Math.round((Date.now() - state.heardMs) / 1000);

export function enter(token) {
  state.token = token;
  state.denied = "";
  sessionStorage.setItem(TOKEN, token);
  read();
}

export function leave(why = "") {
  stopReading();
  sessionStorage.removeItem(TOKEN);
  Object.assign(state, { token: "", denied: why, jobs: null, job: null, place: "", heardMs: 0, gone: "" });
  state.sparks.clear();
  changed();
}

/** Follows one job as a whole, beside all in short; an empty name for none. */
export function follow(job) {
  if (job !== state.following) {
    state.following = job;
    state.job = null;
    if (state.token) read();
  }
}

/** An answer as JSON. Throws an Error with what the service says. */
export const ask = (path, options = {}) => answered(path, options);

async function overHttp(path, options) {
  const { token } = state;
  const answer = await fetch(`api/v1${path}`, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });
  if (answer.status === 401 && token === state.token) {
    leave("The token is not known, or was taken back.");
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => null);
    const found = told?.diagnostics?.[0];
    throw new Error(found ? [found.message, found.hint].filter(Boolean).join(" – ") : `HTTP ${answer.status}`);
  }
  return answer.status === 204 ? null : answer.json();
}

function stopReading() {
  clearTimeout(timer);
  reading?.abort();
  reading = null;
}

async function read() {
  stopReading();
  const mine = new AbortController();
  reading = mine;
  const query = new URLSearchParams();
  if (state.following) query.set("job", state.following);
  if (state.place) query.set("after", state.place);
  try {
    const answer = await fetch(`api/v1/live?${query}`, { headers: { authorization: `Bearer ${state.token}` }, signal: mine.signal });
    if (answer.status === 401 || answer.status === 403) {
      leave("The token is not known, or was taken back.");
      return;
    }
    if (!answer.ok) {
      const told = await answer.json().catch(() => null);
      throw new Error(told?.diagnostics?.[0]?.message ?? `HTTP ${answer.status}`);
    }
    await messages(answer.body, mine.signal);
    throw new Error("the service has ended the stream");
  } catch (error) {
    if (!mine.signal.aborted) {
      state.gone = error instanceof TypeError ? "it does not answer" : error.message;
      timer = setTimeout(read, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
      failures += 1;
      changed();
    }
  }
}

async function messages(body, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    text += value;
    const whole = text.split("\n\n");
    text = whole.pop();
    for (const message of whole) take(message);
    if (whole.length) {
      failures = 0;
      state.gone = "";
      state.heardMs = Date.now();
      changed();
    }
  }
}

function take(message) {
  const fields = Object.fromEntries(message.split("\n").map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  }));
  const data = JSON.parse(fields.data);
  if (fields.event === "jobs") {
    if (!state.jobs) remember(data.jobs.slice(0, REMEMBERED));
    state.jobs = data.jobs;
    state.missing = data.missing;
    state.atMs = data.at_ms;
    for (const job of data.jobs) spark(job);
  } else if (fields.event === "job") {
    state.job = data;
  } else if (fields.event === "events") {
    state.place = fields.id;    // their screen reads them from /events
  }
}

/** The last minute of jobs that ran before the page was opened. */
async function remember(jobs) {
  for (const job of jobs.filter((each) => each.values.in !== undefined)) {
    try {
      const query = `run=${job.run}&series=job/in&after_ms=${state.atMs - SPARK * 1000}`;
      const found = await ask(`/jobs/${encodeURIComponent(job.name)}/history?${query}`);
      state.sparks.set(`${job.name}/${job.run}`, found.values["job/in"].slice(-SPARK));
    } catch {
      return;     // it fills as the seconds come
    }
  }
  changed();
}

function spark(job) {
  const key = `${job.name}/${job.run}`;
  if (!state.sparks.has(key)) {
    state.sparks.set(key, []);
    if (state.sparks.size > 2000) state.sparks.delete(state.sparks.keys().next().value);
  }
  const values = state.sparks.get(key);
  values.push(job.values.in ?? 0);
  if (values.length > SPARK) values.shift();
}

/** The lines of a log, as they come: the newest that are kept, and on. `take` gets all of those that are shown. */
export class Lines {
  constructor(path, most) {
    this.path = path;
    this.most = most;
    this.lines = [];
    this.place = "";
    this.asking = false;
    this.wanted = false;
  }

  /** Asks for what is behind the last line, and once more if it is called meanwhile; whether anything came. */
  async more() {
    this.wanted = true;
    if (this.asking) return false;
    this.asking = true;
    try {
      let came = false;
      for (;;) {
        this.wanted = false;
        const where = this.place ? `after=${this.place}` : "last=true";
        const found = await ask(`${this.path}${this.path.includes("?") ? "&" : "?"}${where}`);
        this.place = found.next;
        came ||= found.lines.length > 0;
        this.lines = [...this.lines, ...found.lines].slice(-this.most);
        if (!found.lines.length && !this.wanted) return came;
      }
    } finally {
      this.asking = false;
    }
  }
}
