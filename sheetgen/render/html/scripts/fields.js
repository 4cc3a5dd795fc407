/* The places of the sheet by name: fields that are typed in, and marks, which only show values.
   live_page.py joins these files in its order; they are the body of one function. */
const facts = JSON.parse(document.getElementById("sheet").textContent);
const root = document.documentElement;
const main = document.querySelector("main");
const fields = new Map(); // name -> input or textarea
const marks = new Map(); // name -> element whose text or shape varies
const printed = new Map(); // name -> what the tool printed
const groups = new Map(); // stem of boxes in a row -> its boxes, the first first
const run = facts.live ? sheetgenLive(PROGRAM, facts.live) : null;
const outputs = new Set(run ? run.outputs : []);
const open = new Set(); // computed cells of rows whose item the rules do not know: they are typed in
const openTexts = new Map(Object.entries(savedFields()).filter(([name]) => outputs.has(name))); // what was typed in them
let unplaced = {}; // values of a file that have no field here; they are saved again

const isBox = (el) => el.type === "checkbox";
const read = (el) => (isBox(el) ? el.checked : el.value);
const isTyped = (name) => fields.has(name) && (!outputs.has(name) || open.has(name));
const label = (el) => el.getAttribute("aria-label") || el.name;

/** Return the fields of the file that this page was saved as; none for a page as printed. */
function savedFields() {
  const block = document.getElementById("saved");
  return block ? JSON.parse(block.textContent).fields : {};
}

/** Return the row and the number of a box: `STEM.3`, or `STEM.box.3` in a track. */
function place(name) {
  const found = /^(.+?)(\.box)?\.(\d+)$/.exec(name);
  return found && { stem: found[1] + (found[2] || ""), track: Boolean(found[2]), number: +found[3] };
}

function put(name, value) {
  const el = fields.get(name);
  if (isBox(el)) {
    el.checked = value;
  } else if (el.value !== value) {
    el.value = value === printed.get(name) ? value : ofOneLine(el, value);
    fit([el]);
  }
}

/** Return a text as its field holds it: text areas of one line hold no line break. */
function ofOneLine(el, text) {
  return el.tagName === "TEXTAREA" && !el.classList.contains("tall") ? text.replace(/\s*[\r\n]+\s*/g, " ") : text;
}

/** Return whether a text is longer than its line, or taller than its box. */
function isTight(el) {
  return el.scrollWidth > el.clientWidth + 1 || (el.tagName === "TEXTAREA" && el.scrollHeight > el.clientHeight + 2);
}

/** Set texts smaller until they fit their lines, as in print, but not smaller than is readable;
    of long figures all digits show. */
function fit(els) {
  const lines = els.filter((el) => !el.classList.contains("tall"));
  const least = (el) => (/^\D?[\d.,]{5,}$/.test(el.value) ? 50 : facts.least[(/(?:^|\s)r-(\S+)/.exec(el.className) || [])[1]] || 100);
  lines.forEach((el) => resize(el, ""));
  let tight = lines.filter(isTight); // read together: a browser lays the page out once a size
  for (let percent = 96; tight.some((el) => least(el) < percent + 4); percent -= 4) {
    tight.forEach((el) => resize(el, least(el) < 100 ? "z-" + Math.max(least(el), percent) : ""));
    tight = tight.filter(isTight);
  }
  lines.forEach((el) => el.classList.toggle("x-long", tight.includes(el)));
  if (!CSS.supports("field-sizing", "content")) {
    els.filter((el) => el.matches(".grows, .tall")).forEach(growTo);
  }
}

/** Make a text area as tall as its text where the style sheet cannot. */
function growTo(el) {
  el.style.height = "";
  if (narrow.matches && el.scrollHeight > el.clientHeight) {
    el.style.height = el.scrollHeight + "px";
  }
}

function resize(el, size) {
  el.className = (el.className.replace(/\s*\bz-\d+/g, "") + " " + size).trim();
}

/** Fit all texts again: on a phone, lines have other lengths than on paper. */
function fitAll(printing) {
  const all = [...fields.values()].filter((el) => !isBox(el));
  const own = all.filter((el) => printing && el.value === el.defaultValue);
  own.forEach((el) => resize(el, el.dataset.size));
  fit(all.filter((el) => !own.includes(el)));
}
const narrow = window.matchMedia("screen and (max-width: 1060px)"); // not paper, which is narrow, too

function findPlaces() {
  for (const el of main.querySelectorAll("input[name], textarea[name]")) {
    const at = isBox(el) && place(el.name);
    el.autocomplete = "off"; // else a browser may restore values of an older print
    el[isBox(el) ? "checked" : "value"] = isBox(el) ? el.defaultChecked : el.defaultValue;
    fields.set(el.name, el);
    printed.set(el.name, facts.printed[el.name] || (isBox(el) ? false : "")); // a page saved by a browser may have other defaults
    if (at) {
      const boxes = groups.get(at.stem) || [];
      boxes[at.number - 1] = el;
      groups.set(at.stem, boxes);
    } else if (!isBox(el)) {
      el.dataset.size = (/\bz-\d+/.exec(el.className) || [""])[0];
      el.spellcheck = el.classList.contains("tall");
    }
  }
  for (const el of main.querySelectorAll("[data-name]")) {
    marks.set(el.dataset.name, el.firstElementChild || el);
  }
}

/** Return a field's text for the engine. */
function textOf(name) {
  const el = fields.get(name);
  return el ? (isBox(el) ? (el.checked ? "On" : "Off") : el.value) : "";
}

/** Return a new element. Its content is plain text or elements, so no value becomes markup. */
function element(tag, attributes, ...inside) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "on") {
      el.addEventListener("click", value);
    } else if (value !== false && value !== undefined) {
      el.setAttribute(key, value === true ? "" : value);
    }
  }
  el.append(...inside.filter((part) => part || part === 0).map((part) => part.nodeType ? part : String(part)));
  return el;
}
