/* The curve: how many of those in the data an attack may accuse, for each share of those left out that it does. */

const PLOT = { left: 60, right: 446, top: 14, bottom: 376 };
const PLACES = 160; // drawn of a curve over decades

class Curve {
  #svg;
  #parts = {};
  #log = false;
  #low = 1e-11;
  #answer = null;
  #pins = [];
  #crossings = [];
  #saw = null;

  /** `moved(fpr)`: somebody drags the false alarm rate, a number in (0, 1). */
  constructor(svg, moved) {
    this.#svg = svg;
    const path = (name) => (this.#parts[name] = draw("path", { class: name }));
    const words = (name, attributes) => (this.#parts[name] = draw("text", { class: name, ...attributes }));
    this.#parts.axes = draw("g", { class: "axes" });
    const middle = (PLOT.left + PLOT.right) / 2;
    svg.append(
      draw("rect", {
        class: "ground",
        x: PLOT.left,
        y: PLOT.top,
        width: PLOT.right - PLOT.left,
        height: PLOT.bottom - PLOT.top,
      }),
      path("reach"),
      this.#parts.axes,
      path("below"),
      path("guess"),
      path("gaussian"),
      path("pin-a"),
      path("pin-b"),
      path("bound"),
      path("saw"),
      path("crossings"),
      path("out"),
      path("in"),
      (this.#parts.handle = draw("circle", { class: "handle", r: 7 })),
      words("in-words", {}),
      words("out-words", {}),
      words("floor-words", {}),
      draw(
        "text",
        { class: "title", x: middle, y: 420, "text-anchor": "middle" },
        "left out, and accused all the same",
      ),
      draw(
        "text",
        { class: "title", x: -(PLOT.top + PLOT.bottom) / 2, y: 15, "text-anchor": "middle", transform: "rotate(-90)" },
        "in the data, and accused",
      ),
    );
    this.#dragged(moved);
  }

  set log(yes) {
    if (this.#log === yes) return;
    this.#log = yes;
    this.#redraw();
  }

  /** Curves of pinned answers, beside that of the answer shown, null where none is; where they cross, about. */
  pin(answers, crossings) {
    this.#pins = answers;
    this.#crossings = crossings;
    this.#redraw();
  }

  /** What an audit saw: {fpr, tpr}. */
  set evidence(saw) {
    this.#saw = saw;
    this.#redraw();
  }

  show(answer) {
    this.#answer = answer;
    this.#redraw();
  }

  #along(share) {
    if (!this.#log) return share;
    return 1 - Math.log10(Math.max(share, this.#low)) / Math.log10(this.#low);
  }

  #x(share) {
    return PLOT.left + this.#along(share) * (PLOT.right - PLOT.left);
  }

  #y(share) {
    return PLOT.bottom - this.#along(share) * (PLOT.bottom - PLOT.top);
  }

  /** What is drawn promises no more than is certified: rounded to hundredths of a pixel, it lies farther left and up. */
  #point(alpha, tpr) {
    return `${Math.floor(100 * this.#x(alpha)) / 100} ${Math.floor(100 * this.#y(tpr)) / 100}`;
  }

  /** A polygon is straight where shares are. Where they are decades it is drawn through places between its corners, too:
      a side bends downward there, so that what is drawn from one place to the next lies above it. */
  #line({ alpha, tpr }) {
    if (alpha.length === 0) return ""; // "M" alone is no path
    if (!this.#log) return `M${alpha.map((share, i) => this.#point(share, tpr[i])).join("L")}`;
    const places = Array.from({ length: PLACES + 1 }, (_, i) => this.#low ** (1 - i / PLACES));
    const within = [...places, ...alpha, this.#answer.fpr]
      .filter((share) => share >= Math.max(alpha[0], this.#low) && share <= alpha.at(-1))
      .sort((one, other) => one - other);
    let next = 1;
    const points = within.map((share) => {
      while (alpha[next] < share) next += 1;
      const part = (share - alpha[next - 1]) / (alpha[next] - alpha[next - 1]);
      return this.#point(share, part > 0 ? tpr[next - 1] + part * (tpr[next] - tpr[next - 1]) : tpr[next - 1]);
    });
    return points.length ? `M${points.join("L")}` : "";
  }

  /** A circle around two shares. */
  #spot(out, among, radius) {
    return `M${this.#x(out) - radius} ${this.#y(among)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }

  #set(name, d) {
    this.#parts[name].setAttribute("d", d);
  }

  #redraw() {
    const answer = this.#answer;
    this.#svg.toggleAttribute("hidden", !answer?.curve);
    if (!answer?.curve) return;
    this.#low = Math.min(1e-3, Math.max(1e-16, answer.floor / 10));
    this.#scale();
    const bound = this.#line(answer.curve);
    this.#set("bound", bound);
    this.#set("reach", `${bound}L${this.#point(1, 0)}L${this.#point(0, 0)}Z`);
    this.#set("gaussian", answer.gaussian ? this.#line(answer.gaussian) : "");
    this.#set("guess", `M${this.#point(0, 0)}L${this.#point(1, 1)}`);
    for (const [i, name] of ["pin-a", "pin-b"].entries())
      this.#set(name, this.#pins[i]?.curve ? this.#line(this.#pins[i].curve) : "");
    this.#set("saw", this.#saw ? this.#saw.fpr.map((share, i) => this.#spot(share, this.#saw.tpr[i], 3)).join("") : "");
    const crossed = (share) => this.#spot(share, reached(this.#pins.find(Boolean).curve, share), 5);
    this.#set("crossings", this.#crossings.map((one) => crossed(one.alpha)).join(""));
    this.#mark(answer);
  }

  /** The false alarm rate that is looked at, with what it means in people. */
  #mark({ odds, numbers, fpr, floor }) {
    const x = this.#x(fpr);
    const y = this.#y(numbers.tpr.refused ? 1 : Number(numbers.tpr.text));
    this.#set("out", `M${x} ${PLOT.bottom}V${y}`);
    this.#set("in", `M${PLOT.left} ${y}H${x}`);
    this.#parts.handle.setAttribute("cx", x);
    this.#parts.handle.setAttribute("cy", y);
    const among = odds ? `at most ${grouped(odds.in)} of ${grouped(odds.of)}` : "";
    const left = odds ? `${grouped(odds.out)} of ${grouped(odds.of)} by mistake` : "";
    const beside = Math.min(y, PLOT.bottom - 54) + 20; // below the line to the point, wherever that may be
    this.#words("in-words", x + 14, beside, among, x);
    this.#words("out-words", x + 14, beside + 20, left, x);
    for (const name of ["out", "in", "handle", "in-words", "out-words"])
      this.#parts[name].toggleAttribute("hidden", this.#log && fpr < this.#low); // it lies beyond the picture
    const low = this.#x(floor);
    this.#set("below", this.#log ? `M${PLOT.left} ${PLOT.bottom}H${low}V${PLOT.top}H${PLOT.left}Z` : "");
    this.#words("floor-words", low + 4, PLOT.bottom - 6, this.#log ? "floor of mu" : "", low);
  }

  #words(name, x, y, words, near) {
    const part = this.#parts[name];
    const flipped = near > PLOT.right - 150;
    part.setAttribute("x", flipped ? 2 * near - x : x);
    part.setAttribute("y", y);
    part.setAttribute("text-anchor", flipped ? "end" : "start");
    say(part, words);
  }

  #scale() {
    const key = `${this.#log} ${this.#low}`;
    if (this.#parts.axes.dataset.key === key) return;
    this.#parts.axes.dataset.key = key;
    const decades = Math.round(-Math.log10(this.#low));
    const every = Math.ceil(decades / 6);
    const shares = this.#log
      ? Array.from({ length: decades + 1 }, (_, i) => i)
          .filter((i) => i % every === 0)
          .map((i) => [10 ** -i, i === 0 ? "all" : `1e-${i}`])
      : [
          [0, "none"],
          [0.25, "25%"],
          [0.5, "50%"],
          [0.75, "75%"],
          [1, "all"],
        ];
    const marks = shares.flatMap(([share, text]) => {
      const [x, y] = [this.#x(share), this.#y(share)];
      return [
        draw("path", { d: `M${x} ${PLOT.top}V${PLOT.bottom}M${PLOT.left} ${y}H${PLOT.right}` }),
        draw("text", { x, y: PLOT.bottom + 18, "text-anchor": "middle" }, text),
        draw("text", { x: PLOT.left - 7, y: y + 4, "text-anchor": "end" }, text),
      ];
    });
    this.#parts.axes.replaceChildren(...marks);
  }

  #dragged(moved) {
    const move = (event) => {
      const box = this.#svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * this.#svg.viewBox.baseVal.width;
      const along = (x - PLOT.left) / (PLOT.right - PLOT.left);
      const share = this.#log ? this.#low ** (1 - along) : along;
      moved(Math.min(0.999, Math.max(this.#log ? this.#low : 0.001, share)));
    };
    this.#svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#svg.setPointerCapture(event.pointerId);
      move(event);
    });
    this.#svg.addEventListener("pointermove", (event) => {
      if (this.#svg.hasPointerCapture(event.pointerId)) move(event);
    });
  }
}
