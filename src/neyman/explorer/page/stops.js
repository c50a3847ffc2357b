/* Where sliders stop: round numbers an even distance apart to the eye, or the stops of the table. */

const FINE = [...spread(100, 200, 2), ...spread(200, 500, 5), ...spread(500, 1000, 10)];
const ROUND = [100, 120, 150, 200, 250, 300, 400, 500, 600, 800];
const COARSE = [100, 200, 500];

function spread(from, to, by) {
  return Array.from({ length: (to - from) / by }, (_, i) => from + i * by);
}

/** As people write it: no trailing zeros, powers of ten where there would be many leading ones. */
function brief(number) {
  const text = String(Number(number.toPrecision(4)));
  return number < 1e-3 && !text.includes("e") ? Number(text).toExponential() : text;
}

/** Texts from `low` to `high`, ascending, with the given leading digits in each decade. */
function stops(low, high, digits, whole = false) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.log10(high); power += 1) {
    for (const lead of digits) {
      const number = Number(`${lead}e${power - 2}`);
      if (number >= low && number <= high && (!whole || Number.isInteger(number))) found.push(brief(number));
    }
  }
  return found;
}

/** Which of these ascending numbers is nearest in ratio. */
function nearest(numbers, number) {
  const above = numbers.findIndex((stop) => stop >= number);
  if (above < 0) return numbers.length - 1;
  return above > 0 && number * number < numbers[above] * numbers[above - 1] ? above - 1 : above;
}
