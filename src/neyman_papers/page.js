"use strict";
// Shows the rows that hold every word asked for and have the verdict asked for, without the figures while it does.
(function () {
  const bar = document.getElementById("filter");
  const words = bar.querySelector("input");
  const verdict = bar.querySelector("#verdict");
  const paper = bar.querySelector("#paper");
  const count = bar.querySelector("output");
  const rows = Array.from(document.querySelectorAll("tr[data-verdict]"), function (row) {
    return { row: row, text: row.textContent.toLowerCase(), paper: row.closest("section").id };
  });
  const holders = Array.from(document.querySelectorAll("tbody.part, section"));
  const pictures = Array.from(document.querySelectorAll(".pictures"));

  function show() {
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of rows) {
      const fits = (!verdict.value || one.row.dataset.verdict === verdict.value)
        && (!paper.value || one.paper === paper.value)
        && asked.every(function (word) { return one.text.includes(word); });
      one.row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    const all = shown === rows.length;
    for (const holder of holders) {
      holder.hidden = !all && !holder.querySelector("tr[data-verdict]:not([hidden])");
    }
    for (const picture of pictures) {
      picture.hidden = !all;
    }
    count.textContent = shown + " of " + rows.length + " rows";
  }

  for (const field of [words, verdict, paper]) {
    field.addEventListener("input", show);
  }
  window.addEventListener("hashchange", function () {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest("[hidden]")) {
      words.value = verdict.value = paper.value = "";
      show();
      target.scrollIntoView();
    }
  });
  bar.addEventListener("submit", function (event) { event.preventDefault(); });
  bar.hidden = false;
  show();
}());
