/* Engine: neyman itself, in a Python that runs beside this page. Until it is there, the table answers. */

const LOADING = "This says the table, which answers until the exact engine is loaded.";
const ALONE = "This says the table, which answers alone: the exact engine did not start.";
const NOT_IN_TABLE = "The table does not hold this.";
const AS_A_FILE = "a page that is opened as a file may not read what lies beside it: serve its folder, such as by python -m http.server";
const TOO_LONG = "No answer within";
const BROKEN = "The engine broke down over this question, and starts again.";
const NO_REPORT = "A report needs packages that this page does not carry.";

class WorkerEngine {
  exact = true;
  axes = null; // any value may be asked
  unreported = `${NO_REPORT} ${LONGER}`;
  #given;
  #table;
  #told = () => {};
  #address;
  #worker = null;
  #state; // "loading", "up", "again" (it was ended), "failed"
  #why = "";
  #ready; // whether it is up, or has failed
  #settle;
  #heard = null; // who waits for an answer
  #count = 0;
  #turn = Promise.resolve();

  constructor({ worker, table }) {
    this.#given = worker;
    this.#table = table && new TableEngine(table);
    this.#address = URL.createObjectURL(new Blob([worker.program], { type: "text/javascript" }));
    this.#begin("loading");
  }

  get label() {
    return this.#words("loading Python");
  }

  /** `told(words, anew)` is called with what there is to say of it, and whether it answers otherwise from now on. */
  listen(told) {
    this.#told = told;
  }

  /** One question at a time: the others wait for their turn. */
  answer(question) {
    const turn = this.#turn.then(() => this.#answered(question));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #answered(question) {
    if (this.#state === "again" || (this.#table === null && this.#state === "loading")) await this.#ready;
    if (this.#state !== "up") return this.#meanwhile(question);
    if (question.ask === "report") return refusal(NO_REPORT, null, "", "not_certified", LONGER);
    return this.#asked(JSON.stringify(question));
  }

  async #meanwhile(question) {
    if (this.#table === null) return refusal(`The exact engine did not start: ${this.#why}.`, null, "", "not_certified", LONGER);
    // a table knows nothing of what other engines may be asked, not even that it does not
    const found = await this.#table.answer(question).catch(() => refusal(NOT_IN_TABLE, null, "", "not_certified", LONGER));
    if (found.ok) return found;
    const alone = this.#state === "failed";
    return { ...found, error: `${found.error} ${alone ? ALONE : LOADING}`, advice: alone ? found.advice : "" };
  }

  #asked(question) {
    this.#count += 1;
    const id = this.#count;
    const { patience } = this.#given;
    return new Promise((resolve) => {
      const late = () => this.#again(refusal(`${TOO_LONG} ${patience} seconds: nothing was decided.`, null, "", "too_long", LONGER));
      const timer = setTimeout(late, 1000 * patience);
      this.#heard = (found) => {
        clearTimeout(timer);
        this.#heard = null;
        resolve(found);
      };
      this.#worker.postMessage({ id, question });
    });
  }

  #begin(state) {
    const { base, files, packages, sources, first } = this.#given;
    this.#state = state;
    this.#ready = new Promise((resolve) => (this.#settle = resolve));
    if (!location.protocol.startsWith("http")) {
      this.#failed(AS_A_FILE);
      return;
    }
    const worker = new Worker(this.#address, { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }) => worker === this.#worker && this.#listen(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#listen({ failed: event.message ?? "workers are not allowed here" });
    };
    worker.postMessage({ base: new URL(base, location.href).href, files, packages, sources, first });
  }

  /** End what is being computed, and start anew; `found` is said to who waits for it. */
  #again(found) {
    this.#worker.terminate();
    this.#begin("again");
    this.#told(this.#words("starting again"), false);
    this.#heard(found);
  }

  #listen({ progress, up, failed, stopped, id, answer }) {
    if (progress) this.#told(this.#words(progress), false);
    else if (up) this.#settled("up");
    else if (failed) this.#failed(failed);
    else if (id === this.#count && stopped) this.#again(refusal(BROKEN, null, "", "not_certified"));
    else if (id === this.#count) this.#heard?.(JSON.parse(answer));
  }

  #failed(why) {
    this.#worker?.terminate();
    this.#why = why;
    this.#heard?.(refusal(BROKEN, null, "", "not_certified"));
    this.#settled("failed");
  }

  #settled(state) {
    const anew = this.#state === "loading" && this.#table !== null;
    this.#state = state;
    this.#settle();
    this.#told(this.#words(""), anew);
  }

  #words(progress) {
    if (this.#state === "up") return `exact engine, ${this.#given.runtime} in this page`;
    const known = this.#table ? "table of bounds" : "no engine";
    if (this.#state === "failed") return `${known}: the exact engine did not start (${this.#why})`;
    return this.#state === "again" ? `exact engine: ${progress}` : `${known}; exact engine: ${progress}`;
  }
}
