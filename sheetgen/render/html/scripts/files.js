/* Files: saved as JSON, which is YAML too, or as a page; both can be opened again. */
function download(text, kind, ending) {
  const name = get("name") || told.character || told.sheet;
  const stem = name.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f'’]/g, "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = made("a", { href: address, download: (stem.slice(0, 80) || "sheet") + ending });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  filed = JSON.stringify(edits().fields);
  showBar();
}

function saveFile() {
  download(JSON.stringify(saved(), null, 2) + "\n", "application/json", ".json");
  announce("Saved. `sheetgen read` takes the file back into the character’s YAML.");
}

/** The page as it stands, with what was typed as its attributes: it works without scripts, too. */
function savePage() {
  const copy = root.cloneNode(true);
  copy.className = copy.className.replace(/\s*\b(is-live|panel-open)\b/g, "");
  copy.removeAttribute("style");
  copy.querySelectorAll(".x-chrome, #saved").forEach((el) => el.remove());
  copy.querySelectorAll(".x-fresh, .x-long").forEach((el) => el.classList.remove("x-fresh", "x-long"));
  copy.querySelectorAll("main [name]").forEach((el) => {
    const now = fields.get(el.name);
    ["readonly", "aria-invalid", "aria-disabled", "aria-haspopup", "spellcheck", "data-size"].forEach((one) => el.removeAttribute(one));
    if (isBox(el)) {
      el.toggleAttribute("checked", now.checked);
    } else if (el.tagName === "TEXTAREA") {
      el.textContent = "\n" + now.value; // a parser drops the first line break
    } else {
      el.setAttribute("value", now.value);
    }
  });
  copy.querySelectorAll("main [tabindex]").forEach((el) => ["tabindex", "role", "aria-label", "aria-haspopup", "data-of"].forEach((one) => el.removeAttribute(one)));
  const block = made("script", { type: "application/json", id: "saved" }, JSON.stringify(saved()).split("<").join("\\u003c"));
  copy.querySelector("#sheet").before(block, "\n");
  download("<!doctype html>\n" + copy.outerHTML + "\n", "text/html", ".html");
  announce("Saved as a page that opens anywhere.");
}

function parsed(text) {
  if (text.trimStart().startsWith("{")) {
    return JSON.parse(text);
  }
  const page = new DOMParser().parseFromString(text, "text/html"); // inert: it runs and loads nothing
  const block = page.getElementById("saved") || page.getElementById("sheet");
  const found = JSON.parse(block.textContent);
  if (!found.fields) {
    found.sheetgen = "filled sheet";
    found.fields = {};
    page.querySelectorAll("main [name]").forEach((el) => { found.fields[el.getAttribute("name")] = isBox(el) ? el.defaultChecked : el.defaultValue; });
  }
  return found;
}

function opened(text) {
  let file = null;
  try {
    file = parsed(text);
  } catch (error) { /* said below */ }
  if (!file || file.sheetgen !== "filled sheet" || typeof file.fields !== "object" || !file.fields) {
    ask("Not a saved sheet", "This file is neither JSON nor a page that a sheet has saved.");
  } else if (file.ruleset !== told.ruleset) {
    ask("Another game", "The file is of “" + file.ruleset + "”, this sheet of “" + told.ruleset + "”.");
  } else {
    const go = () => {
      const lost = take(file.fields);
      filed = JSON.stringify(edits().fields);
      announce("Opened.");
      tell(lost);
      showBar();
    };
    const who = (name) => (name ? "“" + name + "”" : "an empty sheet");
    if (file.character !== told.character) {
      ask("Another character", "The file is of " + who(file.character) + ", this sheet of " + who(told.character) + ". What stands here would be replaced; Undo brings it back.", [["Cancel", () => {}], ["Replace", go]]);
    } else {
      go();
    }
  }
}

/** Say what found no place. */
function tell(lost) {
  if (lost.length) {
    ask("What has no place here", "It stays in this sheet’s file when you save it.", [["Close", () => {}]], lost);
  }
}

function openFile() {
  const input = made("input", { type: "file", accept: ".json,.html,.htm,application/json,text/html" });
  input.addEventListener("change", () => input.files[0] && input.files[0].text().then(opened));
  input.click();
}

function reset() {
  const count = change([...printed].filter(([name]) => typed(name)));
  rest = {};
  keep();
  announce(count ? "All as printed. Undo brings your edits back." : "All is as printed.");
}
