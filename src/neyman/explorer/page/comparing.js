/* Two settings side by side: what each promises, which is safer, what the choice costs, and where their curves cross. */

const COMPARED = ["tpr", "epsilon", "mu", "regret", "advantage"];
class Comparison {
  #told;
  #more;
  #table;

  constructor(told, more, table) {
    this.#told = told;
    this.#more = more;
    this.#table = table;
  }

  /** `pins`: which of the two, a and b, are pinned; the other is what is set. */
  show(answer, pins) {
    if (!answer.ok) {
      this.clear(`These two are not compared: ${refusedElsewhere(answer)}`);
      return;
    }
    const { a, b, sentence, crossings, divergence } = answer;
    const [verdict, ...rest] = sentence.split(/(?<=\.) (?=[A-Z])/);
    say(this.#told, verdict);
    say(this.#more, [...rest, ...crossings.map((one) => one.text)].join("\n"));
    const rows = [
      ["The run", a.note || a.run, b.note || b.run],
      ["Accused, in people", accusedOf(a), accusedOf(b)],
      ...COMPARED.map((name) => [NAMES[name].join(", "), bracketed(a.numbers[name]), bracketed(b.numbers[name])]),
    ];
    if (divergence) rows.push([COST, bracketed(divergence.b_over_a), bracketed(divergence.a_over_b)]);
    const named = (name) => `${name.toUpperCase()}, ${pins[name] ? "pinned" : "what is set"}`;
    const head = make("tr", {}, make("td"), ...["a", "b"].map((name) => make("th", { scope: "col" }, named(name))));
    const body = rows.map(([name, ...cells]) =>
      make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, ...[cell].flat()))),
    );
    const caption = make("caption", { id: "compare-caption" }, "What each of the two promises, at most.");
    this.#table.replaceChildren(make("table", {}, caption, make("thead", {}, head), make("tbody", {}, ...body)));
    this.#table.hidden = false;
  }

  clear(words) {
    say(this.#told, words);
    say(this.#more, "");
    this.#table.hidden = true;
  }
}

const COST = "Choosing it costs, in Bayes error";

/** A number with its bracket, where both ends are known. */
function bracketed(number) {
  const known = number && !number.refused && Number.isFinite(number.lower) && Number.isFinite(number.upper);
  return known ? [number.text, make("span", { class: "bracket muted small" }, number.bracket)] : [text(number)];
}

const text = (number) => (number && !number.refused ? number.text : "not certified");
const accusedOf = ({ odds }) => (odds ? `${grouped(odds.in)} of ${grouped(odds.of)}` : "not certified");
