/* Where this lies: what others published, on one scale of mu. */

class Landmarks {
  #list;
  #here;
  #words;
  #far;

  constructor(node, landmarks) {
    const numbers = landmarks.map((one) => Number(one.mu));
    this.#far = Math.ceil(Math.max(4, ...numbers.filter(Number.isFinite)) + 1);
    const svg = draw("svg", {
      width: "100%",
      height: "5.2em",
      role: "img",
      "aria-label": "A scale of mu, with the numbers of the list below",
    });
    svg.append(draw("line", { class: "ruler", x1: "0%", x2: "100%", y1: "2.6em", y2: "2.6em" }));
    for (let mu = 0; mu <= this.#far; mu += 1) svg.append(...this.#tick(mu));
    for (const one of landmarks) svg.append(...this.#mark(one));
    this.#here = draw("line", { class: "here", y1: "1.3em", y2: "3.2em" });
    this.#words = draw("text", { class: "here", y: "0.9em" });
    svg.append(this.#here, this.#words);
    this.#list = make("ol", {}, ...landmarks.map(listed));
    node.append(svg, make("figcaption", {}, this.#list, make("p", { class: "small muted" }, NOTE)));
  }

  #at(mu) {
    return `${((100 * Math.min(mu, this.#far)) / this.#far).toFixed(2)}%`;
  }

  #tick(mu) {
    const anchor = mu === 0 ? "start" : mu === this.#far ? "end" : "middle";
    return [
      draw("line", { class: "ruler", x1: this.#at(mu), x2: this.#at(mu), y1: "2.3em", y2: "2.9em" }),
      draw("text", { x: this.#at(mu), y: "5em", "text-anchor": anchor }, String(mu)),
    ];
  }

  #mark({ letter, mu, opinion }) {
    const x = this.#at(Number(mu));
    const mark = opinion
      ? draw("line", { class: "opinion", x1: x, x2: x, y1: "2em", y2: "3.2em" })
      : draw("circle", { class: "published", cx: x, cy: "2.6em", r: "0.35em" });
    return [mark, draw("text", { class: "letter", x, y: "4em", "text-anchor": "middle" }, letter)];
  }

  show({ mu }) {
    const none = Boolean(mu.refused) || !Number.isFinite(Number(mu.text));
    const at = this.#at(none ? 0 : Number(mu.text));
    for (const name of ["x1", "x2"]) this.#here.setAttribute(name, at);
    this.#here.toggleAttribute("hidden", none);
    this.#words.setAttribute("x", at);
    this.#words.setAttribute("text-anchor", parseFloat(at) > 70 ? "end" : parseFloat(at) < 12 ? "start" : "middle");
    say(
      this.#words,
      none ? "" : `this run, mu ≤ ${mu.text}${Number(mu.text) > this.#far ? ", beyond this scale" : ""}`,
    );
  }
}

const NOTE =
  "Dots are published runs, bars are opinions. Compare only where one record stands for the same: an image is not a person.";

function listed({ letter, name, mu, epsilon, unit, source }) {
  const numbers = `mu ${mu}${epsilon ? `, epsilon ${epsilon} at delta = 1e-5` : ""}${unit ? `, one ${unit}` : ""}`;
  return make("li", { title: source }, make("b", {}, letter), ` ${name}: ${numbers}`);
}
