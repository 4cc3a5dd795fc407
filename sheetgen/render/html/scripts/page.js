/* Starts the page: totals as printed, then edits from local storage, then events. */
function changed(touched) {
  markUsedRows();
  const followed = refresh(false, touched);
  keepSoon();
  return followed;
}

/** Mark the rows of tables that hold a text, for phones, which leave empty ones out. */
function markUsedRows() {
  for (const row of main.querySelectorAll("tbody tr")) {
    row.classList.toggle("x-used", [...row.querySelectorAll("input, textarea")].some((el) => !isBox(el) && el.value));
  }
}

findPlaces();
root.classList.add("is-live");
for (const name of outputs) {
  if (fields.has(name)) {
    fields.get(name).readOnly = true;
  }
}
main.before(bar, panel); // before the sheet in tab order
new ResizeObserver(() => root.style.setProperty("--bar", bar.offsetHeight + "px")).observe(bar);
refresh(true);
oldFindings = facts.findings.filter((one) => !out || !out.says.some((now) => now.message === one.message));
restore();
if (narrow.matches) {
  fitAll(false);
}
refresh(true);
markUsedRows();

main.addEventListener("focusin", onFocus);
main.addEventListener("focusout", () => { finishTyping(); typing = null; showBar(); });
main.addEventListener("input", onInput);
main.addEventListener("click", onBoxClick);
main.addEventListener("change", onBoxChange);
main.addEventListener("animationend", (event) => event.target.classList.remove("x-fresh"));
narrow.addEventListener("change", () => fitAll(!narrow.matches));
window.addEventListener("beforeprint", () => fitAll(true));
document.addEventListener("keydown", onKey);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && bar.classList.contains("x-menu")) {
    menuOpen(false);
    more.focus();
  } else if (event.key === "Escape" && panel.contains(document.activeElement)) {
    panelOpen(false);
    count.focus();
  }
});
document.addEventListener("click", (event) => more.contains(event.target) || menuOpen(false));
window.addEventListener("pagehide", keep);
window.addEventListener("storage", (event) => {
  if (event.key === KEY + facts.digest) {
    announce("This sheet was changed in another window; reload to see it.");
  }
});
window.addEventListener("beforeunload", (event) => {
  keep();
  if (stored === false && !inFile()) {
    event.preventDefault(); // the edits are neither in local storage nor in a file
  }
});
