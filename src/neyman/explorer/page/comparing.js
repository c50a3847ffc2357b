/* Two settings side by side: what each promises, how far they lie apart, which is safer and where they cross. */

const COMPARED = ["tpr", "epsilon", "mu", "regret", "advantage"];

class Comparison {
  #words;
  #table;

  constructor(words, table) {
    this.#words = words;
    this.#table = table;
  }

  show(answer) {
    if (!answer.ok) {
      this.clear(`These two are not compared: ${answer.error} ${answer.allowed ?? ""}`);
      return;
    }
    const { a, b, divergence, crossings } = answer;
    say(this.#words, answer.sentence);
    const rows = COMPARED.map((name) => [NAMES[name][0], text(a.numbers[name]), text(b.numbers[name])]);
    rows.unshift(["The run", a.run, b.run]);
    const accused = ({ odds }) => (odds ? `at most ${grouped(odds.in)} of ${grouped(odds.of)}` : "not certified");
    rows.push(["Accused, of those in", accused(a), accused(b)]);
    if (divergence) rows.push(["Less private than the other by, at most", text(divergence.a_over_b), text(divergence.b_over_a)]);
    const places = crossings.map((one) => one.text).join(", ");
    const head = make("tr", {}, ...["", "A", "B"].map((name) => make("th", { scope: "col" }, name)));
    const body = rows.map(([name, ...cells]) =>
      make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell))));
    const caption = places ? `The curves cross at false alarm rates of ${places}.` : "What each of the two promises.";
    this.#table.replaceChildren(make("table", {}, make("caption", { id: "compare-caption" }, caption), make("thead", {}, head), make("tbody", {}, ...body)));
    this.#table.hidden = false;
  }

  clear(words) {
    say(this.#words, words);
    this.#table.hidden = true;
  }
}

const text = (number) => (number && !number.refused ? number.text : "not certified");
