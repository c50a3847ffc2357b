/* The same run on Poisson samples and on shuffled batches, side by side. */

class Batches {
  #cards = new Map();

  constructor(pair) {
    for (const [sampling, head] of [
      ["poisson", "Poisson samples"],
      ["allocation", "Shuffled batches"],
    ]) {
      const sentence = make("p");
      const numbers = make("p", { class: "muted" });
      const card = make("div", { class: "card", "data-sampling": sampling }, make("h3", {}, head), sentence, numbers);
      this.#cards.set(sampling, { card, sentence, numbers });
      pair.append(card);
    }
  }

  show(sampling, answer) {
    const { card, sentence, numbers } = this.#cards.get(sampling);
    card.classList.remove("stale");
    say(sentence, answer.ok ? (answer.odds?.sentence ?? NO_ODDS) : refusedElsewhere(answer));
    const { epsilon, mu } = answer.ok ? answer.numbers : {};
    say(
      numbers,
      answer.ok ? `epsilon ≤ ${text(epsilon)}, mu ≤ ${text(mu)}. ${answer.note || answer.run}` : "",
    );
  }

  wait() {
    for (const { card } of this.#cards.values()) card.classList.add("stale");
  }
}
