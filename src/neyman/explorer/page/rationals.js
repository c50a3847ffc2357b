/* Numbers as people write them, exactly: "0.01", "1%", "1e3", "512/60000". A float would already have chosen a side. */

const WRITTEN = /^\s*([+-]?)(\d{0,64})(?:\.(\d{0,64}))?(?:[eE]([+-]?\d{1,3}))?\s*(%?)\s*$/;

/** A fraction {over, under} of BigInts, under > 0; null where the text is no such number. */
function rational(text) {
  const parts = String(text).split("/");
  if (parts.length === 2) {
    const [a, b] = parts.map(rational);
    if (a === null || b === null || b.over <= 0n) return null;
    return { over: a.over * b.under, under: a.under * b.over };
  }
  const found = parts.length === 1 ? WRITTEN.exec(text) : null;
  if (found === null) return null;
  const [, sign, whole, after = "", power = "0", percent] = found;
  if (whole + after === "") return null;
  const digits = BigInt(whole + after) * (sign === "-" ? -1n : 1n);
  const exponent = Number(power) - after.length - (percent ? 2 : 0);
  const scale = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? { over: digits, under: scale } : { over: digits * scale, under: 1n };
}

/** Below 0, 0 or above 0 as a is below, at or above b. */
function order(a, b) {
  const left = a.over * b.under;
  const right = b.over * a.under;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The float nearest to a text, to place a slider or a mark; NaN where the text is no number. */
function placed(text) {
  if (rational(text) === null) return NaN;
  const [a, b = "1"] = String(text)
    .split("/")
    .map((part) => part.trim());
  const one = (part) => (part.endsWith("%") ? parseFloat(part) / 100 : parseFloat(part));
  return one(a) / one(b);
}
