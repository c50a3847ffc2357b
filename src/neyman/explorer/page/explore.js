/* The page: what is set is asked, and what is answered is shown, never as the answer to something else. */

const ENGINES = {
  table: (data) => new TableEngine(data.table), server: (data) => new ServerEngine(data), worker: (data) => new WorkerEngine(data),
};
const BESIDE = ["brackets", "compare", "poisson", "allocation", "copy"]; // what follows the answer, once settings rest
const SLOTS = ["answer", ...BESIDE];

class Explorer {
  #data;
  #engine;
  #asker;
  #allowed;
  #state;
  #shown = null; // the last answer on the page
  #current = false; // and whether it is that of what is set
  #passed = []; // parts of the address that say nothing
  #controls = {};
  #views;
  #write = afterPause(250, () => this.#tooLong() || keep(toFragment(this.#state)));
  #speak = afterPause(700, () => this.#said());
  #follow = afterPause(150, () => this.#askBeside());

  constructor(data) {
    this.#data = data;
    this.#engine = ENGINES[data.engine](data);
    this.#asker = new Asker(this.#engine, SLOTS, (yes) => document.body.classList.toggle("busy", yes));
    const kinds = this.#engine.exact ? Object.keys(MECHANISMS) : ["dpsgd"];
    this.#allowed = {
      kind: data.given.length && this.#engine.exact ? [...kinds, "given"] : kinds,
      name: data.given.map((one) => one.name),
      sampling: this.#engine.exact ? SAMPLINGS : ["poisson"],
      target: this.#engine.exact ? Object.keys(TARGETS) : IN_TABLES,
      free: Object.keys(FREE),
    };
    this.#build();
    this.#restore();
    this.#engine.listen?.((words, anew) => {
      say(byId("engine"), words);
      if (anew) this.#ask();
    });
    addEventListener("hashchange", () => this.#restore());
  }

  #build() {
    const table = this.#data.table;
    say(
      byId("engine"),
      this.#engine.exact
        ? this.#engine.label
        : `${this.#engine.label}: ${Object.values(table.axes)
            .map((axis) => axis.length)
            .join(" × ")} settings`,
    );
    for (const node of document.querySelectorAll("[data-control]")) {
      const name = node.dataset.control;
      this.#controls[name] = new Control(node, name, CONTROLS[name], (text) => this.#set(name, text));
      this.#controls[name].use(this.#engine.axes?.[name] ?? CONTROLS[name].stops);
    }
    this.#choices();
    this.#views = {
      curve: new Curve(byId("curve"), (fpr) => this.#set("fpr", brief(Number(fpr.toPrecision(3))))),
      legend: new Legend(byId("legend")),
      people: new People(byId("people")),
      numbers: new Numbers(byId("numbers")),
      landmarks: new Landmarks(byId("landmarks"), this.#data.landmarks),
      comparison: new Comparison(byId("compared"), byId("compared-more"), byId("compare-table")),
      batches: new Batches(byId("batches-pair")),
      copies: new Copies(byId("copying"), () => this.#report(), this.#engine.unreported),
    };
    if (this.#data.audit) {
      this.#views.curve.evidence = this.#data.audit;
      say(byId("audited"), this.#data.audit.sentence);
      byId("audit").hidden = false;
    }
    this.#buttons();
  }

  #choices() {
    const choose = (id, options) => {
      byId(id).replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
      byId(id).addEventListener("change", (event) => this.#choose(id, event.target.value));
    };
    const given = this.#allowed.name.map((name, i) => [`given ${i}`, this.#data.given[i].label]);
    const kinds = this.#allowed.kind.filter((kind) => kind !== "given").map((kind) => [kind, MECHANISMS[kind]]);
    choose("kind", [...(this.#engine.exact ? given : []), ...kinds]);
    choose(
      "target",
      this.#allowed.target.map((name) => [name, TARGETS[name].words]),
    );
    choose("free", []);
    byId("sampling").addEventListener("change", (event) => this.#set("sampling", event.target.value));
    byId("kind-row").hidden = byId("kind").options.length < 2;
    byId("batches").hidden = !this.#engine.exact;
  }

  #buttons() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("log").addEventListener("change", (event) => this.#set("log", event.target.checked ? "1" : ""));
    byId("hold").addEventListener("change", (event) => this.#set("hold", event.target.checked ? "1" : ""));
    byId("pin-a").addEventListener("click", () => this.#pin("a", settingsOf(this.#state)));
    byId("pin-b").addEventListener("click", () => this.#pin("b", settingsOf(this.#state)));
    byId("unpin").addEventListener("click", () => {
      this.#pin("a", null);
      this.#pin("b", null);
    });
    byId("batches").addEventListener("toggle", () => this.#follow());
    themed(byId("theme"));
  }

  #restore() {
    const { start } = this.#data;
    const said = fromFragment(location.hash, this.#allowed);
    this.#passed = notUnderstood(location.hash, said);
    this.#state = { ...DEFAULTS, ...textsOf(start), ...said };
    this.#lay();
    this.#ask();
  }

  #choose(id, value) {
    this.#passed = [];
    const given = /^given (\d+)$/.exec(value);
    if (given)
      Object.assign(
        this.#state,
        textsOf(this.#data.given[given[1]].settings ?? { kind: "given", name: this.#allowed.name[given[1]] }),
      );
    else if (id === "target")
      Object.assign(this.#state, {
        target: value,
        risk: easy(value, this.#shown),
        prior: TARGETS[value].prior ?? this.#state.prior,
      });
    else this.#state[id] = value;
    if (id === "kind") this.#state.hold = "";
    this.#lay();
    this.#ask();
  }

  #set(name, text) {
    const state = this.#state;
    if (name in CONTROLS && text.trim() === "") {
      this.#stale(true); // somebody types anew: what is shown stays, and is of what was set
      return;
    }
    this.#passed = [];
    state[name] = text;
    if (name === "risk" || name === "prior") state.hold = "1";
    if (name === state.free) state.hold = "";
    this.#lay(name);
    if (name !== "log") this.#ask();
  }

  /** Show what is set; the control that somebody is setting is left alone. */
  #lay(touched = "") {
    const state = this.#state;
    const free = freeOf(state.kind);
    if (state.target === "divergence" && state.a === null) Object.assign(state, { target: "tpr", hold: "" });
    const names = [
      ...KINDS[state.kind],
      "fpr",
      "delta",
      "floor",
      "risk",
      ...(TARGETS[state.target].prior ? ["prior"] : []),
    ];
    if (free.length && !free.includes(state.free)) state.free = free[0];
    for (const [name, control] of Object.entries(this.#controls)) {
      control.shown = names.includes(name);
      if (name === "risk") {
        control.label = TARGETS[state.target].label;
        if (touched === "") control.use(TARGETS[state.target].stops);
      }
      if (name !== touched || byId(name) !== document.activeElement) control.value = state[name];
    }
    if (touched === "")
      byId("free").replaceChildren(...free.map((name) => make("option", { value: name }, FREE[name])));
    byId("kind").value = state.kind === "given" ? `given ${this.#allowed.name.indexOf(state.name)}` : state.kind;
    for (const name of ["sampling", "target", "free"]) byId(name).value = state[name];
    byId("target")
      .querySelector("[value=divergence]")
      ?.toggleAttribute("disabled", state.a === null);
    for (const name of ["hold", "log"]) byId(name).checked = state[name] === "1";
    byId("risks").hidden = free.length === 0;
    byId("sampling-row").hidden = !this.#engine.exact || state.kind !== "dpsgd";
    this.#views.curve.log = state.log === "1";
    this.#write();
  }

  /** While somebody drags, the safe ends alone are asked for: the others are there once they rest. */
  #question(settings, ask = "promise", brackets = false) {
    const { fpr, delta, floor } = this.#state;
    return { v: 1, ask, settings, fpr, delta, floor, brackets };
  }

  #ask() {
    const state = this.#state;
    const question = this.#question(settingsOf(state), state.hold ? "solve" : "promise");
    if (state.hold) Object.assign(question, { free: state.free, target: targetOf(state) });
    this.#stale(true);
    BESIDE.forEach((slot) => this.#asker.forget(slot));
    const long = this.#tooLong();
    if (long) {
      this.#asker.forget("answer");
      const allowed = `a number of at most ${LONGEST} characters`;
      this.#heard(refusal("", long, allowed), true);
      return;
    }
    this.#asker.ask("answer", question, (answer, current) => this.#heard(answer, current));
  }

  /** The control that holds more than is read: it is neither asked about, nor put into the address. */
  #tooLong() {
    return Object.keys(CONTROLS).find((name) => this.#controls[name].shown && this.#state[name].length > LONGEST);
  }

  #stale(yes) {
    this.#current = !yes;
    document.body.classList.toggle("stale", yes);
    byId("answer").setAttribute("aria-busy", yes);
  }

  #heard(answer, current) {
    if (answer.ok) this.#show(answer);
    else if (current) this.#refuse(answer);
    if (!current) return;
    this.#stale(false);
    this.#speak();
    if (answer.ok) this.#follow();
  }

  #show(answer) {
    const { headline, odds, numbers, solved, note } = answer;
    this.#shown = answer;
    for (const control of Object.values(this.#controls)) control.forgive();
    document.body.classList.remove("refused");
    byId("refused").hidden = true;
    tell(byId("sentence"), odds);
    say(byId("run"), note ? `${answer.run} ${note}` : answer.run);
    const words = [this.#passed.length && notTheirs(this.#passed), answer.certain === "safe stop" && SAFE_STOP];
    say(byId("certain"), words.filter(Boolean).join(" "));
    sayWhole(byId("headline"), headline.number);
    say(byId("why"), `because ${headline.why}.`);
    say(byId("strip-odds"), odds ? `≤ ${grouped(odds.in)} of ${grouped(odds.of)}` : "");
    say(byId("strip-epsilon"), `ε ≤ ${text(numbers.epsilon)}`);
    say(byId("strip-mu"), `μ ≤ ${text(numbers.mu)}`);
    say(byId("curve-told"), captionOf(answer));
    this.#views.curve.show(answer);
    this.#views.people.show(odds);
    this.#views.numbers.show(numbers);
    this.#views.landmarks.show(numbers);
    if (this.#data.audit) say(byId("verdict"), verdictOf(this.#data.audit, answer));
    say(byId("solved"), solved ? solved.sentence : "");
    if (solved && this.#state.hold && solved.parameter === this.#state.free) {
      this.#state[solved.parameter] = solved.text;
      this.#controls[solved.parameter].value = solved.text;
      this.#write();
    }
  }

  #refuse(answer) {
    document.body.classList.add("refused");
    byId("refused").hidden = false;
    const where = controlOf(answer.parameter, this.#state);
    const label = where === "risk" ? RISK : CONTROLS[where]?.label;
    const words = refusedWords(answer, label, this.#state[where]);
    say(byId("refused-error"), words);
    for (const [name, control] of Object.entries(this.#controls)) {
      if (name === where) control.refuse(words);
      else control.forgive();
    }
  }

  #said() {
    if (!this.#current) return;
    const refused = document.body.classList.contains("refused");
    const words = ["sentence", "headline", "certain"].map((id) => byId(id).textContent);
    say(byId("said"), refused ? byId("refused-error").textContent : words.join(" "));
  }

  /** What rests on the settings, but is not what is dragged: asked once they rest. */
  #askBeside() {
    if (!this.#current || document.body.classList.contains("refused")) return;
    const settings = settingsOf(this.#state);
    const { a, b } = this.#state;
    if (this.#engine.exact)
      this.#asker.ask(
        "brackets",
        this.#question(settings, "promise", true),
        (answer, current) => current && this.#bracketed(answer),
      );
    if (a || b) {
      const question = { ...this.#question(a ?? settings, "compare", true), other: b ?? settings };
      this.#asker.ask("compare", question, (answer, current) => current && this.#compared(answer));
    }
    if (byId("batches").open && settings.kind === "dpsgd") {
      this.#views.batches.wait();
      for (const sampling of SAMPLINGS) {
        const heard = (answer, current) => current && this.#views.batches.show(sampling, answer);
        this.#asker.ask(sampling, this.#question({ ...settings, sampling }), heard);
      }
    }
    this.#views.copies.wait();
    this.#asker.ask(
      "copy",
      this.#question(settings, "copy"),
      (answer, current) => current && this.#views.copies.show(answer),
    );
  }

  #pin(name, settings) {
    this.#state[name] = settings;
    if (!this.#state.a && !this.#state.b) {
      this.#asker.forget("compare");
      this.#pinned([], []);
      this.#views.comparison.clear("Nothing is pinned.");
    }
    this.#write();
    this.#follow();
  }

  /** The same answer, and between which two numbers the truth lies. */
  #bracketed(answer) {
    if (!this.#current || !answer.ok) return;
    this.#views.curve.show(answer);
    this.#views.numbers.show(answer.numbers);
  }

  #compared(answer) {
    const { a, b } = this.#state;
    this.#views.comparison.show(answer, { a, b });
    if (answer.ok) this.#pinned([a && answer.a, b && answer.b], answer.crossings);
    else this.#pinned([], []);
  }

  #pinned(answers, crossings) {
    const [a, b] = answers.map((answer, i) => answer?.curve && this.#state[["a", "b"][i]]);
    this.#views.curve.pin(answers, crossings);
    this.#views.legend.show({ a, b }, crossings.length > 0);
  }

  /** Not one of the questions that wait for one another: it takes seconds, and the sliders are answered meanwhile. */
  #report() {
    return this.#engine.answer(this.#question(settingsOf(this.#state), "report"));
  }
}

/** A risk to begin with: what is promised now, so that nothing jumps. */
function easy(target, answer) {
  const number = answer?.numbers[target];
  return number && !number.refused && Number(number.text) > 0
    ? number.text
    : TARGETS[target].stops[Math.floor(TARGETS[target].stops.length / 2)];
}

function notTheirs(names) {
  return `The address was not understood (${names.join(", ")}): this is another run.`;
}

/** Put the settings into the address; a page inside another one may have none of its own. */
function keep(fragment) {
  try {
    history.replaceState(null, "", fragment);
  } catch (fault) {
    if (!(fault instanceof DOMException)) throw fault;
  }
}

/** A button between light and dark, which says what it will do; before it is pressed, the system decides. */
function themed(button) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => say(button, `Switch to ${dark() ? "light" : "dark"}`);
  system.addEventListener("change", name);
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  name();
}

new Explorer(JSON.parse(byId("neyman-explorer").textContent));
