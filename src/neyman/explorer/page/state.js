/* What is set, and its words in the address: restored only where each is one of the things it may be. */

const KINDS = {
  dpsgd: ["noise_multiplier", "sample_rate", "steps", "sampling"],
  gaussian: ["noise_multiplier", "count"],
  laplace: ["scale", "count"],
  randomized_response: ["epsilon", "k", "count"],
  given: ["name"],
};
const NUMBER = /^[0-9.eE+%/ -]{1,64}$/;
const SAMPLINGS = ["poisson", "allocation"];
const DEFAULTS = {
  kind: "dpsgd",
  noise_multiplier: "1",
  scale: "1",
  sample_rate: "0.01",
  steps: "1000",
  count: "1",
  epsilon: "1",
  k: "2",
  sampling: "poisson",
  name: "",
  fpr: "0.01",
  delta: "1e-5",
  floor: "1e-10",
  log: "",
  hold: "",
  target: "tpr",
  risk: "0.03",
  prior: "0.5",
  free: "noise_multiplier",
  a: null,
  b: null,
};
const ALWAYS = ["kind", "fpr", "delta", "floor", "log", "hold"];
const HELD = ["target", "risk", "prior", "free"];

/** The part of a state that engines are asked about. */
function settingsOf(state) {
  return { kind: state.kind, ...onlyGiven(state, KINDS[state.kind]) };
}

/** From the settings of an answer, or of the start, to texts of a state. */
function textsOf(settings) {
  const texts = {};
  for (const name of ["kind", ...(KINDS[settings.kind] ?? [])]) {
    const value = settings[name];
    if (typeof value === "number")
      texts[name] = String(value); // the same float, to its last digit
    else if (typeof value === "string") texts[name] = value;
  }
  return texts;
}

function toFragment(state) {
  const names = [...ALWAYS, ...KINDS[state.kind], ...(state.hold ? HELD : [])];
  const words = new URLSearchParams(names.filter((name) => state[name] !== "").map((name) => [name, state[name]]));
  for (const pin of ["a", "b"]) {
    if (state[pin] !== null) words.set(pin, Object.values(state[pin]).join(","));
  }
  return `#${words}`;
}

/** The part of a fragment that says something a state may hold; the rest of it is as if it were not there. */
function fromFragment(fragment, allowed) {
  const found = {};
  if (fragment.length > 2000) return found;
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  for (const [name, text] of words) {
    if (name === "a" || name === "b") found[name] = pinned(text, allowed);
    else if (Object.hasOwn(DEFAULTS, name) && may(name, text, allowed)) found[name] = text;
  }
  return found.kind === "given" && !found.name ? {} : found;
}

/** What a fragment says in a way that is not understood: names of ours, and nothing that was written. */
function notUnderstood(fragment, found) {
  if (fragment.length > 2000) return ["all of it"];
  const names = [...new URLSearchParams(fragment.replace(/^#/, "")).keys()];
  return [...new Set(names)].filter((name) => Object.hasOwn(DEFAULTS, name) && (found[name] ?? null) === null);
}

function may(name, text, allowed) {
  if (Object.hasOwn(allowed, name)) return allowed[name].includes(text);
  if (name === "log" || name === "hold") return text === "1";
  return NUMBER.test(text);
}

function pinned(text, allowed) {
  const [kind, ...rest] = text.split(",");
  if (!allowed.kind.includes(kind)) return null;
  const names = KINDS[kind];
  const values = kind === "given" ? [rest.join(",")] : rest;
  if (values.length !== names.length || !names.every((name, i) => may(name, values[i], allowed))) return null;
  return { kind, ...Object.fromEntries(names.map((name, i) => [name, values[i]])) };
}
