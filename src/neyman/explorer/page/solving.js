/* From the risk that is accepted to the setting that just keeps it. */

const SHARES = [
  ...stops(
    0.01,
    0.9,
    FINE.filter((_, i) => i % 4 === 0),
  ),
  "0.95",
  "0.99",
];
const TARGETS = {
  tpr: { words: "how many of those in the data are accused", label: "At most this share is accused", stops: SHARES },
  epsilon: { words: "epsilon at the delta above", label: "Epsilon, at most", stops: stops(0.05, 30, FINE) },
  mu: { words: "mu, at its floor", label: "Mu, at most", stops: stops(0.05, 8, FINE) },
  advantage: { words: "the advantage of the best attack", label: "Advantage, at most", stops: SHARES },
  posterior: {
    words: "what an attacker believes afterwards",
    label: "Belief afterwards, at most",
    stops: SHARES,
    prior: "0.5",
  },
  bayes_error: {
    words: "how often an attacker errs",
    label: "Errors, at least this share",
    stops: stops(0.01, 0.49, FINE),
    prior: "0.5",
  },
  reconstruction: {
    words: "how often a record is reconstructed",
    label: "Reconstructed, at most this share",
    stops: SHARES,
    prior: "0.001",
  },
  regret: { words: "what stating mu alone gives away", label: "Regret of mu, at most", stops: stops(1e-4, 0.3, ROUND) },
  divergence: {
    words: "what is given away beyond pinned A",
    label: "Beyond A, at most",
    stops: stops(1e-4, 0.3, ROUND),
  },
};
const FREE = { noise_multiplier: "noise", scale: "noise", sample_rate: "sample rate", steps: "number of steps" };

/** What the engine is asked to meet. */
function targetOf({ target, risk, prior, fpr, delta, floor, a }) {
  const beside = {
    tpr: { fpr },
    epsilon: { delta },
    mu: { floor },
    advantage: {},
    posterior: { prior, fpr },
    bayes_error: { prior },
    reconstruction: { prior },
    regret: { floor },
    divergence: { other: a },
  };
  return { name: target, value: risk, ...beside[target] };
}

/** The parameters of a kind that may follow a risk. */
const freeOf = (kind) => KINDS[kind].filter((name) => Object.hasOwn(FREE, name));
