/* Updates totals, limits and findings after every change. */
let out = null;
let oldFindings = []; // findings at the time of printing that the engine does not compute
let broken = "";
let onRoll = () => {}; // set by odds.js if there are dice

function calculate(ask, held, touched) {
  try {
    return run(ask, held, touched);
  } catch (error) {
    broken = String((error && error.message) || error);
    return null;
  }
}

/** Show what has changed, and return the fields that follow others: name -> before and after.

    `quiet`: without highlighting it, as on opening. `touched`: the one track or field that changed;
    null for several, which then agree with each other. */
function refresh(quiet, touched) {
  const followed = new Map();
  if (run) {
    broken = "";
    out = calculate(textOf, touched === null || !out ? undefined : out.held, touched) || out;
    for (const [name, value] of Object.entries((out && out.sync) || {})) {
      if (fields.has(name) && read(fields.get(name)) !== value) {
        followed.set(name, [read(fields.get(name)), value]);
        put(name, value);
      }
    }
    out = (followed.size && calculate(textOf, out.held)) || out;
  }
  if (out) {
    showCells();
    showValues(quiet);
    showPrinted();
    showBoxes();
    showStates();
    showRolls();
    for (const [name, el] of fields) {
      const wrong = out.bad.includes(name);
      if (wrong || el.hasAttribute("aria-invalid")) {
        el.setAttribute("aria-invalid", wrong);
      }
    }
  }
  showBar();
  showFindings();
  return followed;
}

/** Let the player fill in the figures of an item that the rules do not know. */
function showCells() {
  for (const name of outputs) {
    const el = fields.get(name);
    if (!el || !(name in out.values) === open.has(name)) {
      if (open.has(name)) {
        openTexts.set(name, el.value);
      }
    } else if (open.delete(name)) {
      el.readOnly = true;
    } else {
      open.add(name);
      el.readOnly = false;
      put(name, openTexts.get(name) || "");
    }
  }
}

/** Mark what depends on a change and does not follow it: values that stay as printed. */
let kept = new Map(); // name -> the label of what was changed, if it is a finding; null for empty rows
let before = null; // what the page computes as printed: ledgers list what was bought until then
function showPrinted() {
  const now = new Map();
  const differs = (name) => fields.has(name) && !open.has(name) && read(fields.get(name)) !== printed.get(name);
  for (const [what, from, stays] of run.fixed) {
    if (from.some(differs)) {
      const listed = what || (run.named[from[0]] || []).some((name) => !open.has(name)); // else the player fills in the rest of the row
      stays.filter((name) => open.has(name) ? what && !read(fields.get(name)) : outputs.has(name) || (!differs(name) && (listed || printed.get(name)))).forEach((name) => now.set(name, what));
    }
  }
  before = before || calculate((name) => (printed.get(name) === true ? "On" : printed.get(name) || ""));
  const pools = [...now.keys()].filter((name) => name.endsWith(".ledger")).map((name) => name.slice(0, -7));
  for (const pool of new Set([...pools, ...Object.keys(out.bought)])) { // which rows a new print adds, and where, is not known here
    const what = now.get(pool + ".ledger"); // what was bought on the page is no finding
    if (now.delete(pool + ".ledger") || (before && out.bought[pool] !== before.bought[pool])) {
      const rows = [...fields.keys()].filter((name) => name.startsWith(pool + ".ledger.") && !differs(name));
      const free = rows.find((name) => /\.what$/.test(name) && !rows.some((other) => other.startsWith(name.slice(0, -4)) && printed.get(other)));
      rows.forEach((name) => now.set(name, name === free || printed.get(name) ? what : null));
    }
  }
  for (const name of new Set([...kept.keys(), ...now.keys()])) {
    const el = fields.get(name) || marks.get(name);
    if (el && kept.has(name) !== now.has(name)) {
      el.closest(".place").classList.toggle("x-printed", now.has(name));
      el.closest(".place").classList.toggle("x-blank", now.get(name) === null);
      if (now.has(name)) {
        el.setAttribute("aria-description", AS_PRINTED);
        el.title = AS_PRINTED;
      } else {
        el.removeAttribute("aria-description");
        el.removeAttribute("title");
      }
    }
  }
  kept = now;
}
const AS_PRINTED = "As printed: does not follow the change";

