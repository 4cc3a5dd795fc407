// The builder's page: it shows the form that the session describes, and sends each change to it.
// It knows no game and no rule; `answer` is where they are (session.py, in a worker or a server).
import { connect, local } from "./engine.js";

const engine = connect(progress);
const $ = (id) => document.getElementById(id);
const KEPT = "sheetgen-characters";
const PICTURE = "sheetgen-picture-"; // and the name of the file
const LAST = "sheetgen-last"; // what was shown last, for the time until Python is ready

// Several characters are open; each has its text and the texts to undo and redo.
let people = [];
let at = 0;
let state = null; // the answer to `open` of the character that is shown
let shown = "html"; // what the side shows: html, yaml or party
let look = { paper: "a4" };
let busy = Promise.resolve();

// Build an element: h("p", { class: "help" }, "text", child). Texts are never markup.
function h(name, props = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true && !key.startsWith("aria-")) made.setAttribute(key, "");
    else if (value != null && (value !== false || key.startsWith("aria-"))) made.setAttribute(key, value);
  }
  made.append(...children.flat(9).filter((one) => one !== "" && one != null && one !== false));
  return made;
}

const button = (text, act, props = {}) => h("button", { type: "button", onclick: act, ...props }, text);

function tell(text) {
  $("told").textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => ($("told").textContent = ""), 6000);
}

function progress(text) {
  tell(text);
  const wait = document.querySelector(".wait");
  if (wait) wait.textContent = text;
}

// In a preview, requests are about a file: `was` is what the page knows of it, and has the answer written.
const ask = (request, one = people[at]) => engine(local ? { entry: one?.file, ...request } : request);

// Ask the session in order: each change needs the text that the one before it made.
function then(act) {
  busy = busy.then(act).catch((error) => tell(String(error.message || error)));
  return busy;
}

const text = () => people[at]?.text ?? "";

// A change belongs to the character that is shown when it is made, whoever is shown when it comes back.
function change(request) {
  const one = people[at];
  return then(async () => take(await ask({ ...request, text: one.text, was: one.was }, one), one));
}

const load = (one) => ask(local ? { do: "load" } : { do: "open", text: one.text }, one);

// Show an answer with a new text; the old one can be brought back.
function take(answer, one, { fresh = false } = {}) {
  if (answer.refused) {
    drawn.clear(); // boxes and lists show again what is so
    if (one === people[at]) show();
    return tell(answer.refused);
  }
  if (answer.told) {
    tell(answer.told);
    one.undo = []; // steps from before would take out what the other program wrote
    one.redo = [];
  }
  one.was = answer.digest;
  if (!fresh && !answer.told && answer.text !== one.text) {
    one.undo.push(one.text);
    one.redo = [];
  }
  one.text = answer.text;
  one.name = answer.name || answer.title || "New character";
  if (one === people[at]) state = answer;
  keep();
  if (one === people[at]) show();
}

function step(from, to) {
  const one = people[at];
  return then(async () => {
    if (!one[from].length) return;
    const answer = await ask({ do: "open", text: one[from].at(-1), was: one.was }, one);
    if (!answer.refused && !answer.told) {
      one[from].pop();
      one[to].push(one.text);
    }
    take(answer, one, { fresh: true });
  });
}

function keep() {
  if (local) return;
  const put = (name, data) => { try { localStorage.setItem(name, JSON.stringify(data)); return true; } catch { return false; } };
  const texts = people.map(({ text, name }) => ({ text, name }));
  const done = put(KEPT, texts) || (forget(LAST), put(KEPT, texts)); // what was shown last can be made anew
  if (!done && !full) tell("This browser has no room to keep this: save your characters as files");
  full = !done;
  if (done) put(LAST, { of: $("games").textContent, at, state }) || forget(LAST);
}

// Whether the browser keeps less than the page holds: then it asks before it is left.
let full = false;
const forget = (name) => { try { localStorage.removeItem(name); } catch { /* private windows keep nothing */ } };
addEventListener("beforeunload", (event) => { if (full && people.length) event.preventDefault(); });

function add(content, file = "") {
  people.push({ text: content, name: "", file, undo: [], redo: [] });
  return go(people.length - 1);
}

// What is clicked belongs to the form that is seen: `at` changes when the next one is there.
function go(number) {
  return then(async () => {
    const one = people[number];
    const answer = await load(one);
    at = number;
    if (local) history.replaceState(null, "", `#${new URLSearchParams({ entry: one.file })}`);
    if (!answer.refused) return take(answer, one, { fresh: true });
    state = { text: one.text, fields: [], pools: [], values: [], findings: [{ severity: "error", message: answer.refused, hint: "", key: "" }] };
    one.name ||= one.file;
    show();
  });
}

// Another program may change the file, too.
let following = false;

async function follow() {
  const one = people[at];
  following = false;
  if (document.hidden || !one) return;
  const answer = await ask({ do: "load", was: one.was }, one);
  if (answer.same) return;
  if (answer.refused) return tell(answer.refused);
  take(one.was === undefined ? answer : { ...answer, told: "Another program changed the file" }, one, { fresh: true });
}

// The page: each part is made anew where its data changed, so that what has the focus keeps it.
const drawn = new Map();

const CONTROLS = "button,input:not([hidden]),select,textarea";
const named = (one) => one.dataset.id ?? one.getAttribute("aria-label") ?? one.textContent;

