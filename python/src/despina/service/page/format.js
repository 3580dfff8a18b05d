/** Numbers as people read them. What is not known is a dash. */

const NONE = "–";
const known = (value) => value !== null && value !== undefined && Number.isFinite(value);

/** With a letter for thousands, three digits or so. */
function scaled(value, base, letters) {
  let step = 0;
  while (Math.abs(value) >= base * 0.9995 && step < letters.length - 1) {
    value /= base;
    step += 1;
  }
  const digits = step === 0 && Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toFixed(digits)}${letters[step]}`;
}

export const count = (value) => known(value) ? Math.round(value).toLocaleString("en") : NONE;
export const rate = (value) => known(value) ? `${scaled(value, 1000, ["", "k", "M", "G"])}/s` : NONE;
export const bytes = (value) => known(value) ? scaled(value, 1000, [" B", " kB", " MB", " GB", " TB"]) : NONE;
export const byteRate = (value) => known(value) ? `${bytes(value)}/s` : NONE;
export const share = (value) => known(value) ? `${Math.round(value * 100)} %` : NONE;
export const cores = (value) => known(value) ? value.toFixed(2) : NONE;

export function seconds(value) {
  if (!known(value)) {
    return NONE;
  }
  if (value < 60) {
    return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  }
  const units = [["d", 86400], ["h", 3600], ["min", 60]];
  const [word, size] = units.find(([, size]) => value >= size);
  return `${Math.floor(value / size)} ${word}`;
}

/** A time in which a packet travels, which is short. */
export const latency = (value) => known(value) ? value < 1 ? `${Number((value * 1000).toPrecision(2))} ms` : seconds(value) : NONE;

export const minute = (ms) => new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
export const day = (ms) => new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
export const date = (ms) => new Date(ms).toLocaleString("sv-SE");
export const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** By the unit that a series is declared with. */
export const BY_UNIT = {
  "packets/s": rate, "bytes/s": byteRate, "1/s": rate, "share": share, "s": seconds, "cores": cores, "bytes": bytes, "records": count, "latency": latency,
};
