/* Engine: a table whose every entry is an upper bound. What is typed between stops is answered by the stop beyond it. */

const PARAMETERS = { noise_multiplier: "noise multiplier", sample_rate: "sample rate", steps: "number of steps" };
const SAFER = { noise_multiplier: 1, sample_rate: -1, steps: -1 }; // the direction in which a run protects more
const NO_ENGINE = "A report needs the engine, which this page does not hold.";
const LONGER = "Run `neyman explore` for an engine that knows.";

const IN_TABLES = ["tpr", "epsilon", "mu", "advantage", "bayes_error"]; // of the targets

class TableEngine {
  label = "table of bounds";
  exact = false;
  elsewhere = false;
  unreported = `${NO_ENGINE} ${LONGER}`;
  #table;
  #exactly; // the stops of each axis as fractions
  #deltas;

  constructor(table) {
    this.#table = table;
    this.#exactly = Object.fromEntries(Object.entries(table.axes).map(([name, texts]) => [name, texts.map(rational)]));
    this.#deltas = table.deltas.map(rational);
  }

  get axes() {
    return { ...this.#table.axes, delta: [...this.#table.deltas].reverse() };
  }

  async answer(question) {
    const asked = { promise: this._promise, solve: this._solve, compare: this._compare, copy: this._copy, report: this._report };
    try {
      if (!Object.hasOwn(asked, question.ask)) throw new Unanswerable(`This table does not answer ${question.ask}.`, "ask", "", "invalid", LONGER);
      return asked[question.ask].call(this, question);
    } catch (fault) {
      if (fault instanceof Unanswerable) return refusal(fault.message, fault.parameter, fault.allowed, fault.kind, fault.advice);
      throw fault;
    }
  }

  _promise(question) {
    const at = this.#place(question.settings);
    return this.#promise(question, at, this.#beside(question));
  }

  _solve(question) {
    const { free, target } = question;
    if (question.settings.kind !== "dpsgd") this.#place(question.settings); // which says why not
    if (!Object.hasOwn(this.#table.axes, free)) {
      const which = Object.keys(PARAMETERS).join(", ");
      throw new Unanswerable(`This table has no axis ${free}, only ${which}.`, "free", "", "not_certified", LONGER);
    }
    if (!IN_TABLES.includes(target.name))
      throw new Unanswerable(`This table does not know the target ${target.name}.`, "target", "", "not_certified", LONGER);
    const least = rational(target.value);
    if (least === null) throw outside("risk", target.value, "a number such as 0.3 or 30%");
    const beside = this.#beside({ ...question, ...onlyGiven(target, ["delta", "fpr"]) });
    const at = this.#place({ ...question.settings, [free]: this.#table.axes[free][0] });
    const trials = this.#table.axes[free].map((_, i) => i);
    if (SAFER[free] < 0) trials.reverse();
    for (const i of trials) {
      const answer = this.#promise(question, { ...at, index: { ...at.index, [free]: i } }, beside);
      const number = answer.numbers[target.name];
      const found = number && !number.refused ? order(rational(number.text), least) : NaN;
      if (target.name === "bayes_error" ? found >= 0 : found <= 0) return this.#solved(answer, free, i, target);
    }
    throw new Unanswerable("No stop of the table meets it.", "risk", "", "not_certified", LONGER);
  }

  #solved(answer, free, i, target) {
    const text = this.#table.axes[free][i];
    const sentence = `A ${PARAMETERS[free]} of ${text} meets it, with ${answer.numbers[target.name].text}: the first stop that does.`;
    return { ...answer, solved: { parameter: free, value: Number(text), text, met: true, sentence } };
  }

  _compare(question) {
    const a = this._promise(question);
    const b = this._promise({ ...question, settings: question.other });
    const signs = Object.keys(SAFER).map(
      (name) => SAFER[name] * order(rational(a.settings[name]), rational(b.settings[name])),
    );
    const [some, less] = [signs.some((sign) => sign > 0), signs.some((sign) => sign < 0)];
    const known = some && less ? "undecided" : some ? "a" : less ? "b" : "equal";
    return { v: 1, ok: true, a, b, order: known, crossings: [], sentence: ORDERS[known] };
  }

  _copy(question) {
    const answer = this._promise(question);
    const { noise_multiplier: noise, sample_rate: rate, steps } = answer.at;
    const { settings: typed, certain } = answer;
    const whose = `noise multiplier ${typed.noise_multiplier}, sample rate ${typed.sample_rate}, ${typed.steps} steps`;
    const note = certain === "safe stop" ? `a stop of the table that protects no more than ${whose}` : "";
    const comment = note && `# ${note}\n`;
    return {
      v: 1,
      ok: true,
      python: `${comment}import neyman as ny\n\nprint(${answer.code}.account().summary())`,
      command: `${comment}neyman dpsgd --noise-multiplier ${noise} --sample-rate ${rate} --steps ${steps}`,
      sentence: `The mechanism satisfies ${answer.headline.number} (neyman ${this.#table.version}${note && `; ${note}`}).`,
      bibtex: "",
    };
  }

  _report() {
    throw new Unanswerable(NO_ENGINE, null, "", "not_certified", LONGER);
  }

  /** Which stop answers for these settings. */
  #place(settings) {
    if (settings.kind !== "dpsgd")
      throw new Unanswerable(`This table holds DP-SGD, not ${settings.kind}.`, "kind", "", "invalid", LONGER);
    if (settings.sampling === "allocation") {
      throw new Unanswerable("This table holds Poisson samples, not random allocation.", "sampling", "", "invalid", LONGER);
    }
    const index = {};
    let exact = true;
    for (const name of Object.keys(PARAMETERS)) {
      const texts = this.#table.axes[name];
      const allowed = `a ${name === "steps" ? "whole " : ""}number from ${texts[0]} to ${texts.at(-1)} in this table`;
      const typed = rational(settings[name]);
      if (typed === null || typed.over <= 0n || (name === "steps" && typed.over % typed.under !== 0n))
        throw outside(name, settings[name], allowed);
      index[name] = SAFER[name] > 0 ? lastAtMost(this.#exactly[name], typed) : firstAtLeast(this.#exactly[name], typed);
      if (index[name] < 0) throw outside(name, settings[name], allowed, LONGER);
      exact &&= order(this.#exactly[name][index[name]], typed) === 0;
    }
    return { index, exact, typed: onlyGiven(settings, Object.keys(PARAMETERS)) };
  }

  /** The delta, the false alarm rate and the floor of a question, and what answers for them. */
  #beside({ delta = "1e-5", fpr = "0.01", floor = this.#table.floor }) {
    const wanted = rational(delta);
    const row = wanted === null ? -1 : this.#deltas.findIndex((stop) => order(stop, wanted) <= 0);
    const least = this.#table.deltas.at(-1);
    if (row < 0 || order(wanted, ONE) >= 0)
      throw outside("delta", delta, `a number from ${least} to below 1 in this table`);
    const rate = rational(fpr);
    if (rate === null || rate.over <= 0n || order(rate, ONE) >= 0)
      throw outside("fpr", fpr, "a number in (0, 1), such as 0.01 or 1%");
    const above = rational(floor);
    if (above === null || order(above, rational(this.#table.floor)) < 0 || order(above, ONE) >= 0) {
      throw outside("floor", floor, `a number from ${this.#table.floor} to below 1 in this table`);
    }
    return { row, delta: placed(delta), fpr: placed(fpr), rate };
  }

  #promise(question, { index, exact, typed }, { row, delta, fpr, rate }) {
    const { axes, deltas, floor, mu, regret, advantage, epsilon, version } = this.#table;
    const flat =
      (index.noise_multiplier * axes.sample_rate.length + index.sample_rate) * axes.steps.length + index.steps;
    const pairs = [...deltas.map((text, i) => [epsilon[i][flat], text]), ["0", advantage[flat]]]; // no delta at epsilon 0 is larger
    const envelope = new Envelope(pairs.filter((pair) => !pair.includes(null)));
    const at = Object.fromEntries(Object.keys(PARAMETERS).map((name) => [name, axes[name][index[name]]]));
    const numbers = this.#numbers({
      envelope,
      advantage: advantage[flat],
      mu: mu[flat],
      regret: exact ? regret[flat] : null,
      epsilon: epsilon[row][flat],
      delta: deltas[row],
      fpr,
      rate,
    });
    return {
      v: 1,
      ok: true,
      engine: "table",
      version,
      settings: { kind: "dpsgd", sampling: "poisson", ...typed },
      certain: exact ? "exact setting" : "safe stop",
      at,
      run: `DP-SGD: noise multiplier ${at.noise_multiplier}, sample rate ${at.sample_rate}, ${grouped(at.steps)} steps on Poisson samples.`,
      code: `ny.DPSGD(noise_multiplier=${at.noise_multiplier}, sample_rate=${at.sample_rate}, steps=${at.steps})`,
      numbers,
      headline: this.#headline(numbers, deltas[row]),
      odds: oddsOf(envelope, rate),
      curve: envelope.corners,
      gaussian: null,
      delta,
      fpr,
      floor: Number(floor),
    };
  }

