/* Saves files as JSON (which is also YAML) or as an HTML page, and opens both. */
function download(text, kind, ending) {
  const name = textOf("name") || facts.character || facts.sheet;
  const stem = name.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f'’]/g, "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = element("a", { href: address, download: (stem.slice(0, 80) || "sheet") + ending });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  savedEdits = JSON.stringify(edits().fields);
  showBar();
}

function saveFile() {
  download(JSON.stringify(fileData(), null, 2) + "\n", "application/json", ".json");
  announce("Saved. `sheetgen read` takes the file back into the character’s YAML.");
}

/** Save the page with all values in its attributes, so that it also works without scripts. */
function savePage() {
  const copy = root.cloneNode(true);
  copy.className = copy.className.replace(/\s*\b(is-live|panel-open)\b/g, "");
  copy.removeAttribute("style");
  copy.querySelectorAll(".x-chrome, #saved").forEach((el) => el.remove());
  copy.querySelectorAll(".x-fresh, .x-long, .x-used").forEach((el) => el.classList.remove("x-fresh", "x-long", "x-used"));
  copy.querySelectorAll("main [name]").forEach((el) => {
    const now = fields.get(el.name);
    ["readonly", "aria-invalid", "aria-disabled", "aria-haspopup", "spellcheck", "data-size"].forEach((one) => el.removeAttribute(one));
    if (isBox(el)) {
      el.toggleAttribute("checked", now.checked);
    } else if (el.tagName === "TEXTAREA") {
      el.textContent = "\n" + now.value; // an HTML parser drops the first line break
    } else {
      el.setAttribute("value", now.value);
    }
  });
  copy.querySelectorAll("main [tabindex]").forEach((el) => ["tabindex", "role", "aria-label", "aria-haspopup", "data-of"].forEach((one) => el.removeAttribute(one)));
  const block = element("script", { type: "application/json", id: "saved" }, JSON.stringify(fileData()).split("<").join("\\u003c"));
  copy.querySelector("#sheet").before(block, "\n");
  download("<!doctype html>\n" + copy.outerHTML + "\n", "text/html", ".html");
  announce("Saved as a page that opens anywhere.");
}

function parseFile(text) {
  if (text.trimStart().startsWith("{")) {
    return JSON.parse(text);
  }
  const page = new DOMParser().parseFromString(text, "text/html"); // runs no scripts and loads nothing
  const block = page.getElementById("saved") || page.getElementById("sheet");
  const found = JSON.parse(block.textContent);
  if (!found.fields) {
    found.sheetgen = "filled sheet";
    found.fields = {};
    page.querySelectorAll("main [name]").forEach((el) => { found.fields[el.getAttribute("name")] = isBox(el) ? el.defaultChecked : el.defaultValue; });
  }
  return found;
}

function loadFile(text) {
  let file = null;
  try {
    file = parseFile(text);
  } catch (error) { /* reported below */ }
  if (!file || file.sheetgen !== "filled sheet" || typeof file.fields !== "object" || !file.fields) {
    ask("Not a saved sheet", "This file is neither JSON nor a page that a sheet has saved.");
  } else if (file.ruleset !== facts.ruleset) {
    ask("Another game", "The file is of “" + file.ruleset + "”, this sheet of “" + facts.ruleset + "”.");
  } else {
    const go = () => {
      const lost = apply(file.fields);
      savedEdits = JSON.stringify(edits().fields);
      announce("Opened.");
      reportUnplaced(lost);
      showBar();
    };
    const who = (name) => (name ? "“" + name + "”" : "an empty sheet");
    if (file.character !== facts.character) {
      ask("Another character", "The file is of " + who(file.character) + ", this sheet of " + who(facts.character) + ". What stands here would be replaced; Undo brings it back.", [["Cancel", () => {}], ["Replace", go]]);
    } else {
      go();
    }
  }
}

/** Show the values that have no field here. */
function reportUnplaced(lost) {
  if (lost.length) {
    ask("What has no place here", "It stays in this sheet’s file when you save it.", [["Close", () => {}]], lost);
  }
}

function openFile() {
  const input = element("input", { type: "file", accept: ".json,.html,.htm,application/json,text/html" });
  input.addEventListener("change", () => input.files[0] && input.files[0].text().then(loadFile));
  input.click();
}

function reset() {
  const count = change([...printed].filter(([name]) => isTyped(name)));
  unplaced = {};
  keep();
  announce(count ? "All as printed. Undo brings your edits back." : "All is as printed.");
}
