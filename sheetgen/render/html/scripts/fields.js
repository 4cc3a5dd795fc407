/* What stands on the sheet, by name: fields that are typed in, marks that only show. All of
   these files are one function's body, put together by live_page.py in its order. */
const told = JSON.parse(document.getElementById("sheet").textContent);
const root = document.documentElement;
const main = document.querySelector("main");
const fields = new Map(); // name -> input or textarea
const marks = new Map(); // name -> element whose text or shape varies
const printed = new Map(); // name -> what the tool printed
const groups = new Map(); // stem of boxes in a row -> its boxes, the first first
const run = told.live ? sheetgenLive(PROGRAM, told.live) : null;
const outputs = new Set(run ? run.outputs : []);
let rest = {}; // values of a file that have no place here: kept, and saved again

const isBox = (el) => el.type === "checkbox";
const read = (el) => (isBox(el) ? el.checked : el.value);
const typed = (name) => fields.has(name) && !outputs.has(name);
const label = (el) => el.getAttribute("aria-label") || el.name;

/** A name's row and number: boxes `STEM.3`, and of tracks `STEM.box.3`. */
function place(name) {
  const found = /^(.+?)(\.box)?\.(\d+)$/.exec(name);
  return found && { stem: found[1] + (found[2] || ""), track: Boolean(found[2]), number: +found[3] };
}

function put(name, value) {
  const el = fields.get(name);
  if (isBox(el)) {
    el.checked = value;
  } else if (el.value !== value) {
    el.value = value;
    fit(el);
  }
}

/** A text as long as its line can hold is set smaller, as in print, down to what can be read. */
function fit(el) {
  const role = /(?:^|\s)r-(\S+)/.exec(el.className);
  const least = (role && told.least[role[1]]) || 100;
  const size = (percent) => { resize(el, percent < 100 ? "z-" + percent : ""); };
  const tight = () => (el.tagName === "TEXTAREA"
    ? el.scrollHeight > el.clientHeight + 2
    : el.scrollWidth > el.clientWidth + 1);
  if (el.classList.contains("tall")) {
    return;
  }
  let percent = 100;
  size(percent);
  while (tight() && percent > least) {
    percent = Math.max(least, percent - 4);
    size(percent);
  }
  el.classList.toggle("x-long", tight());
}

function resize(el, size) {
  el.className = (el.className.replace(/\s*\bz-\d+/g, "") + " " + size).trim();
}

/** On a phone lines have other lengths than on paper: set anew there, and back for print. */
function fitAll(printing) {
  for (const el of fields.values()) {
    if (!isBox(el) && printing && el.value === el.defaultValue) {
      resize(el, el.dataset.size);
    } else if (!isBox(el)) {
      fit(el);
    }
  }
}
const narrow = window.matchMedia("(max-width: 800px)");

function findPlaces() {
  for (const el of main.querySelectorAll("input[name], textarea[name]")) {
    const at = isBox(el) && place(el.name);
    el.autocomplete = "off"; // a browser that fills in again what stood there would hide a new print
    el[isBox(el) ? "checked" : "value"] = isBox(el) ? el.defaultChecked : el.defaultValue;
    fields.set(el.name, el);
    printed.set(el.name, told.printed[el.name] || (isBox(el) ? false : "")); // a browser may have saved other defaults
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

/** What the engine asks for. */
function get(name) {
  const el = fields.get(name);
  return el ? (isBox(el) ? (el.checked ? "On" : "Off") : el.value) : "";
}

/** Elements with plain text only: no value ever becomes markup. */
function made(tag, facts, ...inside) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(facts || {})) {
    if (key === "on") {
      el.addEventListener("click", value);
    } else if (value !== false && value !== undefined) {
      el.setAttribute(key, value === true ? "" : value);
    }
  }
  el.append(...inside.filter((part) => part || part === 0).map((part) => part.nodeType ? part : String(part)));
  return el;
}