  #numbers({ envelope, advantage, mu, regret, epsilon, delta, fpr, rate }) {
    const detected = upward(envelope.detected(fpr));
    const error = downward(envelope.equal);
    return {
      tpr: bound(
        detected,
        `At a false alarm rate of ${written(rate)}, at most a share ${detected} of those in the data is accused.`,
      ),
      epsilon: bound(epsilon, `At delta = ${delta}, epsilon is at most ${epsilon}.`),
      mu: bound(
        mu,
        `At error rates of ${this.#table.floor} and above, every attack is at most as good as against a Gaussian mechanism with mu = ${mu}.`,
      ),
      regret:
        regret === null
          ? { text: "", refused: "The table knows regret at its stops alone." }
          : bound(regret, `Stating mu alone overstates the risk by at most ${regret}.`),
      advantage: bound(
        advantage,
        `The accused among those in the data are at most ${advantage} more, in share, than among those left out.`,
      ),
      bayes_error: bound(
        error,
        `An attacker who must tell one in from one out, at even odds, errs with a chance of at least ${error}.`,
        "at least",
      ),
    };
  }

  #headline({ mu, regret, epsilon }, delta) {
    const alone = mu.refused ? "none certified" : `${mu.text}-GDP at error rates of ${this.#table.floor} and above`;
    if (!mu.refused && !regret.refused && order(rational(regret.text), { over: 1n, under: 100n }) < 0) {
      return {
        number: alone,
        why: `its regret, ${regret.text}, is below 0.01, so mu is the whole story`,
        report: "mu",
      };
    }
    const known = regret.refused
      ? "the table knows the regret of mu at its stops alone"
      : `the regret of mu, ${regret.text}, is not below 0.01`;
    const number = epsilon.refused ? alone : `(epsilon <= ${epsilon.text}, delta = ${delta})-DP`;
    return { number, why: `${known}, so report the profile (epsilon at several deltas)`, report: "profile" };
  }
}