// Make a part of the page anew: what had the focus there has it again, or what `other` returns.
function refocus(there, renew, made = there, other = () => $("form").querySelector(CONTROLS)) {
  const held = there.contains(document.activeElement) ? named(document.activeElement) : null;
  renew();
  if (held === null) return null;
  const again = [...made.querySelectorAll(`${CONTROLS},a,[tabindex]`)].find((one) => named(one) === held) ?? other();
  again?.focus({ preventScroll: true });
  return again;
}

function part(place, key, data, make) {
  const id = `part-${key}`;
  const now = JSON.stringify(data);
  let there = document.getElementById(id);
  if (there && drawn.get(id) === now) return there;
  const made = make();
  made.id = id;
  drawn.set(id, now);
  if (!there) return place.append(made), made;
  const active = document.activeElement;
  const typed = there.contains(active) && active.matches("input[type=text],input[type=search],textarea") ? active : null;
  const nth = [...there.querySelectorAll(".field")].indexOf(active.closest(".field"));
  const again = refocus(there, () => there.replaceWith(made), made, () => {
    const field = made.querySelectorAll(".field")[nth] ?? made;
    return field.querySelector("[data-id$=-open]") ?? field.querySelector(CONTROLS);
  });
  if (again && typed && named(again) === named(typed)) {
    if (typed.dataset.sent !== typed.value) again.value = typed.value;
    if (again.setSelectionRange) try { again.setSelectionRange(typed.selectionStart, typed.selectionEnd); } catch { /* numbers have none */ }
  }
  return made;
}

function show() {
  document.documentElement.lang = state.lang || "en";
  $("title").textContent = state.title || "Character builder";
  document.title = [people[at].name, state.title].filter(Boolean).join(" · ");
  tools();
  const left = state.pools.map((pool) => h("span", { class: pool.left < 0 ? "below" : "" }, `${pool.label} `, h("b", {}, leftOf(pool)), " left"));
  $("pools").replaceChildren(...left);
  const steps = sections();
  const where = (sort) => steps.flatMap((one) => [...one.fields.filter((each) => has(sort, each.findings)).map((each) => each.field), ...(has(sort, one.findings) ? [{ key: one.id, label: one.title }] : [])]);
  due = where("error");
  doubts = due.length ? [] : [...where("warning").filter((one) => !passed.has(doubt(one))), ...untouched()];
  const ahead = [...due, ...doubts];
  $("next").hidden = !state.fields.length;
  $("next").textContent = ahead.length ? `Next: ${ahead[0].label}` : "Next: print";
  $("next").title = ahead.length > 1 ? `${ahead.length} things to ${due.length ? "do" : "look at"} (Ctrl+Enter)` : "Ctrl+Enter";
  const held = $("form").contains(document.activeElement);
  $("form").querySelectorAll(":scope > :not(fieldset)").forEach((one) => one.remove());
  const ids = new Set(steps.map((one) => `part-${one.id}`));
  for (const old of [...$("form").children]) if (!ids.has(old.id)) old.remove();
  for (const one of steps) part($("form"), one.id, one, () => section(one));
  if (held && document.activeElement === document.body) $("form").querySelector(CONTROLS)?.focus();
  refocus($("steps"), () => $("steps").replaceChildren(h("ol", {}, steps.map((one) => h("li", { class: one.state }, h("a", { href: `#part-${one.id}`, "data-id": `s-${one.id}` }, h("span", { class: "mark", "aria-hidden": "true" }, { done: "✓", open: "!", todo: "·" }[one.state]), one.title, h("span", { hidden: true }, one.state === "open" ? ", something to do" : "")))))));
  side();
}

// The fields where something is missing or wrong; the way to the first is one key from everywhere.
let due = [];
let doubts = []; // fields with warnings, and untouched ones, once nothing is wrong: each is shown once, then it is the print's turn
const passed = new Set();
const doubt = ({ key }) => `${at} ${key} ${state.findings.filter((one) => one.severity === "warning").map((one) => one.message)}`;
function untouched() { // after the last step of building that has something in it
  const built = state.fields.filter((one) => (one.rows?.length || (one.control === "choose" && one.most !== 0)) && !one.section);
  return built.slice(built.findLastIndex((one) => one.here) + 1).filter((one) => !passed.has(`${at} ${one.key}`));
}

const has = (sort, findings) => (findings ?? []).some((one) => one.severity === sort);
const isWrong = (findings) => has("error", findings);

function next() {
  document.activeElement.blur(); // what is typed there is sent, and may be what was missing
  return then(() => {
    const [to] = [...due, ...doubts];
    const there = to ? $(`at-${to.key}`) ?? $(`part-${to.key}`) : $("tools");
    if (!due.length && to) passed.add(doubt(to)).add(`${at} ${to.key}`);
    there.closest("details")?.setAttribute("open", "");
    const stop = there.querySelector("[data-id$=-open],[data-id$=-typed],.main") ?? there.querySelector(CONTROLS) ?? there;
    if (stop === there) there.tabIndex = -1; // findings of no field have no control
    stop.focus();
    if (there !== $("tools")) there.scrollIntoView({ block: "nearest" });
    if (!due.length && to) show(); // names what is next now
  });
}

