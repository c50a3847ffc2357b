/* Which line of the picture is which: the run that is set, and those that are pinned. */

const STROKE = "M0 6H42";
const RING = "M16 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0";

class Legend {
  #list;

  constructor(list) {
    this.#list = list;
  }

  /** `pins`: the settings of a and b, null where none is pinned; `crossed`: whether crossings are marked. */
  show({ a, b }, crossed) {
    const lines = [
      ["bound", STROKE, "What is set"],
      ...(a ? [["pin-a", STROKE, `A, pinned: ${inBrief(a)}`]] : []),
      ...(b ? [["pin-b", STROKE, `B, pinned: ${inBrief(b)}`]] : []),
      ...(crossed ? [["crossings", RING, "Where the two compared change places, about"]] : []),
    ];
    this.#list.hidden = lines.length < 2;
    this.#list.replaceChildren(
      ...lines.map(([name, d, words]) =>
        make(
          "li",
          {},
          draw("svg", { viewBox: "0 0 42 12", "aria-hidden": "true" }, draw("path", { class: name, d })),
          make("span", {}, words),
        ),
      ),
    );
  }
}

/** Settings in a line: what was run, and each number under the name of its control. */
function inBrief({ kind, name, sampling, ...numbers }) {
  if (kind === "given") return name;
  const told = Object.entries(numbers).map(([one, text]) => `${CONTROLS[one].label.toLowerCase()} ${text}`);
  return [MECHANISMS[kind].split(":")[0], ...told, ...(sampling === "allocation" ? ["shuffled"] : [])].join(", ");
}
