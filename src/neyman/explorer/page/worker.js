/* What runs beside the page: Python as WebAssembly, and neyman in it. Nothing is run, or read by what runs, before its
   SHA-256 is the one that the page was made with; and nothing is asked of anybody but the place the page came from. */

const PROGRAM = `
import json
from neyman.explorer.answers import Answers, refusal

def _asker():
    answers = Answers()
    def ask(text):
        try:
            return json.dumps({**answers(json.loads(text)), "engine": "worker"}, allow_nan=False)
        except Exception as error:
            words = f"No answer: {type(error).__name__} (not foreseen: please report it)."
            return json.dumps(refusal("not_certified", words))
    return ask

_asker()
`;
const MEGABYTE = 1e6;
const NOT_SAFE = "digests are computed only for pages that come by https, or from this machine";
const carried = new Map(); // names to bytes: what was checked
const ask = fetch;
let answer = null;

onmessage = ({ data }) => (data.files ? begin(data) : reply(data));

async function begin({ base, files, packages, sources, first }) {
  try {
    await load(base, files);
    tell("starting Python");
    const python = await start(base);
    tell("starting NumPy and SciPy");
    await install(python, packages, sources);
    tell("first answer");
    answer = python.runPython(PROGRAM);
    agree(JSON.parse(answer(JSON.stringify(first.question))), first.brackets);
    postMessage({ up: true });
  } catch (fault) {
    postMessage({ failed: String(fault?.message ?? fault).trim().split("\n").at(-1) });
  }
}

function reply({ id, question }) {
  try {
    postMessage({ id, answer: answer(question) });
  } catch (fault) {
    postMessage({ id, stopped: String(fault?.name ?? fault) }); // Python's own errors do not come so far
  }
}

const tell = (words) => postMessage({ progress: words });

/** Every file, checked, before the first of them is used. */
async function load(base, files) {
  if (!globalThis.crypto?.subtle) throw new Error(NOT_SAFE);
  const all = files.reduce((sum, file) => sum + file.bytes, 0);
  let here = 0;
  const count = (bytes) => {
    here += bytes;
    tell(`loading Python: ${Math.floor(here / MEGABYTE)} of ${Math.ceil(all / MEGABYTE)} MB`);
  };
  await Promise.all(files.map(async (file) => carried.set(file.name, await checked(base, file, count))));
}

/** The file, or an error; what an older page left in the browser's cache is asked for once more. */
async function checked(base, file, count) {
  for (const cache of ["default", "reload"]) {
    const bytes = await read(new URL(file.name, base), file, cache, count);
    if (bytes !== null && (await digest(bytes)) === file.sha256) return bytes;
    if (bytes !== null) count(-bytes.length);
  }
  throw new Error(`${file.name} is not the file that this page was made with`);
}

/** As many bytes as there should be; null where there are more or fewer. */
async function read(address, { name, bytes: size }, cache, count) {
  const found = await ask(address, { cache, mode: "same-origin", credentials: "same-origin", redirect: "error" });
  if (!found.ok) throw new Error(`${name} is not there (${found.status})`);
  const bytes = new Uint8Array(size);
  const reader = found.body.getReader();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (length + value.length > size) {
      reader.cancel().catch(() => {});
      count(-length);
      return null;
    }
    bytes.set(value, length);
    length += value.length;
    count(value.length);
  }
  if (length === size) return bytes;
  count(-length);
  return null;
}

async function digest(bytes) {
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function start(base) {
  const { loadPyodide } = await program("pyodide.mjs");
  const { default: createPyodideModule } = await program("pyodide.asm.mjs");
  globalThis.fetch = (request) => handed(base, request);
  const lockFileContents = new TextDecoder().decode(carried.get("pyodide-lock.json"));
  return loadPyodide({ indexURL: base, packageBaseUrl: base, lockFileContents, createPyodideModule, stdout() {}, stderr() {} });
}

async function install(python, packages, sources) {
  const told = [];
  await python.loadPackage(packages, { messageCallback() {}, errorCallback: (words) => told.push(words) });
  if (told.length > 0) throw new Error(told.join(" "));
  python.unpackArchive(carried.get(sources), "zip", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  carried.clear();
}

/** Two brackets of one number, both certified, have a number in common: else one of the two is false. */
function agree(found, brackets) {
  if (!found.ok) throw new Error(`it cannot answer: ${found.error}`);
  for (const [name, [lower, upper]] of Object.entries(brackets)) {
    const { lower: low, upper: high } = found.numbers[name] ?? {};
    const known = typeof low === "number" && typeof high === "number";
    if (!(known && low <= upper && lower <= high)) throw new Error(`its first answer contradicts what was certified of ${name}`);
  }
}

async function program(name) {
  const address = URL.createObjectURL(new Blob([carried.get(name)], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** What the runtime asks for, from what was checked; there is nothing else. */
async function handed(base, request) {
  const address = new URL(request.url ?? request, base).href;
  const bytes = address.startsWith(base) ? carried.get(address.slice(base.length)) : undefined;
  if (bytes === undefined) throw new TypeError(`${address} is not carried with this page`);
  return new Response(bytes, { headers: { "Content-Type": address.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
}
