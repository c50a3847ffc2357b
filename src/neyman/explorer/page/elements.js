/* Elements of the page. Words reach it as text nodes alone: what looks like markup is shown as it is written. */

const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Writing the same words again would make a screen reader, or a selection, start again. */
function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

/** Words whose short pieces are not torn apart at a hyphen: "1e-5" is one number. */
function sayWhole(node, words) {
  if (node.textContent === words) return;
  const whole = (piece) => (piece.length < 16 ? make("span", { class: "whole" }, piece) : piece);
  node.replaceChildren(...words.split(" ").flatMap((piece, i) => (i === 0 ? [whole(piece)] : [" ", whole(piece)])));
}

/** Call `act` once nobody has asked for it for so many milliseconds. */
function afterPause(milliseconds, act) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
}
