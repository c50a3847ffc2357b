/* An audit's evidence over the claim: what some attack reached, at the confidence of the audit. */

/** What the evidence says of the curve of an answer, which lies nowhere above what is promised. */
function verdictOf({ confidence, fpr, tpr }, { curve }) {
  const sure = `${Number((100 * confidence).toPrecision(6))} % confidence`;
  const beyond = curve && fpr.some((alpha, i) => tpr[i] > reached(curve, alpha));
  if (beyond) return `At ${sure}, an attack did better than these settings allow: they are not what was run.`;
  return `At ${sure}, no attack of this audit did better than these settings allow. That proves nothing more.`;
}

/** The true positive rate of the polygon, which the promise is nowhere above: an attack beyond it is beyond both. */
function reached({ alpha, tpr }, share) {
  const next = Math.max(
    1,
    alpha.findIndex((corner) => corner >= share),
  );
  const part = (share - alpha[next - 1]) / (alpha[next] - alpha[next - 1]);
  return tpr[next - 1] + part * (tpr[next] - tpr[next - 1]) + 1e-12;
}
