/* The bar, the findings, and questions: all that is not the sheet, made here, so that a page
   without scripts has none of it. */
const said = made("p", { class: "x-said", role: "status" });
const state = made("span", { class: "x-state" });
const points = made("p", { class: "x-points" });
const found = made("ol", {});
const count = made("button", { type: "button", class: "x-count", "aria-expanded": "false", "aria-controls": "findings", on: () => panelOpen(panel.hidden) });
const panel = made("section", { class: "x-chrome x-panel", id: "findings", "aria-label": "Findings", hidden: true }, found);
const acts = {};
const act = (name, key, work) => (acts[name] = made("button", { type: "button", on: work, "aria-keyshortcuts": key }, name));
const menu = made("div", { class: "x-more", id: "more" },
  act("Save file", undefined, saveFile), act("Save page", undefined, savePage), act("Open file", undefined, openFile),
  act("Print", undefined, () => { window.print(); }), act("Reset", undefined, reset));
const more = made("button", { type: "button", class: "x-opens", "aria-expanded": "false", "aria-controls": "more", on: () => menuOpen(!bar.classList.contains("x-menu")) }, "More");
const bar = made("section", { class: "x-chrome x-bar", "aria-label": "Sheet tools" },
  points, count, state, said,
  made("div", { class: "x-acts" }, act("Undo", "Control+Z", undo), act("Redo", "Control+Shift+Z", redo), more, menu));
acts.Reset.title = "All as printed; can be undone";

function menuOpen(open) {
  bar.classList.toggle("x-menu", open);
  more.setAttribute("aria-expanded", open);
}

function panelOpen(open) {
  panel.hidden = !open;
  count.setAttribute("aria-expanded", open);
  root.classList.toggle("panel-open", open);
  said.textContent = "";
}

let silence = 0;
function announce(text) {
  said.textContent = text;
  window.clearTimeout(silence);
  silence = window.setTimeout(() => { said.textContent = ""; }, 4000 + 60 * text.length);
}

function showBar() {
  acts.Undo.disabled = !past.length && !(typing && read(typing.el) !== typing.before);
  acts.Redo.disabled = !ahead.length;
  const changedNow = Object.keys(edits().fields).length;
  const words = !changedNow ? "As printed" : inFile() ? "Saved" : kept ? "Kept here, not in a file" : kept === false ? "Not kept: save a file" : "Changed";
  if (state.textContent !== words) {
    state.textContent = words;
    state.className = "x-state" + (changedNow && !inFile() ? " x-dirty" : "");
  }
  const left = Object.entries((out && out.left) || {});
  const text = JSON.stringify(left);
  if (points.dataset.left !== text) {
    points.dataset.left = text;
    points.replaceChildren(...left.map(([pool, n]) => made("span", { class: n < 0 ? "x-pool x-short" : "x-pool" },
      made("span", {}, told.pools[pool] || pool), " ", made("b", {}, String(n).replace("-", "−")), made("i", {}, " left"))));
  }
}

function worded(number, word) {
  return number + " " + word + (number === 1 ? "" : "s");
}

function showFindings() {
  const now = ((out && out.says) || []).slice();
  if (broken) {
    now.push({ code: "", severity: "error", message: "the totals could not be worked out: " + broken, hint: "", at: "" });
  }
  for (const [name, el] of fields) {
    if (el.classList.contains("x-long")) {
      now.push({ code: "", severity: "note", message: label(el) + " is longer than its line; print shows its beginning", hint: "", at: name });
    }
  }
  for (const name of (out && out.bad) || []) {
    if (!now.some((one) => one.at && name.startsWith(one.at))) {
      now.push({ code: "", severity: "warning", message: label(fields.get(name)) + " cannot be read: “" + get(name) + "”", hint: "its last figure counts", at: name });
    }
  }
  const all = now.concat(before);
  const text = JSON.stringify(all);
  if (found.dataset.all === text) {
    return;
  }
  found.dataset.all = text;
  found.replaceChildren(...now.map((one) => item(one)), ...before.map((one) => item(one, "when printed" + (one.line ? ", line " + one.line : ""))));
  const parts = ["error", "warning", "note"].map((kind) => [all.filter((one) => one.severity === kind).length, kind]).filter(([n]) => n);
  count.textContent = parts.map(([n, kind]) => worded(n, kind)).join(", ") || "No findings";
  count.classList.toggle("x-wrong", all.some((one) => one.severity === "error"));
  count.disabled = !all.length;
  if (!all.length) {
    panelOpen(false);
  }
}

function item(one, when) {
  const target = one.at && fieldAt(one.at);
  const inside = [made("span", { class: "x-kind" }, one.severity, one.code && " " + one.code, when && " · " + when), made("span", { class: "x-what" }, one.message), one.hint && made("span", { class: "x-hint-of" }, one.hint)];
  return made("li", { class: "x-" + one.severity }, target ? made("button", { type: "button", on: () => goTo(target) }, ...inside) : made("div", {}, ...inside));
}

/** The field that a finding is about: itself, or the first below its name. */
function fieldAt(at) {
  const below = [...fields.keys()].filter((name) => name.startsWith(at + "."));
  return fields.get(at) || fields.get(below.find(typed) || below[0]);
}

function goTo(el) {
  if (narrow.matches) {
    panelOpen(false);
  }
  el.scrollIntoView({ block: "center" });
  el.focus({ preventScroll: true });
}

/* -- questions: a dialog each, one after the other -- */
const asked = [];
function ask(title, text, answers, lines) {
  const dialog = made("dialog", { class: "x-chrome x-ask", "aria-labelledby": "asked" },
    made("h2", { id: "asked" }, title), made("p", {}, text), lines && made("ul", { tabindex: "0" }, ...lines.map((line) => made("li", {}, line))),
    made("p", { class: "x-answers" }, ...(answers || [["Close", () => {}]]).map(([words, work]) => made("button", { type: "button", on: () => { dialog.close(); work(); } }, words))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    asked.shift();
    if (asked.length) {
      show(asked[0]);
    }
  });
  asked.push(dialog);
  if (asked.length === 1) {
    show(dialog);
  }
}

function show(dialog) {
  document.body.append(dialog);
  dialog.showModal();
}
