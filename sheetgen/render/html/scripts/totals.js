/* Updates totals, limits and findings after every change. */
let out = null;
let oldFindings = []; // findings at the time of printing that the engine does not compute
let broken = "";
let onRoll = () => {}; // set by odds.js if there are dice

function calculate(ask) {
  try {
    return run(ask);
  } catch (error) {
    broken = String((error && error.message) || error);
    return null;
  }
}

/** Show what has changed; `quiet`: without highlighting it, as on opening. */
function refresh(quiet) {
  if (run) {
    broken = "";
    out = calculate(textOf) || out;
  }
  if (out) {
    showValues(quiet);
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
}

function showValues(quiet) {
  for (const [name, text] of Object.entries(out.values)) {
    const el = fields.get(name) || marks.get(name);
    const field = fields.has(name);
    const now = text === null || text === undefined ? "" : String(text);
    if (!el || (field ? el.value : el.textContent) === now) {
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
