/* Why there is no answer, in the words of the page: a number is called what its control is called. */

const LONGEST = 64; // characters of a number that are read
const RISK = "The risk you accept";
const SAME = { membership_prior: "prior" }; // what engines call otherwise

/** Which control a refusal is about; the risk, where a target has no control of its own for it. */
function controlOf(parameter, { kind, hold }) {
  const name = SAME[parameter] ?? parameter;
  const own = [...KINDS[kind], "fpr", "delta", "floor", "prior"];
  return hold && !own.includes(name) ? "risk" : name;
}

/** `label`: of the control, `typed`: what is in it; both undefined where the refusal is about none. */
function refusedWords({ kind, error, allowed = "", advice = "" }, label, typed) {
  if (kind !== "invalid" || !label || !allowed) {
    return whole(error, allowed && `Allowed: ${allowed}.`, advice);
  }
  return [`${label} must be ${allowed}, got ${shortened(typed)}.`, howToWrite(typed), advice].filter(Boolean).join(" ");
}

/** A refusal of settings that no control shows, such as pinned ones. */
function refusedElsewhere({ error, parameter, allowed = "", advice = "" }) {
  const words = error.replace(/^\w+(?= must be )/, (name) => CONTROLS[SAME[parameter] ?? parameter]?.label ?? name);
  return whole(words, allowed && `Allowed: ${allowed}.`, advice);
}

/** A sentence, and what it does not say yet. */
function whole(error, ...more) {
  const said = (part) => error.includes(part.replace(/^Allowed: (.*)\.$/, "$1"));
  return [error, ...more.filter((part) => part && !said(part))].join(" ");
}

function shortened(typed) {
  return typed.length > LONGEST ? `${typed.slice(0, 16)}… (${typed.length} characters)` : typed;
}

/** A comma is a point to some and nothing to others: numbers have none here. */
function howToWrite(typed) {
  if (!typed.includes(",")) return "";
  const point = typed.replace(",", ".");
  const nothing = typed.replaceAll(",", "");
  const grouped = /^\s*\d{1,3}(,\d{3})+\s*$/.test(typed);
  const ways = [grouped && nothing, point].filter((one) => one && rational(one) !== null);
  return ways.length ? `Write ${ways.join(" or ")}, without a comma.` : "";
}