const ONE = { over: 1n, under: 1n };
const ORDERS = {
  a: "A is never less private than B: no less noise, no higher rate, no more steps.",
  b: "B is never less private than A: no less noise, no higher rate, no more steps.",
  equal: "A and B are the same settings.",
  undecided: `A table of upper bounds cannot tell which is safer. ${LONGER}`,
};

class Unanswerable extends Error {
  constructor(message, parameter, allowed, kind = "invalid", advice = "") {
    super(message);
    Object.assign(this, { parameter, allowed, kind, advice });
  }
}

function outside(name, typed, allowed, advice = "") {
  return new Unanswerable(`${name} must be ${allowed}, got ${typed}.`, name, allowed, "invalid", advice);
}

function bound(text, says, side = "at most") {
  if (text === null) return { text: "none certified", refused: "Nothing is certified here." };
  return { text, says, refused: "", bracket: `${side} ${text}` };
}

/** Natural frequencies: of so many left out and as many in, how many are accused; null of rates that no crowd has. */
function oddsOf(envelope, rate) {
  let people = 1000n;
  while (rate.over * people < rate.under && people < 10n ** 12n) people *= 10n;
  if (rate.over * people < rate.under) return null;
  const out = (rate.over * people + rate.under - 1n) / rate.under; // rounded up, and what follows is true at this rate
  const of = Number(people);
  const among = Math.min(of, Math.ceil(envelope.detected(Number(out) / of) * of * (1 + RELATIVE)));
  const sentence = `Of ${grouped(of)} people whose record was left out, an attack accuses ${grouped(out)}; of ${grouped(of)} whose record was used, at most ${grouped(among)}.`;
  return { of, out: Number(out), in: among, sentence };
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const written = ({ over, under }) => brief(Number(over) / Number(under));
const onlyGiven = (from, names) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
const lastAtMost = (stops, value) => stops.findLastIndex((stop) => order(stop, value) <= 0);
const firstAtLeast = (stops, value) => stops.findIndex((stop) => order(stop, value) >= 0);
