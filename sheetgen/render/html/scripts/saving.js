/* Stores what was typed: in this browser's local storage at once, in a file on demand. A sheet
   that was printed again asks before it shows edits of an older print. */
const KEY = ["sheetgen:1", facts.ruleset, facts.character].map(encodeURIComponent).join(":") + ":";
let stored = null; // whether the edits are in local storage; null: there are none
let savedEdits = ""; // the edits that were last saved in a file

function edits() {
  const fieldsNow = {};
  const printedThen = {};
  for (const [name, value] of printed) {
    if (isTyped(name) && read(fields.get(name)) !== value) {
      fieldsNow[name] = read(fields.get(name));
      printedThen[name] = value;
    }
  }
  return { fields: fieldsNow, printed: printedThen };
}

/** Return the content of a saved file: all fields, and the printed values of changed ones. */
function fileData() {
  const all = {};
  for (const [name, el] of fields) {
    if (isTyped(name)) {
      all[name] = read(el);
    }
  }
  return {
    sheetgen: "filled sheet", format: 1, ruleset: facts.ruleset, version: facts.version,
    character: facts.character, digest: facts.digest, sheet: facts.sheet,
    fields: Object.assign({}, unplaced, all), printed: edits().printed,
  };
}

function storage(work) {
  try {
    return work(window.localStorage);
  } catch (error) {
    return undefined; // blocked, or full
  }
}

let waiting = 0;
function keepSoon() {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(keep, 250);
}

function keep() {
  window.clearTimeout(waiting);
  const now = edits();
  const some = Object.keys(now.fields).length + Object.keys(unplaced).length > 0;
  const text = JSON.stringify(Object.assign(now, { rest: unplaced }));
  const done = storage((store) => {
    if (some) {
      store.setItem(KEY + facts.digest, text);
    } else {
      store.removeItem(KEY + facts.digest);
    }
    return true;
  });
  stored = some ? Boolean(done) : null;
  showBar();
}

const inFile = () => savedEdits === JSON.stringify(edits().fields);

/** Return the edits of other prints of this character in local storage, with their keys. */
function olderEdits() {
  return storage((store) => Object.keys(store)
    .filter((key) => key.startsWith(KEY) && key !== KEY + facts.digest)
    .map((key) => [key, JSON.parse(store.getItem(key))])
    .filter(([, one]) => one && one.fields)) || [];
}

/** Set the fields that exist; return the other values as lines to show. They stay in the file. */
function apply(values) {
  const good = [];
  const lost = [];
  for (const [name, value] of Object.entries(values)) {
    const el = fields.get(name);
    if (el && isTyped(name) && typeof value === (isBox(el) ? "boolean" : "string")) {
      good.push([name, value]);
    } else if (el && outputs.has(name) && typeof value === "string") {
      openTexts.set(name, value); // it shows once its row holds a thing that the rules do not know
    } else if (!outputs.has(name) && value !== "" && value !== false) {
      unplaced[name] = value;
      lost.push(name + ": " + (typeof value === "object" ? JSON.stringify(value) : value));
    }
  }
  change(good);
  return lost;
}

/** On opening: what stands in the file, then what this browser kept of it. */
function restore() {
  const block = document.getElementById("saved");
  const own = block && JSON.parse(block.textContent);
  if (own) {
    for (const [name, value] of Object.entries(own.fields)) {
      if (!fields.has(name)) {
        unplaced[name] = value;
      }
    }
    savedEdits = JSON.stringify(edits().fields);
  }
  const mine = storage((store) => JSON.parse(store.getItem(KEY + facts.digest)));
  const differs = mine && JSON.stringify(mine.fields) !== JSON.stringify(edits().fields);
  if (differs && own) {
    ask("Other edits in this browser", "This file holds one state of the sheet, and this browser another, of a later or an earlier day.", [
      ["Show this file’s", () => {}], ["Show the browser’s", () => change([...printed].filter(([n]) => isTyped(n)).map(([n, v]) => [n, n in mine.fields ? mine.fields[n] : v]))],
    ]);
  } else if (differs) {
    unplaced = mine.rest || {};
    apply(mine.fields);
    announce("Your edits of last time are here. Undo, or Reset, brings back the print.");
  }
  offerOlderEdits();
}

function offerOlderEdits() {
  for (const [key, one] of olderEdits()) {
    const there = Object.entries(one.fields).filter(([n, v]) => !fields.has(n) || read(fields.get(n)) !== v);
    const drop = () => storage((store) => store.removeItem(key));
    if (!there.length) {
      drop(); // all of it came into this print
      continue;
    }
    const both = there.filter(([n]) => fields.has(n) && printed.get(n) !== (one.printed || {})[n]).map(([n]) => label(fields.get(n)));
    ask("Edits of an older print", "This browser holds " + there.length + " edits of " + (facts.character || "this sheet") + " from before it was printed anew."
      + (both.length ? " The new print changed these, too: " + both.slice(0, 8).join(", ") + (both.length > 8 ? " …" : "") + "." : ""), [
      ["Later", () => {}],
      ["Discard them", drop],
      ["Bring them over", () => { reportUnplaced(apply(Object.fromEntries(there))); keep(); drop(); }],
    ]);
    return; // one question at a time
  }
}