// Fields in the ruleset's order: one that builds the character is a step, others share one.
function sections() {
  const of = (key) => state.findings.filter((one) => one.key === key);
  const made = [];
  const sorts = { text: "Who", list: "Notes", picture: "Who", number: "In play", flag: "In play", sessions: "In play", advances: "Advances", pairs: "More" };
  for (const field of state.fields) {
    const one = { field, findings: of(field.key) };
    const title = field.section ?? (field.lines ? "Notes" : sorts[field.control] || field.label);
    const last = made.find((section) => section.title === title);
    if (last) last.fields.push(one);
    else made.push({ id: field.key, title, fields: [one] });
  }
  const rest = state.findings.filter((one) => !state.fields.some((field) => field.key === one.key));
  if (rest.length) made.push({ id: "findings", title: "To look at", fields: [], findings: rest });
  if (!state.fields.length) return made;
  for (const one of made) {
    const found = [...(one.findings || []), ...one.fields.flatMap((each) => each.findings)];
    const here = one.fields.some((each) => each.field.here);
    one.state = isWrong(found) ? "open" : here ? "done" : "todo";
  }
  const late = ["Notes", "In play", "Advances", "More", "Options"];
  return made.sort((a, b) => late.indexOf(a.title) - late.indexOf(b.title));
}

function section(one) {
  const alone = one.fields.length === 1 && one.fields[0].field.label === one.title ? needed(one.fields[0].field) : "";
  const all = one.fields.map((each) => field(each, one));
  const folded = one.title === "Options" && h("details", { open: unfolded, ontoggle: (event) => { unfolded = event.target.open; } }, h("summary", {}, "How this table plays"), all);
  return h("fieldset", {}, h("legend", {}, one.title, alone), folded || all, found(one.findings || []));
}

let unfolded = false; // whether the options are shown

const needed = (field) => field.required && !field.here && h("span", { class: "need" }, " · needed");

function field({ field, findings }, within) {
  const id = `f-${field.key}`;
  const single = ["text", "number", "flag"].includes(field.control);
  const label = [field.label, needed(field)];
  const named = within.fields.length > 1 || field.label !== within.title;
  return h("div", { class: "field", id: `at-${field.key}` },
    single ? h("label", { for: id }, label) : h("div", { class: "name", id: `${id}-name`, hidden: !named }, label),
    field.help && h("p", { class: "help", id: `${id}-help` }, field.help),
    controls[field.control](field, id), found(findings));
}

function found(findings) {
  return findings.filter((one) => !one.lacks).map((one) => h("div", { class: `found ${one.severity}` }, one.line && !one.key ? `line ${one.line}: ` : "", one.message, one.hint && h("span", { class: "hint" }, one.hint),
    one.fix && button(one.fix.label, () => change({ do: "fix", ...one.fix }))));
}

// What a person types is sent when they pause or leave the field.
function typed(element, send) {
  let timer;
  const now = () => {
    clearTimeout(timer);
    if (element.dataset.sent === element.value) return;
    element.dataset.sent = element.value;
    send(element.value);
  };
  element.dataset.sent = element.value;
  element.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(now, 500); });
  element.addEventListener("change", now);
  return element;
}

function textBox(id, value, lines, send, props = {}) {
  const made = h(lines ? "textarea" : "input", { id, "data-id": id, ...(lines ? {} : { type: "text" }), ...props });
  made.value = value;
  return typed(made, send);
}

// Below `from` there is nothing but none: a step from there leads to it, and one back to none.
function counter(label, value, to, { least = 0, most = Infinity, typed = null, from = least } = {}) {
  const set = (number) => number >= least && number <= most && to(number >= from ? number : number > value ? from : least);
  const keys = ({ key, target }) => target.value === target.dataset.sent && set(value + ({ ArrowUp: 1, ArrowDown: -1 }[key] ?? NaN));
  const shown = typed === null ? h("output", {}, String(value)) : h("input", { type: "text", role: "spinbutton", "aria-valuenow": value, "aria-valuemin": least, "aria-valuemax": most === Infinity ? null : most, "aria-valuetext": typed || "none", class: "rating", "aria-label": label, placeholder: "–", "data-id": `${label}-typed`, "data-sent": typed, onkeydown: keys, onchange: ({ target }) => to((target.dataset.sent = target.value)) });
  if (typed !== null) shown.value = typed;
  const tabindex = typed === null ? null : -1; // keys work in the field: a long table has one stop a row
  return h("span", { class: "count", role: "group", "aria-label": label },
    button("−", () => set(value - 1), { tabindex, "aria-label": `${label}: less`, "aria-disabled": value <= least, "data-id": `${label}-less` }),
    shown,
    button("+", () => set(value + 1), { tabindex, "aria-label": `${label}: more`, "aria-disabled": value >= most, "data-id": `${label}-more` }));
}

const sought = new Map(); // words in the searches of long lists of ratings

const put = (key, value) => change({ do: "put", key, value });

