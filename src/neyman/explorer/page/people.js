/* Natural frequencies: the people left out and the people in, one dot each, and who of them is accused. */

const WIDE = 400;
const CROWDS = { 1000: { columns: 50, rows: 20 }, 10000: { columns: 160, rows: 63 } };

class Crowd {
  #name;
  #svg;
  #words;
  #of = 0;
  #accused;
  #last;

  constructor(name, head) {
    this.#name = name;
    this.#words = make("b");
    this.#svg = draw("svg", { class: "crowd", "aria-hidden": "true" });
    this.node = make(
      "div",
      { class: name },
      make("p", { class: "count" }, this.#words, make("span", {}, head)),
      this.#svg,
    );
  }

  show(of, accused, words) {
    say(this.#words, words);
    const crowd = CROWDS[of];
    this.#svg.toggleAttribute("hidden", crowd === undefined);
    if (crowd === undefined) return;
    if (this.#of !== of) this.#lay(of, crowd);
    const cell = WIDE / crowd.columns;
    const whole = Math.floor(accused / crowd.columns);
    this.#accused.setAttribute("height", whole * cell);
    this.#last.setAttribute("y", whole * cell);
    this.#last.setAttribute("width", (accused - whole * crowd.columns) * cell);
  }

  #lay(of, { columns, rows }) {
    this.#of = of;
    const cell = WIDE / columns;
    const dots = (kind) =>
      draw(
        "pattern",
        { id: `${this.#name}-${kind}`, width: cell, height: cell, patternUnits: "userSpaceOnUse" },
        draw("circle", { class: kind, cx: cell / 2, cy: cell / 2, r: cell * 0.36 }),
      );
    const rectangle = (kind, width, height) => draw("rect", { fill: `url(#${this.#name}-${kind})`, width, height });
    const ground = (width, height) => draw("rect", { class: "behind", width, height });
    this.#svg.setAttribute("viewBox", `0 0 ${WIDE} ${cell * rows}`);
    this.#accused = rectangle("accused", WIDE, 0);
    this.#last = rectangle("accused", 0, cell);
    this.#svg.replaceChildren(
      draw("defs", {}, dots("free"), dots("accused")),
      ground(WIDE, cell * rows),
      rectangle("free", WIDE, cell * rows),
      this.#accused,
      this.#last,
    );
  }
}

class People {
  #out = new Crowd("crowd-out", "are left out of the data, and accused");
  #in = new Crowd("crowd-in", "are in the data, and accused");

  #node;

  constructor(node) {
    this.#node = node;
    node.append(this.#out.node, this.#in.node);
  }

  /** `odds`: null where none are certified. */
  show(odds) {
    this.#node.hidden = !odds;
    if (!odds) return;
    const { of, out, in: among } = odds;
    this.#out.show(of, out, `${grouped(out)} of ${grouped(of)}`);
    this.#in.show(of, among, `at most ${grouped(among)} of ${grouped(of)}`);
  }
}
