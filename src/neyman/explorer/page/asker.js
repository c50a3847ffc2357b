/* Who asks the engine: one question in flight, the newest of each slot next; of an engine in this page, one a frame. */

class Asker {
  #engine;
  #slots;
  #waiting = new Map();
  #newest = new Map();
  #count = 0;
  #flying = false;
  #busy;

  /** `slots`: names, the most urgent first; `busy(yes)` is told when there is something to wait for. */
  constructor(engine, slots, busy) {
    this.#engine = engine;
    this.#slots = slots;
    this.#busy = busy;
  }

  /** Ask; `heard(answer, current)` is told whether something newer has been asked in this slot since. */
  ask(slot, question, heard) {
    this.#count += 1;
    this.#newest.set(slot, this.#count);
    this.#waiting.set(slot, { question, heard, number: this.#count });
    this.#next();
  }

  /** Whatever was asked in this slot is of no interest any more. */
  forget(slot) {
    this.#waiting.delete(slot);
    this.#newest.delete(slot);
  }

  #next() {
    if (this.#flying) return;
    this.#busy(this.#waiting.size > 0);
    if (this.#waiting.size === 0) return;
    this.#flying = true;
    if (this.#engine.elsewhere) this.#fly();
    else requestAnimationFrame(() => this.#fly());
  }

  async #fly() {
    const slot = this.#slots.find((name) => this.#waiting.has(name));
    const { question, heard, number } = this.#waiting.get(slot) ?? {};
    this.#waiting.delete(slot);
    let answer;
    try {
      if (question) answer = await this.#engine.answer(question);
    } finally {
      this.#flying = false;
      this.#next(); // an engine elsewhere works on the next one while this one is drawn
    }
    if (question && this.#newest.has(slot)) heard(answer, this.#newest.get(slot) === number);
  }
}
