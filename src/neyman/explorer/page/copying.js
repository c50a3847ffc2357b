/* What people take along: the same settings as Python, as a command, as a sentence of a paper, as a report. */

const WRITING = "Writing the report: about ten seconds. Nothing else waits for it.";
const COPIES = { sentence: "Sentence for a paper", python: "Python", command: "Command line", bibtex: "BibTeX" };

class Copies {
  #boxes = new Map();
  #node;
  #report;
  #told;

  /** `report()`: somebody wants the report, and is told once it is there; `unreported`: why there is none, if so. */
  constructor(node, report, unreported) {
    this.#node = node;
    for (const [name, words] of Object.entries(COPIES)) node.append(this.#box(name, words));
    this.#report = make("button", { type: "button", id: "report", "aria-describedby": "report-told" }, "Save the report");
    this.#told = make("p", { class: "small", role: "status", id: "report-told" }, unreported);
    this.#idle = !unreported;
    this.#report.addEventListener("click", () => this.#write(report));
    node.append(make("div", { class: "copy" }, make("h3", {}, "Privacy report"), this.#report, this.#told));
  }

  /** Whether the button does anything: it keeps its place in the order of keys, and says why it does not. */
  set #idle(yes) {
    this.#report.setAttribute("aria-disabled", !yes);
  }

  async #write(report) {
    if (this.#report.getAttribute("aria-disabled") === "true") return;
    this.#idle = false;
    this.#report.classList.add("writing");
    say(this.#told, WRITING);
    this.#save(await report());
    this.#report.classList.remove("writing");
    this.#idle = true;
  }

  #box(name, words) {
    const code = make("code");
    const pre = make("pre", { tabindex: "0", role: "region", "aria-label": words }, code);
    const button = make("button", { type: "button", "aria-label": `Copy: ${words}` }, "Copy");
    button.addEventListener("click", () => copy(code, button));
    const node = make("div", { class: "copy" }, make("h3", {}, words), button, pre);
    this.#boxes.set(name, { node, code });
    return node;
  }

  show(answer) {
    this.#node.classList.remove("stale");
    for (const [name, { node, code }] of this.#boxes) {
      const words = answer.ok ? answer[name] : "";
      node.hidden = !words;
      say(code, words);
    }
  }

  wait() {
    this.#node.classList.add("stale");
  }

  #save(answer) {
    if (!answer.ok) {
      say(this.#told, refusedElsewhere(answer));
      return;
    }
    const address = URL.createObjectURL(new Blob([answer.html], { type: "text/html" }));
    make("a", { href: address, download: answer.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(this.#told, `${answer.name} is among your downloads.`);
  }
}

async function copy(code, button) {
  try {
    if (self !== top) throw new Error("a page inside another one is not asked"); // nor would a browser, without a word
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code); // where pages may not write: the keys of the browser then copy it
    say(button, "Selected");
    return;
  }
  say(button, "Copied");
  setTimeout(() => say(button, "Copy"), 2000);
}
