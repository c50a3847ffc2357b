/* One number to set: a slider with its stops, and a text for what lies between them. */

class Control {
  #stops = [];
  #numbers = []; // the same, to place the slider
  #spec;
  #text;
  #slider;
  #complaint;
  #node;

  /** `spec`: label, unit, hint; `changed(text)` is called while somebody sets it. */
  constructor(node, name, spec, changed) {
    this.#node = node;
    this.#spec = spec;
    const hint = `${name}-hint`;
    this.#text = make("input", {
      type: "text",
      id: name,
      inputmode: "text",
      spellcheck: "false",
      "aria-describedby": hint,
    });
    this.#slider = make("input", { type: "range", id: `${name}-slider`, min: 0, step: 1, "aria-label": spec.label });
    this.#complaint = make("p", { class: "small", id: hint });
    node.append(make("label", { for: name }, spec.label), this.#text, this.#slider, this.#complaint);
    this.#text.addEventListener("input", () => this.#typed(changed));
    this.#slider.addEventListener("input", () => {
      this.#write(this.#stops[this.#slider.value]);
      changed(this.#text.value);
    });
    this.forgive();
  }

  #typed(changed) {
    this.#place();
    changed(this.#text.value.trim());
  }

  #write(text) {
    this.#text.value = text;
    this.#slider.setAttribute("aria-valuetext", `${text}${this.#spec.unit}`);
  }

  #place() {
    const text = this.#text.value.trim();
    const number = placed(text);
    if (number > 0) this.#slider.value = nearest(this.#numbers, number);
    this.#slider.setAttribute("aria-valuetext", `${text}${this.#spec.unit}`);
  }

  /** The stops, as ascending texts. */
  use(stops) {
    if (this.#stops === stops) return;
    this.#stops = stops;
    this.#numbers = stops.map(placed);
    this.#slider.max = stops.length - 1;
    this.#place();
  }

  set value(text) {
    if (this.#text.value.trim() === text) return;
    this.#text.value = text;
    this.#place();
  }

  set shown(yes) {
    this.#node.hidden = !yes;
  }

  get shown() {
    return !this.#node.hidden;
  }

  set label(words) {
    say(this.#node.querySelector("label"), words);
    this.#slider.setAttribute("aria-label", words);
  }

  /** What was refused, and what is allowed. */
  refuse(words) {
    this.#node.classList.add("wrong");
    this.#text.setAttribute("aria-invalid", "true");
    say(this.#complaint, words);
  }

  forgive() {
    this.#node.classList.remove("wrong");
    this.#text.removeAttribute("aria-invalid");
    say(this.#complaint, this.#spec.hint ?? "");
  }
}