function showValues(quiet) {
  for (const [name, text] of Object.entries(out.values)) {
    const el = fields.get(name) || marks.get(name);
    const field = fields.has(name);
    const now = text === null || text === undefined ? "" : String(text);
    if (!el || open.has(name) || (field ? el.value : el.textContent) === now) {
      continue;
    }
    if (field) {
      el.value = now;
    } else {
      el.textContent = now;
    }
    fit([el]);
    if (!quiet) {
      el.classList.remove("x-fresh");
      void el.offsetWidth; // restarts the animation
      el.classList.add("x-fresh");
    }
  }
}

/** Disable the boxes beyond a limit or beyond the end of a track; they can only be cleared. */
function showBoxes() {
  for (const [stem, boxes] of groups) {
    const track = out.tracks[stem.replace(/\.box$/, "")];
    const most = stem.endsWith(".box") ? track && track[0] : out.limits[stem];
    if (most === undefined && !boxes.limited) {
      continue;
    }
    boxes.limited = true;
    boxes.forEach((box, at) => {
      const beyond = most !== undefined && at >= most;
      box.classList.toggle(track ? "f-dot" : "f-closed", beyond);
      if (track) {
        box.classList.toggle("f-step", !beyond && out.steps[stem.replace(/\.box$/, "")].includes(at + 1));
      }
      box.setAttribute("aria-disabled", beyond && !box.checked);
    });
  }
}

/** Set the names of traits that a character has in bold, and of closed ones in grey. */
function showStates() {
  for (const [stem, own] of Object.entries(out.own)) {
    const boxes = groups.has(stem);
    for (const el of [marks.get(stem + ".name"), fields.get(stem + ".total")]) {
      const kinds = el && facts.states[el.dataset.role];
      if (!kinds) {
        continue;
      }
      const wanted = boxes
        ? (own ? "bought" : out.limits[stem] === 0 ? "closed" : "")
        : (own && fields.has(stem + ".own") ? "trained" : "");
      const state = kinds.includes(wanted) ? "-" + wanted : "";
      el.className = el.className.replace(/(^|\s)r-\S+/, "$1r-" + el.dataset.role + state);
    }
  }
}

function showRolls() {
  for (const [stem, dice] of Object.entries(out.rolls)) {
    const every = dice.flatMap(([die, count]) => Array(Math.max(0, count)).fill(die));
    for (let at = 1; marks.has(stem + ".roll." + at); at++) {
      const el = marks.get(stem + ".roll." + at);
      const shape = every[at - 1] ? "s-" + every[at - 1] : "";
      el.className = (el.className.replace(/\s*(?<=^|\s)s-\S+/g, "") + " " + shape).trim();
    }
    onRoll(stem);
  }
}

/** Return why a box cannot be ticked: the message of the finding that this would cause. */
function refusal(box) {
  const at = place(box.name);
  const wanted = groups.get(at.stem).slice(0, at.number).map((one) => one.name);
  const would = calculate((name) => (wanted.includes(name) ? "On" : textOf(name)));
  const known = out.says.map((one) => one.message);
  const findings = would ? would.says.filter((one) => !known.includes(one.message)) : [];
  const here = findings.find((one) => one.at && at.stem.startsWith(one.at)) || findings[0];
  if (here) {
    return here.message + (here.hint ? ": " + here.hint : "");
  }
  const count = at.track ? out.tracks[at.stem.replace(/\.box$/, "")][0] : out.limits[at.stem];
  return label(box).replace(/,? \S* ?\d+$/, "") + " ends at " + count;
}
