/* Undo and redo. All that is typed in a field between focus and blur is one step; while the
   field has focus, the browser's own undo works in it. */
const past = [];
const ahead = [];
const MOST_STEPS = 1000;
let typing = null; // the field that is being typed in, and its value before
let undone = 0; // how many times the browser's own undo was used in it

function addStep(step) {
  past.push(step);
  ahead.length = 0;
  if (past.length > MOST_STEPS) {
    past.shift();
  }
}

function finishTyping() {
  if (typing && read(typing.el) !== typing.before) {
    addStep(new Map([[typing.el.name, [typing.before, read(typing.el)]]]));
  }
  typing = typing && { el: typing.el, before: read(typing.el) };
  undone = 0;
}

/** Set many fields as one step; return how many were changed. */
function change(values) {
  finishTyping();
  const step = new Map();
  for (const [name, value] of values) {
    const was = read(fields.get(name));
    if (was !== value) {
      step.set(name, [was, value]);
      put(name, value);
    }
  }
  const size = step.size;
  const tracks = new Set([...step.keys()].map((name) => (place(name) || {}).track && place(name).stem.replace(/\.box$/, "")));
  if (size) {
    addStep(step);
  }
  for (const [name, pair] of changed(tracks.size === 1 && [...tracks][0] || (size === 1 ? [...step.keys()][0] : null))) {
    step.set(name, [(step.get(name) || pair)[0], pair[1]]);
  }
  return size;
}

function moveStep(from, to, side) {
  finishTyping();
  const step = from.pop();
  if (!step) {
    return;
  }
  to.push(step);
  for (const [name, pair] of step) {
    put(name, pair[side]);
  }
  if (typing) {
    typing.before = read(typing.el);
  }
  changed([...step.keys()].some((name) => place(name)) ? null : step.keys().next().value);
  const names = [...step.keys()];
  const first = fields.get(names[side ? names.length - 1 : 0]);
  first.scrollIntoView({ block: "nearest" });
  announce((side ? "Again: " : "Undone: ") + label(first) + (names.length > 1 ? " and " + (names.length - 1) + " more" : ""));
}
const undo = () => moveStep(past, ahead, 0);
const redo = () => moveStep(ahead, past, 1);

/** Return whether the browser's own undo or redo has something to do in this field. */
function hasOwnUndo(event, again) {
  return typing && event.target === typing.el && (again ? undone > 0 : read(typing.el) !== typing.before);
}

function onKey(event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !"zys".includes(key) || document.querySelector("dialog[open]")) {
    return;
  }
  if (key === "s") {
    event.preventDefault();
    saveFile();
    return;
  }
  const again = key === "y" || event.shiftKey;
  if (!hasOwnUndo(event, again)) {
    event.preventDefault();
    (again ? redo : undo)();
  }
}

function onFocus(event) {
  const el = event.target;
  if (fields.get(el.name) === el && !isBox(el) && !el.readOnly) {
    typing = { el, before: read(el) };
    undone = 0;
  }
}

function onInput(event) {
  const el = event.target;
  if (fields.get(el.name) !== el || isBox(el)) {
    return;
  }
  if (event.inputType === "historyUndo") {
    undone++;
  } else if (event.inputType !== "historyRedo") {
    undone = 0;
  }
  if (!typing || typing.el !== el) {
    typing = { el, before: printed.get(el.name) }; // filled without focus
  }
  fit([el]);
  changed(el.name);
}

/* A box also ticks all boxes before it and clears all behind it, so that a rating has no gaps.
   With Shift, a box of a track changes alone. */
let alone = false;

function onBoxClick(event) {
  const box = event.target;
  if (fields.get(box.name) !== box || !isBox(box)) {
    return;
  }
  if (box.checked && box.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    announce(refusal(box), box);
  }
  alone = event.shiftKey;
}

function onBoxChange(event) {
  const box = event.target;
  if (fields.get(box.name) !== box || !isBox(box)) {
    return;
  }
  const on = box.checked;
  const at = place(box.name);
  box.checked = !on; // so that the step records the old state
  const row = at ? groups.get(at.stem) : [box];
  const single = !at || row.length === 1 || (at.track && alone);
  const part = single ? [box] : on ? row.slice(0, at.number) : row.slice(at.number - 1);
  change([...part.filter(Boolean).map((one) => [one.name, on]), ...(on ? rivals(box.name).map((name) => [name, false]) : [])]);
}

/** Return the other boxes of a state, of which only one holds: `KEY.ENTRY`. */
function rivals(name) {
  const key = name.split(".")[0];
  const states = (run && run.states[key]) || {};
  return Object.keys(states).map((entry) => key + "." + entry).filter((other) => other !== name && fields.has(other));
}
