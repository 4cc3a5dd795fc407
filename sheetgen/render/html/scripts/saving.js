/* Where what was typed is kept: in this browser while it goes on, in a file for good. A sheet
   printed anew never shows edits of an older print by itself; it offers them. */
const KEY = ["sheetgen:1", told.ruleset, told.character].map(encodeURIComponent).join(":") + ":";
let kept = null; // whether this browser keeps the edits; null: there are none
let filed = ""; // the edits as they were last put into a file

function edits() {
  const fieldsNow = {};
  const printedThen = {};
  for (const [name, value] of printed) {
    if (typed(name) && read(fields.get(name)) !== value) {
      fieldsNow[name] = read(fields.get(name));
      printedThen[name] = value;
    }
  }
  return { fields: fieldsNow, printed: printedThen };
}

/** The saved file: every field, and what was printed where another value stands now. */
function saved() {
  const all = {};
  for (const [name, el] of fields) {
    if (typed(name)) {
      all[name] = read(el);
    }
  }
  return {
    sheetgen: "filled sheet", format: 1, ruleset: told.ruleset, version: told.version,
    character: told.character, digest: told.digest, sheet: told.sheet,
    fields: Object.assign({}, rest, all), printed: edits().printed,
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
  const some = Object.keys(now.fields).length + Object.keys(rest).length > 0;
  const text = JSON.stringify(Object.assign(now, { rest }));
  const done = storage((store) => {
    if (some) {
      store.setItem(KEY + told.digest, text);
    } else {
      store.removeItem(KEY + told.digest);
    }
    return true;
  });
  kept = some ? Boolean(done) : null;
  showBar();
}

const inFile = () => filed === JSON.stringify(edits().fields);

/** Edits that other prints of this character left in this browser, the digest first. */
function older() {
  return storage((store) => Object.keys(store)
    .filter((key) => key.startsWith(KEY) && key !== KEY + told.digest)
    .map((key) => [key, JSON.parse(store.getItem(key))])
    .filter(([, one]) => one && one.fields)) || [];
}

/** Take values that fit; returns what does not, as lines to show. Nothing of it is lost. */
function take(values) {
  const good = [];
  const lost = [];
  for (const [name, value] of Object.entries(values)) {
    const el = fields.get(name);
    if (el && typed(name) && typeof value === (isBox(el) ? "boolean" : "string")) {
      good.push([name, value]);
    } else if (!outputs.has(name) && value !== "" && value !== false) {
      rest[name] = value;
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
        rest[name] = value;
      }
    }
    filed = JSON.stringify(edits().fields);
  }
  const mine = storage((store) => JSON.parse(store.getItem(KEY + told.digest)));
  const differs = mine && JSON.stringify(mine.fields) !== JSON.stringify(edits().fields);
  if (differs && own) {
    ask("Other edits in this browser", "This file holds one state of the sheet, and this browser another, of a later or an earlier day.", [
      ["Show this file’s", () => {}], ["Show the browser’s", () => change([...printed].filter(([n]) => typed(n)).map(([n, v]) => [n, n in mine.fields ? mine.fields[n] : v]))],
    ]);
  } else if (differs) {
    rest = mine.rest || {};
    take(mine.fields);
    announce("Your edits of last time are here. Undo, or Reset, brings back the print.");
  }
  offerOlder();
}

function offerOlder() {
  for (const [key, one] of older()) {
    const there = Object.entries(one.fields).filter(([n, v]) => !fields.has(n) || read(fields.get(n)) !== v);
    const drop = () => storage((store) => store.removeItem(key));
    if (!there.length) {
      drop(); // all of it came into this print
      continue;
    }
    const both = there.filter(([n]) => fields.has(n) && printed.get(n) !== (one.printed || {})[n]).map(([n]) => label(fields.get(n)));
    ask("Edits of an older print", "This browser holds " + there.length + " edits of " + (told.character || "this sheet") + " from before it was printed anew."
      + (both.length ? " The new print changed these, too: " + both.slice(0, 8).join(", ") + (both.length > 8 ? " …" : "") + "." : ""), [
      ["Later", () => {}],
      ["Discard them", drop],
      ["Bring them over", () => { tell(take(Object.fromEntries(there))); keep(); drop(); }],
    ]);
    return; // one question at a time
  }
}
