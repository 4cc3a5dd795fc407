/* The page of `sheetgen preview`: shows what the server's events say, and keeps place and zoom.
   All texts are an author's: they only ever become text nodes. */
"use strict";
const $ = (id) => document.getElementById(id);
const stage = $("stage");
const places = new Map(); // scroll places of HTML prints, by what is shown
const LEAST_ZOOM = 0.4;
const MOST_ZOOM = 3;
let source = null; // the connection
let frame = null; // the frame that is seen
let incoming = null; // the frame that loads behind it
let wanted = ""; // the HTML print that was asked for last
let zoom = 1;
let fits = false; // whether pages are as wide as the window
let waiting = 0; // the timer that says what is printing

const asked = () => new URLSearchParams(location.hash.slice(1));

function element(name, facts = {}, ...children) {
  const made = Object.assign(document.createElement(name), facts);
  made.append(...children);
  return made;
}

/** Show something else: the fragment of the address says what, so that it can be kept. */
function ask(changes) {
  const now = asked();
  for (const [key, value] of Object.entries(changes)) {
    now.set(key, value);
  }
  location.hash = now;
}

function connect() {
  source?.close();
  const query = asked();
  query.set("dpi", Math.ceil(96 * zoom * devicePixelRatio));
  source = new EventSource("events?" + query);
  source.onmessage = (event) => {
    const facts = JSON.parse(event.data);
    if (facts.ended) {
      end();
    } else {
      show(facts);
    }
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED && asked().get("entry")) {
      location.hash = ""; // that entry is not there any more
    } else {
      end();
    }
  };
}

function end() {
  document.body.classList.add("ended");
  $("state").textContent = "The preview has ended. Start it again in the terminal.";
}

function show(facts) {
  const wrong = (facts.findings || []).filter((one) => one.severity === "error").length;
  document.body.classList.remove("ended");
  document.body.classList.toggle("busy", Boolean(facts.busy));
  clearInterval(waiting);
  if (facts.busy) {
    showWaiting(facts);
    return;
  }
  stage.classList.toggle("stale", facts.failed && facts.pages.length > 0);
  showFiles(facts);
  showRadios("choices", "choice", facts.choices || [], facts.choice);
  showRadios("formats", "format", (facts.formats || []).map((id) => [id, id.toUpperCase()]), facts.format);
  showParts(facts.parts || []);
  showFindings(facts.findings || []);
  showPages(facts.pages, JSON.stringify([facts.entry, facts.choice, Number(asked().get("part"))]));
  const entry = facts.entry || "Preview";
  $("title").textContent = entry.split("/").pop();
  $("title").title = entry;
  $("form").hidden = !facts.form;
  $("form").href = "form/#" + new URLSearchParams({ entry });
  document.title = (wrong ? "✗ " : "") + entry + " · Preview";
  $("state").textContent = facts.failed
    ? (facts.pages.length ? "The last good page. " : "") + count(wrong, "error")
    : "Printed in " + duration(facts.seconds);
  $("empty").hidden = facts.pages.length > 0;
  $("empty").textContent = "There is no page yet. Mend the errors among the findings; the page follows.";
}

/** Say what is being printed, once it takes longer than a glance. */
function showWaiting(facts) {
  const start = Date.now();
  const choice = (facts.choices || []).find(([id]) => id === (asked().get("choice") || facts.choice));
  const what = [facts.what, choice?.[1]].filter(Boolean).join(", ");
  waiting = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    $("state").textContent = "Printing " + what + " …";
    $("empty").textContent = "Printing " + what + " … " + (seconds ? seconds + " s. " : "")
      + "The first print of a game prepares its fonts and lays out its pages; later ones take a fraction of that.";
    $("empty").hidden = (facts.pages || []).length > 0;
  }, 300);
}

const duration = (seconds) =>
  seconds < 1 ? Math.max(1, Math.round(1000 * seconds)) + " ms" : seconds.toFixed(1) + " s";
const count = (number, word) => number + " " + word + (number === 1 ? "" : "s");

function showFiles(facts) {
  const entries = facts.entries || [];
  $("files").hidden = entries.length < 2;
  fill($("files").querySelector("ul"), entries.map(([id, sort]) => {
    const link = element("a", { href: "#" + new URLSearchParams({ entry: id }) }, id, element("small", {}, sort));
    if (id === facts.entry) {
      link.setAttribute("aria-current", "true");
    }
    return element("li", {}, link);
  }));
}

function showRadios(id, key, choices, now) {
  const box = $(id);
  box.hidden = choices.length < 2;
  fill(box, choices.map(([value, label]) => {
    const input = element("input", { type: "radio", name: key, value, checked: value === now });
    input.addEventListener("change", () => ask({ [key]: value, part: 0 }));
    return element("label", {}, input, element("span", {}, label));
  }), 1);
}

function showParts(names) {
  const select = $("parts").querySelector("select");
  $("parts").hidden = names.length < 2;
  fill(select, names.map((name, at) => element("option", { value: at, selected: at === Number(asked().get("part")) }, name)));
}

