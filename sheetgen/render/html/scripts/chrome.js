/* The bar, the list of findings, and dialogs. They are created here, so that a page without
   scripts does not have them. */
const status = element("p", { class: "x-said", role: "status" });
const state = element("span", { class: "x-state" });
const points = element("p", { class: "x-points" });
const list = element("ol", {});
const count = element("button", { type: "button", class: "x-count", "aria-expanded": "false", "aria-controls": "findings", on: () => panelOpen(panel.hidden) });
const panel = element("section", { class: "x-chrome x-panel", id: "findings", "aria-labelledby": "findings-title", tabindex: "-1", hidden: true }, element("h2", { id: "findings-title" }, "Findings"), list);
const acts = {};
const act = (name, key, work) => (acts[name] = element("button", { type: "button", on: work, "aria-keyshortcuts": key }, name));
const menu = element("div", { class: "x-more", id: "more" },
  act("Save file", undefined, saveFile), act("Save page", undefined, savePage), act("Open file", undefined, openFile),
  act("Print", undefined, () => { window.print(); }), act("Reset", undefined, reset));
const more = element("button", { type: "button", class: "x-opens", "aria-expanded": "false", "aria-controls": "more", on: () => menuOpen(!bar.classList.contains("x-menu")) }, "More");
const bar = element("section", { class: "x-chrome x-bar", "aria-label": "Sheet tools" },
  points, count, state, status,
  element("div", { class: "x-acts" }, act("Undo", "Control+Z", undo), act("Redo", "Control+Shift+Z", redo), more, menu));
acts.Reset.title = "All as printed; can be undone";

function menuOpen(open) {
  bar.classList.toggle("x-menu", open);
  more.setAttribute("aria-expanded", open);
}

function panelOpen(open) {
  panel.hidden = !open;
  count.setAttribute("aria-expanded", open);
  root.classList.toggle("panel-open", open);
  status.textContent = "";
}

let silence = 0;
function announce(text) {
  status.textContent = text.replace(/`([^`]*)`/g, "“$1”");
  window.clearTimeout(silence);
  silence = window.setTimeout(() => { status.textContent = ""; }, 4000 + 60 * text.length);
}

function showBar() {
  acts.Undo.disabled = !past.length && !(typing && read(typing.el) !== typing.before);
  acts.Redo.disabled = !ahead.length;
  const changedNow = Object.keys(edits().fields).length;
  const words = !changedNow ? "As printed" : inFile() ? "Saved" : stored ? "Kept here, not in a file" : stored === false ? "Not kept: save a file" : "Changed";
  if (state.textContent !== words) {
    state.textContent = words;
    state.className = "x-state" + (changedNow && !inFile() ? " x-dirty" : "");
  }
  const left = Object.entries((out && out.left) || {});
  const text = JSON.stringify(left);
  if (points.dataset.left !== text) {
    points.dataset.left = text;
    points.replaceChildren(...left.map(([pool, n]) => element("span", { class: n < 0 ? "x-pool x-short" : "x-pool" },
      element("span", {}, facts.pools[pool] || pool), " ", element("b", {}, String(n).replace("-", "−")), element("i", {}, " left"))));
  }
}

function countWords(number, word) {
  return number + " " + word + (number === 1 ? "" : "s");
}

function showFindings() {
  const now = ((out && out.says) || []).slice();
  if (broken) {
    now.push({ code: "", severity: "error", message: "the totals could not be computed: " + broken, hint: "", at: "" });
  }
  for (const [name, el] of fields) {
    if (el.classList.contains("x-long") && !narrow.matches) { // lines of a phone are not those of the print
      now.push({ code: "", severity: "note", message: label(el) + " is longer than its line; print shows its beginning", hint: "", at: name });
    }
  }
  for (const name of (out && out.bad) || []) {
    if (!now.some((one) => one.at && name.startsWith(one.at))) {
      now.push({ code: "", severity: "warning", message: label(fields.get(name)) + " cannot be read: “" + textOf(name) + "”", hint: "its last figure counts", at: name });
    }
  }
  const seen = [...kept.values()].filter((one) => typeof one === "string").length;
  if (seen) {
    const what = [...new Set([...kept.values()].filter(Boolean))].join(", ");
    now.push({ code: "", severity: "note", message: countWords(seen, "value") + " marked ° " + (seen === 1 ? "is" : "are") + " as printed" + (what ? ": a change of " + what + " is not followed here" : ", of what stood in the row before"), hint: "`sheetgen read` takes the change into the file; print the sheet anew", at: "" });
  }
  const kinds = ["error", "warning", "note"];
  const old = oldFindings.map((one) => ({ ...one, when: "when printed" + (one.line ? ", line " + one.line : "") }));
  const all = now.concat(old).sort((one, two) => kinds.indexOf(one.severity) - kinds.indexOf(two.severity));
  const text = JSON.stringify(all);
  if (list.dataset.all === text) {
    return;
  }
  list.dataset.all = text;
  list.replaceChildren(...all.map(item));
  const parts = kinds.map((kind) => [all.filter((one) => one.severity === kind).length, kind]).filter(([n]) => n);
  count.textContent = parts.map(([n, kind]) => countWords(n, kind)).join(", ") || "No findings";
  count.classList.toggle("x-wrong", all.some((one) => one.severity === "error"));
  count.disabled = !all.length;
  if (!all.length) {
    panelOpen(false);
  }
}

/** Return the parts of a message; what it quotes is code. */
function quoted(text) {
  return text.split("`").map((part, at) => (at % 2 ? element("code", {}, part) : part));
}

function item(one) {
  const target = one.at && fieldAt(one.at);
  const inside = [element("span", { class: "x-kind" }, element("b", {}, one.severity), one.code && " " + one.code, one.when && " · " + one.when), element("span", { class: "x-what" }, ...quoted(one.message)), one.hint && element("span", { class: "x-hint-of" }, ...quoted(one.hint))];
  return element("li", { class: "x-" + one.severity }, target ? element("button", { type: "button", on: () => goTo(target) }, ...inside) : element("div", {}, ...inside));
}

/** Return the field that a finding is about, or the first field below its name. */
function fieldAt(at) {
  const below = [...fields.keys()].filter((name) => name.startsWith(at + "."));
  return fields.get(at) || fields.get(below.find(isTyped) || below[0]);
}

function goTo(el) {
  if (narrow.matches) {
    panelOpen(false);
  }
  el.scrollIntoView({ block: "center" });
  el.focus({ preventScroll: true });
}

/* -- dialogs, shown one after the other -- */
const dialogs = [];
function ask(title, text, answers, lines) {
  const dialog = element("dialog", { class: "x-chrome x-ask", "aria-labelledby": "asked" },
    element("h2", { id: "asked" }, title), element("p", {}, text), lines && element("ul", { tabindex: "0" }, ...lines.map((line) => element("li", {}, line))),
    element("p", { class: "x-answers" }, ...(answers || [["Close", () => {}]]).map(([words, work]) => element("button", { type: "button", on: () => { dialog.close(); work(); } }, words))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    dialogs.shift();
    if (dialogs.length) {
      openDialog(dialogs[0]);
    }
  });
  dialogs.push(dialog);
  if (dialogs.length === 1) {
    openDialog(dialog);
  }
}

function openDialog(dialog) {
  document.body.append(dialog);
  dialog.showModal();
}
