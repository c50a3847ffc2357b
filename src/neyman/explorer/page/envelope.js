/* The certified curve of a few pairs (epsilon, delta): beta >= 1 - delta - e^epsilon alpha and its mirror image.

   certifies: `exp` of every browser errs by less than one unit in its last place, each operation by half of one, and a
   text becomes the nearest float; a relative 1e-12 on epsilon, delta and the exponential, and an absolute 1e-15 where
   numbers near 1 are subtracted, are thousands of times and four times what these add up to. All go to the safe side. */

const RELATIVE = 1e-12;
const ABSOLUTE = 1e-15;

class Envelope {
  #lines;

  /** `pairs`: texts [epsilon, delta], each an upper bound. */
  constructor(pairs) {
    this.#lines = pairs.map(([epsilon, delta]) => {
      const most = Number(epsilon) * (1 + RELATIVE);
      return {
        left: 1 - Number(delta) * (1 + RELATIVE) - ABSOLUTE,
        steep: Math.exp(most) * (1 + RELATIVE),
        flat: Math.exp(-most) * (1 - RELATIVE),
      };
    });
  }

  /** No attack has a lower false negative rate at this false positive rate. */
  beta(alpha) {
    return this.#lines.reduce((best, { left, steep, flat }) => {
      const taken = alpha === 0 ? 0 : Math.min(2, steep * alpha * (1 + RELATIVE)); // e^epsilon may be no float
      const falling = left - taken - ABSOLUTE;
      const mirrored = flat * Math.max(0, left - alpha - ABSOLUTE) * (1 - RELATIVE);
      return Math.max(best, falling, mirrored);
    }, 0);
  }

  /** Nor a higher true positive rate, even at a rate a rounding above. */
  detected(alpha) {
    return Math.min(1, 1 - this.beta(Math.min(1, alpha * (1 + RELATIVE))) + ABSOLUTE);
  }

  /** Where both error rates are equal: on every curve above these lines, at least this. */
  get equal() {
    return this.#lines.reduce((best, { left, steep }) => Math.max(best, (left / (1 + steep)) * (1 - RELATIVE)), 0);
  }
}

/** Four digits, never below `number`, which is itself a bound by more than what a text differs from its float. */
const upward = (number) => outward(number, 1);
const downward = (number) => outward(number, -1);

function outward(number, side) {
  if (number === 0) return "0";
  const [digits, power] = number.toExponential(3).split("e");
  const nearest = Number(`${digits}e${power}`);
  if ((nearest - number) * side >= 0) return tidy(nearest);
  const lead = Number(digits.replace(".", ""));
  if (side < 0 && lead === 1000) return tidy(Number(`9999e${Number(power) - 4}`));
  return tidy(Number(`${lead + side}e${Number(power) - 3}`));
}

function tidy(number) {
  return number !== 0 && number < 1e-4 ? number.toExponential() : String(number);
}
