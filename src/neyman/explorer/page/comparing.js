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

  show(answer) {
    if (!answer.ok) {
      this.clear(`These two are not compared: ${answer.error} ${answer.allowed ?? ""}`);
      return;
    }
    const { a, b, sentence, crossings } = answer;
    const [verdict, ...rest] = sentence.split(/(?<=\.) (?=[A-Z])/);
    say(this.#told, verdict);
    say(this.#more, [...rest, ...crossings.map((one) => one.text)].join("\n"));
    const rows = [["The run", a.note || a.run, b.note || b.run], ["Accused, in people", accusedOf(a), accusedOf(b)],
      ...COMPARED.map((name) => [NAMES[name].join(", "), text(a.numbers[name]), text(b.numbers[name])])];
    const head = make("tr", {}, make("td"), ...["A", "B"].map((name) => make("th", { scope: "col" }, name)));
    const body = rows.map(([name, ...cells]) =>
      make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell))));
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

const text = (number) => (number && !number.refused ? number.text : "not certified");
const accusedOf = ({ odds }) => (odds ? `${grouped(odds.in)} of ${grouped(odds.of)}` : "not certified");