function showFindings(findings) {
  const numbers = ["error", "warning", "note"].map((word) => [findings.filter((one) => one.severity === word).length, word]);
  $("findings-title").textContent = "Findings: " + (numbers.filter(([n]) => n).map(([n, word]) => count(n, word)).join(", ") || "none");
  $("clean").hidden = findings.length > 0;
  fill($("findings"), findings.map((one) => {
    const at = one.file + (one.file.startsWith("--") ? "" : ":" + one.line + ":" + one.column);
    const item = element("li", { className: one.severity },
      element("p", { className: "place" }, element("b", {}, one.severity), " ", at),
      element("p", {}, one.message));
    if (one.excerpt) {
      const [before, marked, after] = one.excerpt;
      item.append(element("pre", { tabIndex: 0 }, element("span", {}, one.line + " "), before, element("mark", {}, marked || " "), after));
    }
    if (one.hint) {
      item.append(element("p", { className: "hint" }, one.hint));
    }
    if (one.rule) {
      item.append(element("p", { className: "rule" }, one.rule));
    }
    item.append(element("details", {}, element("summary", {}, one.code), element("p", {}, one.about)));
    return item;
  }));
}

/** Replace children behind the first few, unless they would be equal: focus and places stay. */
function fill(box, children, kept = 0) {
  const old = [...box.children].slice(kept);
  const same = old.length === children.length && old.every((one, at) => one.isEqualNode(children[at]));
  if (!same) {
    const focused = old.findIndex((one) => one.contains(document.activeElement));
    old.forEach((one) => one.remove());
    box.append(...children);
    children[focused]?.querySelector("input, a, summary")?.focus();
  }
}

function showPages(pages, of) {
  const isPage = pages[0]?.type === "text/html";
  stage.classList.toggle("framed", isPage);
  if (isPage) {
    showPictures([]);
    showFrame(pages[0], of);
  } else {
    frame?.remove();
    incoming?.remove();
    frame = incoming = null;
    wanted = "";
    showPictures(pages);
  }
}

function showPictures(pages) {
  const old = [...stage.querySelectorAll("img")];
  old.slice(pages.length).forEach((one) => one.remove());
  pages.forEach((page, at) => {
    const picture = old[at] || stage.appendChild(element("img", { alt: "Page " + (at + 1) }));
    const address = "content/" + page.id;
    if (picture.getAttribute("src") !== address) {
      picture.src = address; // the old picture is seen until the new one is there
      picture.width = Math.round(page.width * 96 / 72);
      picture.height = Math.round(page.height * 96 / 72);
    }
  });
  if (fits && pages.length) {
    fitWidth();
  }
  zoomPages();
}

/** Show a print in the frame that is seen, if only the body is new; or load it behind that frame,
    at its place: `swap` then shows it. */
function showFrame({ id, policy }, of) {
  if (wanted === id + of) {
    return;
  }
  wanted = id + of;
  if (!incoming && frame?.dataset.of === of && frame.dataset.policy === policy) {
    update(id, of);
    return;
  }
  incoming?.remove();
  const next = element("iframe", { title: "Print", name: (places.get(of) || []).join(" "), className: "incoming" });
  next.setAttribute("sandbox", "allow-scripts allow-downloads");
  Object.assign(next.dataset, { id, of, policy });
  next.addEventListener("load", () => swap(next));
  next.src = "content/" + id;
  incoming = next;
  stage.append(next);
  zoomPages();
}

async function update(id, of) {
  const answer = await fetch("update/" + id);
  const text = await answer.text();
  if (answer.ok && wanted === id + of) {
    frame.contentWindow.postMessage([id, text], "*"); // its origin has no name
  }
}

function swap(next) {
  if (next === incoming) {
    frame?.remove();
    next.className = "";
    [frame, incoming] = [next, null];
  }
}

addEventListener("message", (event) => {
  const known = [incoming, frame].find((one) => one && one.contentWindow === event.source);
  const [x, y, id] = Array.isArray(event.data) ? event.data : [];
  if (known && Number.isFinite(x) && Number.isFinite(y)) {
    places.set(known.dataset.of, [x, y]);
    known.dataset.id = id || known.dataset.id;
    swap(known);
  }
});

function zoomPages() {
  $("actual").textContent = Math.round(100 * zoom) + " %";
  for (const one of stage.querySelectorAll("iframe")) {
    Object.assign(one.style, { width: 100 / zoom + "%", height: 100 / zoom + "%", transform: "scale(" + zoom + ")" });
  }
  for (const one of stage.querySelectorAll("img")) {
    one.style.width = one.width_ || one.getAttribute("width") * zoom + "px";
  }
}

function setZoom(value) {
  const middle = (stage.scrollTop + stage.clientHeight / 2) / stage.scrollHeight;
  zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, value));
  zoomPages();
  stage.scrollTop = middle * stage.scrollHeight - stage.clientHeight / 2;
  if (asked().get("format") === "pdf") {
    connect(); // pages of another resolution
  }
}

/** Make the widest page as wide as the window; an HTML print adapts by itself at 100 %. */
function fitWidth() {
  const widths = [...stage.querySelectorAll("img")].map((one) => Number(one.getAttribute("width")));
  const style = getComputedStyle(stage);
  const room = stage.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const wanted = widths.length ? Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, room / Math.max(...widths))) : 1;
  if (Math.abs(wanted - zoom) > 0.005) {
    setZoom(wanted);
  }
}

function setFits(value) {
  fits = value;
  $("fit").setAttribute("aria-pressed", value);
  if (value) {
    fitWidth();
  }
}

for (const [id, next] of [["smaller", () => zoom / 1.2], ["larger", () => zoom * 1.2], ["actual", () => 1]]) {
  $(id).addEventListener("click", () => {
    setFits(false);
    setZoom(next());
  });
}
$("fit").addEventListener("click", () => setFits(!fits));
addEventListener("resize", () => fits && fitWidth());
$("parts").querySelector("select").addEventListener("change", (event) => ask({ part: event.target.value }));
addEventListener("hashchange", connect);
if (innerWidth < 800) {
  $("files").querySelector("details").open = false;
}
connect();
