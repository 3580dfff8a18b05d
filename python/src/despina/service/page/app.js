/** The page: who asks, where one is, and how old what is shown is. */

import { html, render, useEffect, useErrorBoundary, useState } from "./vendor/htm-preact.js";
import { Editor } from "./editor.js";
import { Job } from "./job.js";
import { Spec, Specs } from "./saved.js";
import { Events, Jobs, Resources } from "./screens.js";
import { ageS, begin, enter, follow, isStale, leave, listen, state } from "./service.js";

const THEME = "despina.theme";
const PLACES = [["", "Jobs"], ["graphs", "Graphs"], ["events", "Events"], ["resources", "Resources"]];
const THEMES = { "": "as the system", light: "light", dark: "dark" };

const decoded = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;        // somebody's broken link
  }
};
const where = () => location.hash.replace(/^#\/?/, "").split("/").map(decoded);

function Login() {
  const [text, setText] = useState("");
  const given = (event) => {
    event.preventDefault();
    if (text.trim()) enter(text.trim());
  };
  return html`<main class="login"><form onSubmit=${given}>
    <h1>Despina</h1>
    <label for="token">Token</label>
    <input id="token" type="password" autocomplete="off" spellcheck="false" value=${text} onInput=${(e) => setText(e.target.value)} autofocus />
    ${state.denied && html`<p class="problem" role="alert">${state.denied}</p>`}
    <button>Enter</button>
    <p class="quiet">Of the service's folder, <code>admin.token</code>, or one that <code>despina token add NAME --role view</code> makes.
      It is kept until this tab is closed.</p>
  </form></main>`;
}

function Notice() {
  if (state.gone) {
    return html`<p class="notice bad" role="status">The service has gone: ${state.gone}. ${state.heardMs > 0 && `What is shown is ${ageS()} s old. `}It is asked again.</p>`;
  }
  if (isStale()) return html`<p class="notice" role="status">What is shown is ${ageS()} s old.</p>`;
  if (state.missing) return html`<p class="notice bad" role="status">No job can run: ${state.missing}</p>`;
  return null;
}

function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem(THEME) ?? "");
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem(THEME, theme);
    dispatchEvent(new Event("despina-theme"));
  }, [theme]);
  return html`<label class="theme">Colours <select value=${theme} onChange=${(e) => setTheme(e.target.value)}>${Object.entries(THEMES).map(([key, word]) => html`
    <option key=${key} value=${key}>${word}</option>`)}</select></label>`;
}

/** A screen. One that cannot be drawn leaves the rest of the page as it is. */
function Screen({ screen, name, tab }) {
  const [fault, again] = useErrorBoundary((error) => console.error(error));
  if (fault) return html`<p class="problem" role="alert">This cannot be shown: ${fault.message}. <button onClick=${again}>Again</button></p>`;
  if (screen === "job") return html`<${Job} name=${name} tab=${tab ?? ""} />`;
  if (screen === "graphs" || screen === "deployments") return name ? html`<${Spec} kinds=${screen} name=${name} />` : html`<${Specs} />`;
  if (screen === "edit") return html`<${Editor} name=${name ?? ""} />`;
  return screen === "events" ? html`<${Events} />` : screen === "resources" ? html`<${Resources} />` : html`<${Jobs} />`;
}

function App() {
  const [, setDrawn] = useState(0);
  const [[screen, name, tab], setPlace] = useState(where());
  useEffect(() => {
    listen(() => setDrawn((number) => number + 1));
    const moved = () => setPlace(where());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    follow(screen === "job" ? name : "");
    document.title = screen === "job" ? `${name} – Despina` : "Despina";
  }, [screen, name]);
  if (!state.token) return html`<${Login} />`;
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById("main").focus(); }}>To the content</a>
    <header><strong>Despina</strong>
      <nav aria-label="Screens">${PLACES.map(([key, word]) => html`<a key=${key} href=${`#/${key}`} aria-current=${screen === key ? "page" : screen === "job" && key === "" || (screen === "deployments" || screen === "edit") && key === "graphs" ? "true" : null}>${word}</a>`)}</nav>
      <${Theme} /><button onClick=${() => leave()}>Leave</button></header>
    <${Notice} />
    <main id="main" tabindex="-1" class=${state.gone || isStale() ? "stale" : ""}>
      <${Screen} key=${`${screen}/${name}`} screen=${screen} name=${name} tab=${tab} />
    </main>`;
}

const theme = localStorage.getItem(THEME);
if (theme) document.documentElement.dataset.theme = theme;
begin();
render(html`<${App} />`, document.getElementById("app"));