const controls = {
  text(field, id) {
    if (!field.words.length) return textBox(id, field.value, field.lines, (value) => put(field.key, value), { "aria-describedby": field.help && `${id}-help` });
    const made = h("select", { id, "data-id": id, onchange: (event) => put(field.key, event.target.value) }, h("option", { value: "" }, "–"), field.words.map((word) => h("option", { value: word }, word.replaceAll("_", " "))));
    made.value = field.words.find((word) => word.toLowerCase() === field.value.toLowerCase()) ?? "";
    return made;
  },
  list(field, id) {
    const lines = [...field.value, ""];
    return h("div", { role: "group", "aria-labelledby": `${id}-name` }, lines.map((line, place) => textBox(`${id}-${place}`, line, false, (value) => {
      const now = lines.map((old, nth) => (nth === place ? value : old));
      put(field.key, now.filter(Boolean));
    }, { "aria-label": `${field.label}, line ${place + 1}` })));
  },
  number(field, id) {
    const made = h("input", { id, "data-id": id, type: "number", min: field.least, max: field.most, inputmode: "numeric" });
    made.value = field.value;
    return typed(made, (value) => put(field.key, value));
  },
  flag: (field, id) => {
    const made = h("input", { id, "data-id": id, type: "checkbox", onchange: (event) => put(field.key, event.target.checked) });
    made.checked = field.value;
    return made;
  },
  pairs(field, id) {
    const row = ([name, value], place) => {
      const who = h("input", { type: "text", "aria-label": `${field.label}, name ${place + 1}`, list: field.names.length ? `${id}-names` : null, readonly: place < field.value.length, "data-id": `${id}-name-${place}` });
      who.value = name;
      const send = (value) => who.value.trim() ? change({ do: "pair", key: field.key, name: who.value.trim(), value }) : tell("Write the name first");
      const what = textBox(`${id}-${place}`, value, false, send, { "aria-label": `${name || field.label}: value` });
      return h("div", { class: "pair" }, who, what);
    };
    return [field.example && h("p", { class: "help" }, "For example ", h("code", {}, field.example.replace(/^\{|\}$/g, ""))), h("datalist", { id: `${id}-names` }, field.names.map((name) => h("option", { value: name }))),
      h("div", { role: "group", "aria-labelledby": `${id}-name` }, [...field.value, ["", ""]].map(row))];
  },
  choose(field, id) {
    const full = field.most !== null && field.value.length >= field.most && field.most !== 1;
    const count = field.most > 1 ? `${field.value.length} of ${field.most}. ` : "";
    return [h("ul", { class: "picks" }, field.value.map((pick, place) => chosen(field, pick, place))), field.most === 0 ? h("p", { class: "help" }, "Nothing to choose here yet.") : full ? h("p", { class: "help", tabindex: -1, "data-id": `${id}-open` }, count) : chooser(field, id, count)];
  },
  rate(field, id) {
    let under = null;
    const names = (row) => `${row.name} ${row.under}`.toLowerCase();
    const fits = () => made.forEach(([row, line]) => { line.hidden = !names(row).includes(sought.get(id) ?? ""); });
    const search = h("input", { type: "search", placeholder: "Search", "aria-label": `Search ${field.label}`, "data-id": `${id}-search`, oninput: (event) => { sought.set(id, event.target.value.trim().toLowerCase()); fits(); } });
    search.value = sought.get(id) ?? "";
    const made = [];
    const rows = field.rows.map((row) => {
      const head = row.under && row.under !== under ? h("tr", {}, h("th", { class: "head", colspan: 3, scope: "colgroup" }, row.under)) : "";
      under = row.under;
      const line = h("tr", {}, h("th", { scope: "row" }, row.name.split(/(?<=[/-])/).flatMap((one, nth) => (nth ? [h("wbr"), one] : one)), row.price ? h("small", {}, ` next: ${row.price}`) : ""),
        h("td", {}, counter(row.name, row.own, (to) => change({ do: "rate", key: field.key, trait: row.id, to }), { most: row.limit ?? Infinity, typed: row.shown, from: field.least }), row.stars && h("div", {}, "★ ", counter(`${row.name}: stars`, row.stars.count, (to) => change({ do: "star", key: field.key, trait: row.id, to }), { most: row.stars.most }))), h("td", { class: "total" }, row.total));
      made.push([row, line]);
      return [head, line];
    });
    fits();
    return [!rows.length && h("p", { class: "help" }, "Nothing to rate here yet."), rows.length > 15 && search, h("table", { class: "rates" }, h("tbody", {}, rows))];
  },
  sessions(field, id) {
    const inputs = [["session", "Session"], ["gained", field.gained], ["note", "Note"]].map(([key, label]) => [key, h("input", { type: key === "note" ? "text" : "number", "aria-label": label, placeholder: label, "data-id": `${id}-${key}` })]);
    inputs[0][1].value = field.value.length + 1;
    const save = () => {
      const row = Object.fromEntries(inputs.map(([key, input]) => [key, input.type === "number" && input.value ? Number(input.value) : input.value]));
      change({ do: "play", key: field.key, row });
    };
    return [h("ul", { class: "rows" }, field.value.map((row) => h("li", {}, Object.entries(row).map(([key, value]) => h("span", {}, `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`))))),
      h("div", { class: "count" }, inputs.map(([, input]) => input), button("Add", save))];
  },
  picture(field, id) {
    const files = h("input", { type: "file", accept: "image/*", hidden: true, onchange: (event) => event.target.files[0] && crop(event.target.files[0], field.alt) });
    return [field.value && h("p", { class: "help" }, field.alt || field.value), h("div", { class: "count" }, files, button(field.here ? "Another picture" : "Choose a picture", () => files.click(), { "data-id": `${id}-file` }),
      field.here && button("Remove", () => change({ do: "portray" }), { "aria-label": "Remove the portrait", class: "plain" }))];
  },
  advances: (field, id) => [h("ul", { class: "rows" }, field.value.map((row) => h("li", {}, h("span", { class: "what" }, row.what), row.session && h("small", {}, row.session)))), buyer(id)],
};

