/* The answer in words: the odds first, what a picture shows, and what was made of the settings. */

const NO_ODDS = "The odds of an attack are not certified for these settings.";
const SAFE_STOP = "Between the stops of the table: this is the promise of the next stop that protects no more.";

/** The odds in words; who is accused stands out, in the colours of the pictures. */
function tell(node, odds) {
  const words = odds?.sentence ?? NO_ODDS;
  if (node.textContent === words) return;
  const pieces = words.split(/(\d[\d,]*)/);
  const numbers = odds ? [odds.of, odds.out, odds.of, odds.in].map(grouped) : [];
  const told = pieces.filter((_, i) => i % 2 === 1).join(" ") === numbers.join(" ");
  const marks = { 3: "mistake", 7: "accused" };
  node.replaceChildren(
    ...pieces.map((piece, i) => (told && marks[i] ? make("span", { class: marks[i] }, piece) : piece)),
  );
}

function captionOf({ numbers, gaussian, floor }) {
  const dashed =
    gaussian && !numbers.mu.refused
      ? ` Dashed: a Gaussian mechanism with mu = ${numbers.mu.text}, for error rates of ${brief(floor)} and above.`
      : "";
  return `What attacks can reach, at most: certified.${dashed}`;
}
