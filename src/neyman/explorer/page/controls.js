/* What may be set: each control with its words, its unit and its stops; the mechanisms that have them. */

const CONTROLS = {
  noise_multiplier: {
    label: "Noise multiplier",
    unit: "",
    hint: "noise over clipping norm",
    stops: stops(0.3, 20, FINE),
  },
  scale: { label: "Scale of the noise", unit: "", hint: "over the sensitivity", stops: stops(0.1, 50, FINE) },
  sample_rate: {
    label: "Sample rate",
    unit: "",
    hint: "such as 0.01, 1% or 512/60000",
    stops: [...stops(1e-5, 0.99, FINE), "1"],
  },
  steps: { label: "Steps", unit: " steps", hint: "", stops: stops(1, 1e6, FINE, true) },
  epsilon: {
    label: "Epsilon of one answer",
    unit: "",
    hint: "of the coin that decides between truth and chance",
    stops: stops(0.05, 10, FINE),
  },
  k: { label: "Possible answers", unit: "", hint: "", stops: stops(2, 1000, FINE, true) },
  count: { label: "Times it is run", unit: " times", hint: "", stops: stops(1, 1e4, FINE, true) },
  fpr: { label: "False alarm rate", unit: "", hint: "those left out who are accused", stops: stops(1e-4, 0.9, ROUND) },
  delta: { label: "Delta", unit: "", hint: "at which epsilon is read", stops: stops(1e-12, 0.1, COARSE) },
  floor: { label: "Floor", unit: "", hint: "error rates of which mu speaks", stops: stops(1e-15, 1e-3, [100]) },
  risk: { label: "", unit: "", stops: SHARES },
  prior: {
    label: "Chance before the attack",
    unit: "",
    hint: "before anything is seen",
    stops: [...stops(1e-4, 0.0099, ROUND), ...SHARES],
  },
};
const MECHANISMS = {
  dpsgd: "DP-SGD: noisy training",
  gaussian: "Gaussian noise",
  laplace: "Laplace noise",
  randomized_response: "Randomised response",
};