function chosen(field, pick, place) {
  const again = (more) => change({ do: "choose", key: field.key, at: place, name: pick.name, times: pick.times, detail: pick.detail || null, ...more });
  const details = [];
  if (pick.asks?.of.length) {
    const made = h("select", { "aria-label": `${pick.name}: ${pick.asks.what}`, "data-id": `d-${field.key}-${place}`, onchange: (event) => again({ detail: event.target.value }) }, h("option", { value: "" }, `${pick.asks.what} …`), pick.asks.of.map((name) => h("option", {}, name)));
    made.value = pick.asks.of.find((name) => name.toLowerCase() === String(pick.detail).toLowerCase()) ?? "";
    details.push(made);
  } else if (pick.asks) details.push(textBox(`d-${field.key}-${place}`, pick.detail, false, (detail) => again({ detail }), { "aria-label": `${pick.name}, in your words` }));
  if (pick.spread) {
    const used = Object.values(pick.detail).reduce((sum, n) => sum + n, 0);
    details.push(h("div", { class: "what" }, h("small", {}, `${used} of ${pick.spread.points} points`), pick.spread.of.map((name) => {
      const now = pick.detail[name] ?? 0;
      return h("div", {}, counter(name, now, (to) => change({ do: "spread", key: field.key, at: place, trait: name, to }), { most: Math.min(pick.spread.most ?? 99, now + pick.spread.points - used) }), ` ${name}`);
    })));
  }
  return h("li", {}, h("span", { class: "what" }, h("b", {}, pick.name), pick.text && h("small", {}, pick.text)), details,
    field.counted && counter(pick.name, pick.times, (times) => (times ? change({ do: "count", key: field.key, at: place, times }) : again({ name: "" })), { least: 0 }),
    button("Remove", () => again({ name: "" }), { "aria-label": `Remove ${pick.name}`, class: "plain", "data-id": `r-${field.key}-${place}` }));
}

// The part of a picture that is printed is drawn anew here: no data of the camera is left in it.
async function crop(file, alt = "") {
  const one = people[at];
  let picture;
  try { picture = await createImageBitmap(file); } catch { return tell(`${file.name} is no picture that this browser can show`); }
  const canvas = h("canvas", { width: 480, height: 600, tabindex: 0, role: "img", "aria-label": "What is printed: drag the picture, or move it with the arrow keys" });
  const zoom = h("input", { type: "range", min: 1, max: 6, step: 0.05, value: 1, "aria-label": "Zoom", oninput: () => draw() });
  const told = h("input", { type: "text", value: alt, "aria-label": "Describe the picture for those who cannot see it", placeholder: "Describe it for those who cannot see it" });
  let [x, y] = [picture.width / 2, picture.height * 0.4];
  const scale = () => Math.max(canvas.width / picture.width, canvas.height / picture.height) * zoom.value;
  function draw(right = 0, down = 0) {
    const [wide, high] = [canvas.width / scale(), canvas.height / scale()];
    x = Math.min(Math.max(x - right / scale(), wide / 2), picture.width - wide / 2);
    y = Math.min(Math.max(y - down / scale(), high / 2), picture.height - high / 2);
    const ink = canvas.getContext("2d");
    ink.fillStyle = "#fff";
    ink.fillRect(0, 0, canvas.width, canvas.height);
    ink.drawImage(picture, x - wide / 2, y - high / 2, wide, high, 0, 0, canvas.width, canvas.height);
  }
  const seen = () => canvas.width / canvas.clientWidth;
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => canvas.hasPointerCapture(event.pointerId) && draw(event.movementX * seen(), event.movementY * seen()));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [12, 0], ArrowRight: [-12, 0], ArrowUp: [0, 12], ArrowDown: [0, -12] }[event.key];
    if (step) { event.preventDefault(); draw(...step); }
  });
  const use = () => {
    box.close();
    const content = canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
    then(async () => {
      const answer = await ask({ do: "portray", file: content, alt: told.value, text: one.text, was: one.was }, one);
      take(answer, one);
      if (answer.picture) remember(answer.picture, content);
    });
  };
  let closed;
  const box = h("dialog", { class: "crop", "aria-label": "Portrait", onclose: () => { box.remove(); closed(); } }, canvas, zoom, told, h("div", { class: "count" }, button("Use it", use, { class: "main" }), button("Leave", () => box.close())));
  document.body.append(box);
  box.showModal();
  draw();
  return new Promise((resolve) => { closed = resolve; });
}

// Pictures are files beside the character's; this browser keeps them as it keeps the texts.
const pictures = new Map(); // base64 by file name, also of those that the browser has no room for

function remember(name, content) {
  if (local) return;
  pictures.set(name, content);
  try { localStorage.setItem(PICTURE + name, content); } catch { tell("This browser has no room for the picture; save it with the character"); }
}

function kept() {
  try { return Object.keys(localStorage).filter((key) => key.startsWith(PICTURE)); } catch { return []; }
}

async function giveBack() {
  for (const key of kept()) {
    const name = key.slice(PICTURE.length);
    if (!people.some((one) => one.text.includes(name))) { forget(key); continue; }
    pictures.set(name, localStorage.getItem(key));
    await ask({ do: "portray", name, file: pictures.get(name) });
  }
}

function saveAll() {
  save(text(), `${state.stem || "character"}.yaml`, "application/yaml");
  for (const [name, content] of pictures) if (text().includes(name)) save(bytes(content), name, "image/jpeg");
}

// Arrow keys go through a list, and Escape leaves it: nobody has to pass a hundred entries.
function walk(event, box, open) {
  const stops = [...box.querySelectorAll("input,button")];
  const to = { ArrowDown: 1, ArrowUp: -1, Enter: document.activeElement.matches("input") && 1 }[event.key];
  if (to) stops[stops.indexOf(document.activeElement) + to]?.focus();
  else if (event.key === "Escape") { open.click(); open.focus(); }
  if (to || event.key === "Escape") event.preventDefault();
}

