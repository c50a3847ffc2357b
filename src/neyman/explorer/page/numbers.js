/* Every number of an answer, in words; between which two the truth lies, and what it says, on demand. */

const NAMES = {
  tpr: ["Accused, of those in", "TPR"],
  epsilon: ["Privacy loss at this delta", "ε"],
  mu: ["One Gaussian mechanism", "μ"],
  regret: ["Overstated by mu alone", "regret"],
  advantage: ["Advantage of an attack", "advantage"],
  posterior: ["Belief, from one half", "posterior"],
  bayes_error: ["Errors at even odds, least", "Bayes error"],
  fixed_point: ["Both errors equal, least", "fixed point"],
};

class Numbers {
  #rows = new Map(Object.keys(NAMES).map((name) => [name, numberRow(name)]));

  constructor(node) {
    node.append(...[...this.#rows.values()].map((row) => row.node));
  }

  show(numbers) {
    for (const [name, { node, show }] of this.#rows) {
      node.hidden = !Object.hasOwn(numbers, name);
      if (!node.hidden) show(numbers[name]);
    }
  }
}

function numberRow(name) {
  const [words, symbol] = NAMES[name];
  const value = make("b", { class: "value", "data-number": name });
  const says = make("p");
  const bracket = make("p", { class: "muted" });
  const node = make(
    "details",
    {},
    make("summary", {}, make("span", {}, words), make("i", {}, symbol), value),
    says,
    bracket,
  );
  const show = (number) => {
    value.classList.toggle("none", Boolean(number.refused));
    say(value, number.refused ? "not certified" : number.text);
    say(says, number.refused || number.says);
    say(bracket, number.bracket ? `The truth: ${number.bracket}.` : "");
  };
  return { node, show };
}
