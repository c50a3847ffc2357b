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
        gap: Number(delta) * (1 + RELATIVE) + ABSOLUTE * RELATIVE,
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

  /** The same as a polygon, false and true positive rates: each corner lies about where two lines meet, at the upper. */
  get corners() {
    const lines = hull([
      ...this.#lines.map(({ gap, steep }) => ({ from: gap, by: steep })),
      ...this.#lines.map(({ left, flat }) => ({ from: 1 - flat * left * (1 - RELATIVE) + 2 * ABSOLUTE, by: flat * (1 + RELATIVE) })),
      { from: 1, by: 0 },
    ]);
    const reach = ({ from, by }, alpha) => Math.min(1, (from + by * alpha) * (1 + RELATIVE));
    const alpha = lines.map((line, i) => (i === 0 ? 0 : meeting(lines[i - 1], line)));
    const tpr = alpha.map((at, i) => Math.max(reach(lines[Math.max(i - 1, 0)], at), reach(lines[i], at)));
    return { alpha: [...alpha, 1], tpr: [...tpr, 1] };
  }

  /** Where both error rates are equal: on every curve above these lines, at least this. */
  get equal() {
    return this.#lines.reduce((best, { left, steep }) => Math.max(best, (left / (1 + steep)) * (1 - RELATIVE)), 0);
  }
}

const meeting = (one, other) => (other.from - one.from) / (one.by - other.by);

/** Which of these lines are the least somewhere in [0, 1], the steepest first (approximate: any of them bound). */
function hull(lines) {
  const known = lines.filter(({ by }) => Number.isFinite(by));
  const found = [];
  for (const line of known.sort((one, other) => other.by - one.by || one.from - other.from)) {
    if (found.at(-1)?.by === line.by) continue;
    while (found.length > 0 && meeting(found.at(-1), line) <= (found.length > 1 ? meeting(found.at(-2), found.at(-1)) : 0))
      found.pop();
    if (found.length === 0 || meeting(found.at(-1), line) < 1) found.push(line);
  }
  return found;
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