// A list to choose from, with a search. Why an entry cannot be taken comes a moment later: an entry
// that is picked before is tried next, and taken if it can be.
function chooser(field, id, count) {
  const list = h("ul", { class: "options" });
  const search = h("input", { type: "search", placeholder: "Search", "aria-label": `Search ${field.label}`, "data-id": `${id}-search` });
  const open = button(field.value.length && field.most === 1 ? "Change" : `${count}Choose`, show, { "aria-expanded": "false", "data-id": `${id}-open`, class: field.value.length ? "" : "main" });
  const box = h("div", { hidden: true, onkeydown: (event) => walk(event, box, open) }, search, list);
  const at = field.most === 1 && field.value.length ? 0 : null;
  let [options, of, wanted, filling] = [[], null, null, false]; // `of` is the text that they were tried with
  const untried = (one) => one.why === undefined;
  const pick = (one) => change({ do: "choose", key: field.key, at, name: one.name, detail: one.asks?.of.length ? one.asks.of[0] : null });
  function want(one) {
    const known = !untried(one) && of === text();
    wanted = known ? null : one.id;
    tell(known ? one.why : "Looking whether it can be taken …"); // a screen reader hears it
    if (known) return one.why || pick(one);
    draw();
    fill();
  }
  function show() {
    box.hidden = !box.hidden;
    open.setAttribute("aria-expanded", String(!box.hidden));
    if (box.hidden) return;
    if (!matchMedia("(pointer: coarse)").matches) search.focus(); // on a touch screen its keyboard would cover the list
    fill();
  }
  function draw() {
    const word = search.value.trim().toLowerCase();
    const fits = options.filter((one) => !word || `${one.name} ${one.text} ${one.tags.join(" ")}`.toLowerCase().includes(word));
    const own = field.free && word && !fits.some((one) => one.name.toLowerCase() === word) ? [h("li", {}, button(`Use “${search.value.trim()}”`, () => pick({ name: search.value.trim() })))] : [];
    const [held, top] = [list.contains(document.activeElement) && document.activeElement.dataset.id, list.scrollTop];
    list.replaceChildren(...fits.map((one) => h("li", {}, button([h("b", {}, one.name), h("span", { class: "price" }, one.price != null ? `${one.price}${poolName(one.pool)}` : ""), one.text && h("small", {}, one.text), one.why ? h("span", { class: "why" }, one.why) : one.id === wanted && h("small", {}, "Looking whether it can be taken …")], () => want(one), { "aria-disabled": Boolean(one.why), "data-id": `o-${field.key}-${one.id}` }))), ...own);
    if (held) list.querySelector(`[data-id="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    list.scrollTop = top;
  }
  search.oninput = draw;
  async function fill() {
    if (filling) return;
    filling = true;
    const isOpen = () => list.isConnected && !box.hidden;
    try { while (isOpen() && (of !== text() || options.some(untried))) await more(text()); } catch (error) { tell(String(error.message || error)); }
    filling = false;
  }
  async function more(now) {
    if (of !== now) [options, of] = [(await ask({ do: "options", text: now, key: field.key })).options || [], now];
    else {
      const from = Math.max(options.findIndex((one) => one.id === wanted), 0) || options.findIndex(untried);
      const tried = await ask({ do: "options", text: now, key: field.key, from, many: 8, at });
      if (!tried.options?.length) throw new Error(tried.refused);
      tried.options.forEach((one, nth) => (options[from + nth].why = one.why));
    }
    draw();
    const one = options.find((each) => each.id === wanted);
    if (one && !untried(one)) want(one);
  }
  return h("div", {}, open, box);
}

const leftOf = (pool) => pool && (pool.shown ?? String(pool.left));
const poolName = (id) => { const pool = state.pools.find((one) => one.id === id); return pool ? ` ${pool.label}` : ""; };

function buyer(id) {
  const list = h("ul", { class: "options", hidden: true, onkeydown: (event) => walk(event, list, open) });
  const open = button("What can be bought", async () => {
    list.hidden = !list.hidden;
    if (list.hidden) return;
    const { offers = [] } = await ask({ do: "offers", text: text() });
    const usable = offers.filter((one) => one.can).sort((a, b) => Boolean(a.why) - Boolean(b.why));
    list.replaceChildren(...usable.map((one) => h("li", {}, button([h("b", {}, `${one.what} ${one.step}`), h("span", { class: "price" }, `${one.price}${poolName(one.pool)}`), one.why && h("span", { class: "why" }, one.why)], () => (one.why ? tell(one.why) : change({ do: "buy", number: one.number })), { "aria-disabled": Boolean(one.why) }))));
    if (!usable.length) list.append(h("li", {}, "Nothing."));
  }, { "data-id": `${id}-buy` });
  return h("div", {}, open, list);
}

// The side: the sheet as it prints, the file, or the party.
let frame = null;

function side() {
  const tab = (id, label) => button(label, () => { shown = id; side(); }, { "aria-pressed": shown === id });
  const choice = (label, key, values) => {
    const made = h("select", { "aria-label": label, onchange: (event) => { look[key] = event.target.value; side(); } }, values.map(([value, words]) => h("option", { value }, words)));
    made.value = look[key] ?? values[0][0];
    return made;
  };
  const themes = JSON.parse($("themes").textContent); // what a request names, and words
  const tabs = h("div", { class: "tabs" }, tab("html", "Sheet"), tab("yaml", "File"), people.length > 1 && tab("party", "Party"), choice("Paper", "paper", [["a4", "A4"], ["letter", "Letter"]]), themes.length > 1 && choice("Theme", "theme", themes));
  const renew = (below) => refocus($("side"), () => $("side").replaceChildren(tabs, below));
  if (shown === "yaml") {
    const one = people[at];
    const there = document.activeElement?.id === "yaml" ? document.activeElement : null;
    if (there && there.value !== there.dataset.sent) return; // what is typed there is on its way
    if (there) {
      if (there.value !== text()) there.value = there.dataset.sent = text();
      there.dataset.was = one.was ?? "";
      return;
    }
    const box = h("textarea", { id: "yaml", spellcheck: "false", "aria-label": "The character's file", "data-id": "yaml", "data-was": one.was ?? "" });
    box.value = text();
    // The text was made of the file as it was then: what another program wrote since is not replaced.
    typed(box, (value) => then(async () => {
      const answer = await ask({ do: "open", text: value, was: local ? box.dataset.was : undefined }, one);
      if (answer.digest) box.dataset.was = answer.digest;
      take(answer, one);
    }));
    return renew(box);
  }
  if (shown === "party") return then(party).then((table) => renew(table ?? ""));
  if (!frame) frame = h("iframe", { title: "The sheet as it prints", sandbox: "", tabindex: 0 });
  if (frame.isConnected) refocus($("side").firstChild, () => $("side").firstChild.replaceWith(tabs), tabs);
  else renew(frame);
  clearTimeout(side.timer);
  side.timer = setTimeout(draw, 120);
}

async function draw() {
  const now = text();
  for (let last = null; last !== busy; ) await (last = busy); // changes come first
  if (now !== text()) return;
  const answer = await ask({ do: "print", text: now, format: "html", still: true, ...look });
  if (now !== text()) return;
  const old = frame.src;
  const page = answer.refused ? new Blob([answer.refused], { type: "text/plain;charset=utf-8" }) : new Blob([bytes(answer.file)], { type: "text/html" });
  frame.src = URL.createObjectURL(page);
  if (old) URL.revokeObjectURL(old);
}

async function party() {
  const rows = [];
  for (const one of people) {
    const answer = await load(one);
    rows.push([one.name || one.file, answer.refused ? { pools: [], values: [] } : answer]);
  }
  const labels = [...new Set(rows.flatMap(([, answer]) => [...answer.pools.map((pool) => pool.label), ...answer.values.map((value) => value.label)]))];
  const cell = (answer, label) => answer.values.find((value) => value.label === label)?.value ?? leftOf(answer.pools.find((pool) => pool.label === label)) ?? "";
  return h("div", { class: "scroll" }, h("table", { class: "party" }, h("thead", {}, h("tr", {}, h("th", {}, "Name"), labels.map((label) => h("th", { scope: "col" }, label)))), h("tbody", {}, rows.map(([name, answer]) => h("tr", {}, h("th", { scope: "row" }, name), labels.map((label) => h("td", {}, String(cell(answer, label)))))))));
}

const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

function save(content, name, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function print(format, kind) {
  tell("Printing …");
  return then(async () => {
    const answer = await ask({ do: "print", text: text(), format, kind, ...look });
    if (answer.refused) return tell(answer.refused);
    const name = kind === "cards" ? answer.name.replace(/\.(\w+)$/, "-cards.$1") : answer.name;
    save(bytes(answer.file), name, format === "pdf" ? "application/pdf" : "text/html");
    tell(`${name} is ready${due.length ? `; still to do: ${due.map((one) => one.label).join(", ")}` : ""}`);
  });
}

async function pack(content, stream) {
  return new Uint8Array(await new Response(new Blob([content]).stream().pipeThrough(stream)).arrayBuffer());
}

async function link() {
  const packed = await pack(text(), new CompressionStream("deflate-raw"));
  const word = btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const address = `${location.href.split("#")[0]}#c=${word}`;
  try { await navigator.clipboard.writeText(address); tell("The link is copied"); } catch { history.replaceState(null, "", `#c=${word}`); tell("The link is in the address bar"); }
}

function tools() {
  const one = people[at];
  const files = h("input", { type: "file", multiple: true, hidden: true, accept: ".yaml,.yml,.txt,.pdf,.html,.json,image/*", onchange: (event) => read(event.target.files) });
  const list = h("select", { "aria-label": "Characters", onchange: (event) => go(event.target.selectedIndex) }, people.map((each) => h("option", {}, each.name || each.file)));
  list.selectedIndex = at;
  refocus($("people"), () => $("people").replaceChildren(...(people.length > 5 ? [list] : people.map((each, number) => button(each.name || each.file || "…", () => go(number), { "aria-pressed": number === at })))));
  refocus($("tools"), () => $("tools").replaceChildren(...(local ? [h("a", { class: "button", href: `../#${new URLSearchParams({ entry: one.file })}` }, "Preview"), button("Read a filled sheet", () => files.click()), files] : [
    button("New", start, { "data-id": "new" }), button("Open", () => files.click()), files,
    button("Save", saveAll)]),
    button("Undo", () => step("undo", "redo"), { "aria-disabled": !one?.undo.length }), button("Redo", () => step("redo", "undo"), { "aria-disabled": !one?.redo.length }),
    button("PDF", () => print("pdf"), { class: "main" }), button("HTML", () => print("html")), button("Cards", () => print("pdf", "cards")), ...(local ? [] : [button("Link", link), button("Close", close)])));
}

function close() {
  people.splice(at, 1);
  keep();
  if (people.length) go(0);
  else start();
}

// Characters are opened first, for sheets and pictures belong to them; of these, each waits until
// the one before it is done.
let reading = Promise.resolve();

async function read(files) {
  const isText = (file) => /\.(ya?ml|txt)$/i.test(file.name);
  const [texts, others] = [true, false].map((wanted) => [...files].filter((file) => isText(file) === wanted));
  for (const file of texts) await (local ? tell("Put the file into the folder; the page shows it then") : add(await file.text(), file.name));
  for (const file of others) reading = reading.then(() => readOther(file)).catch((error) => tell(String(error.message || error)));
  return reading;
}

function readOther(file) {
  const what = file.type.startsWith("image/") ? "picture" : "sheet";
  if (!people[at]) return tell(`Open the character's file first, then its ${what}`);
  return what === "picture" ? crop(file) : readSheet(file, people[at]);
}

async function readSheet(file, one) {
  const content = new Uint8Array(await file.arrayBuffer());
  let packed = "";
  for (let from = 0; from < content.length; from += 30000) packed += String.fromCharCode(...content.subarray(from, from + 30000));
  let answer, before;
  await then(async () => { answer = await ask({ do: "read", text: (before = one.text), name: file.name, file: btoa(packed) }, one); });
  if (!answer || answer.refused) return void (answer && tell(answer.refused));
  const words = { conflict: "differs in the file, too: it stays", unknown: "perhaps changed", noted: "goes to the notes", kept: "is not taken" };
  let closed;
  const close = () => { box.remove(); closed(); };
  const takeIt = () => {
    if (one.text !== before) { // what was changed since is kept
      box.remove();
      return readSheet(file, one).then(closed);
    }
    close();
    return then(async () => take(await ask({ do: "open", text: answer.read, was: one.was }, one), one));
  };
  const box = h("section", { id: "filled", "aria-label": "Filled sheet", tabindex: -1 }, h("h2", {}, `On ${file.name}`),
    answer.changes.length ? h("ul", { class: "rows" }, answer.changes.map((each) => h("li", {}, h("span", { class: "what" }, each.label), h("del", {}, each.printed || ""), h("ins", {}, each.filled || "–"), words[each.state] && h("small", {}, words[each.state])))) : h("p", {}, "Nothing was changed on this sheet."),
    found(answer.findings), answer.read !== before && button("Take these changes", takeIt, { class: "main" }), button("Leave", close));
  document.getElementById("filled")?.remove();
  $("middle").prepend(box);
  box.focus();
  return new Promise((resolve) => { closed = resolve; });
}

// The first page: which game, and what kind of file.
function start() {
  return then(async () => {
    const games = JSON.parse($("games").textContent);
    const fresh = async (game, kind) => { const answer = await ask({ do: "new", game, kind }); add(answer.text); };
    drawn.clear();
    $("pools").replaceChildren();
    $("next").hidden = true;
    $("steps").replaceChildren();
    $("side").replaceChildren();
    const files = h("input", { type: "file", multiple: true, hidden: true, accept: ".yaml,.yml,.txt", onchange: (event) => read(event.target.files) });
    $("tools").replaceChildren(button("Open a file", () => files.click()), files);
    $("form").replaceChildren(h("h2", {}, "What would you like to make?"), h("p", { class: "help" }, "It is made in this browser and stays there; save it as a file."), ...games.map((game) => h("div", { class: "games" }, button([h("b", {}, game.title), h("small", {}, " character")], () => fresh(game.id), { class: "main" }), game.kinds.map((kind) => button(`${game.title}: ${kind.label}`, () => fresh(game.id, kind.id))))));
    $("form").querySelector("button")?.focus();
  });
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => { event.preventDefault(); read(event.dataTransfer.files); });
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === "Enter" && !$("next").hidden && !document.querySelector("dialog")) { event.preventDefault(); return void next(); }
  if (event.target.matches("input,textarea")) return;
  if (event.key === "z") { event.preventDefault(); step(event.shiftKey ? "redo" : "undo", event.shiftKey ? "undo" : "redo"); }
});
$("next").addEventListener("click", next);
$("form").addEventListener("submit", (event) => event.preventDefault());

