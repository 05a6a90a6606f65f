"use strict";
const filter = document.querySelector(".filter");
const search = filter.querySelector("input[type=search]");
const problems = filter.querySelector("input[type=checkbox]");
const count = filter.querySelector("output");
const rows = [...document.querySelectorAll("#nodes tbody tr[data-row]")];
function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const keep = words.every((word) => text.includes(word)) && (!problems.checked || row.dataset.row === "problem");
    row.hidden = !keep;
    shown += keep ? 1 : 0;
  }
  count.textContent = `${shown} of ${rows.length} shown`;
}
filter.hidden = false;
search.addEventListener("input", apply);
problems.addEventListener("change", apply);
apply();