async function begin() {
  if (local) {
    const { files } = await ask({ do: "files" });
    people = files.map((file) => ({ file, text: "", name: "", undo: [], redo: [] }));
    if (!people.length) return void ($("form").textContent = "There is no character here.");
    setInterval(() => {
      if (!following) then(follow);
      following = true;
    }, 1000);
    return go(Math.max(0, files.indexOf(new URLSearchParams(location.hash.slice(1)).get("entry"))));
  }
  try { people = JSON.parse(localStorage.getItem(KEPT) || "[]").filter((one) => typeof one.text === "string").map((one) => ({ ...one, undo: [], redo: [] })); } catch { people = []; }
  const word = /^#c=([\w-]{1,50000})$/.exec(location.hash)?.[1];
  if (word) {
    history.replaceState(null, "", location.pathname + location.search); // a reload shows what was made of it
    try {
      const packed = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
      return await add(new TextDecoder().decode((await pack(packed, new DecompressionStream("deflate-raw"))).slice(0, 200000)));
    } catch { tell("The link holds no character"); }
  }
  if (!people.length) return start();
  then(giveBack);
  try {
    const last = JSON.parse(localStorage.getItem(LAST) || "{}");
    if (last.of === $("games").textContent && people[last.at]?.text === last.state.text) {
      [at, state] = [last.at, last.state];
      show();
    }
  } catch { /* it is made anew in a moment */ }
  return go(at);
}
begin().catch((error) => tell(String(error.message || error)));
