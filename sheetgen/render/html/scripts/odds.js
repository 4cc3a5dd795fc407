/* Shows odds on a tap: of a code such as 4D+2, of a rating, or of a pool of dice with symbols. All chances
   were computed when the sheet was printed and are looked up here. Pages of games that print no
   odds do not have this file. */
const odds = facts.odds;
const pools = new Map(); // stem of a drawn pool -> the element that is tapped

/** Return the chances of a code; those of a rating alone where a roll is without its parent. */
function rowOf(roll, code) {
  return roll.table[code] || roll.table[code.replace(/\/.*/, "")];
}

/** Return the code in a field or a printed text, with the letter behind it; "" if there is none. */
function codeIn(el) {
  const printed = el && el.dataset.name;
  if (!odds.rolls || !el || isBox(el) || (el.tagName !== "INPUT" && !printed)) {
    return "";
  }
  const after = el.closest(".place").nextElementSibling;
  const text = (printed ? el.textContent : el.value).trim() + (after && after.classList.contains("dee") ? odds.letter : "");
  const code = new RegExp("^(\\d+)" + odds.letter + "(?:\\+(\\d+))?$", "i").exec(text);
  const rated = (shown) => shown.trim().replace("\u2212", "-").replace(/^\+/, "");
  const name = el.name || printed || "";
  const above = odds.under && odds.under[name.replace(/\.total$/, "")];
  const near = above && (fields.get(above + ".total") || marks.get(above + ".total"));
  const rating = "=" + rated(text) + (near ? "/" + rated(near.value === undefined ? near.textContent : near.value) : "");
  if (/\.total$/.test(name) && odds.rolls.some((roll) => rowOf(roll, rating))) {
    return rating;
  }
  return code ? code[1] + (code[2] ? "+" + code[2] : "") : "";
}

/** Return the dice drawn at `stem` by their keys in the table of chances; null if it lacks one. */
function diceAt(stem) {
  const every = {};
  for (let at = 1; marks.has(stem + ".roll." + at); at++) {
    const shape = /(?:^|\s)s-(\S+)/.exec(marks.get(stem + ".roll." + at).className);
    if (shape) {
      every[shape[1]] = (every[shape[1]] || 0) + 1;
    }
  }
  return Object.keys(every).every((die) => odds.dice[die]) ? Object.keys(odds.dice).filter((die) => every[die]).map((die) => [die, every[die]]) : null;
}
const inWords = (dice) => (dice || []).map(([die, n]) => n + " " + odds.dice[die]).join(", ");

function markRoll(stem) {
  const el = pools.get(stem);
  if (el) {
    el.setAttribute("aria-label", el.dataset.of + ": " + (inWords(diceAt(stem)) || "no dice") + ". Odds");
  }
}

/** Make pools of dice and codes react to a tap and to Enter. */
function findRolls() {
  for (const name of marks.keys()) {
    const first = /^(.+)\.roll\.1$/.exec(name);
    const el = marks.get(name).parentElement;
    if (first && odds.pools && diceAt(first[1])) {
      const near = fields.get(first[1] + ".total");
      const title = near ? label(near).replace(/,.*/, "") : el.dataset.label || first[1].replace(/^.*\./, "").replace(/_/g, " ");
      Object.entries({ role: "button", tabindex: "0", "aria-haspopup": "dialog", "data-of": title }).forEach(([key, value]) => el.setAttribute(key, value));
      pools.set(first[1], el);
      markRoll(first[1]);
    }
  }
  for (const [name, el] of fields) {
    if (codeIn(el) || (odds.rolls && outputs.has(name) && /\.total$/.test(name))) {
      el.setAttribute("aria-haspopup", "dialog");
    }
  }
}

/** Return the title and the tables of chances for a tap; null if there are none. */
function asksFor(target) {
  const pool = target.closest && target.closest("[data-of]");
  if (pool) {
    const stem = [...pools.keys()].find((one) => pools.get(one) === pool);
    const dice = diceAt(stem);
    const rows = odds.pools[(dice || []).map(([die, n]) => die + ":" + n).join(" ")];
    return { title: pool.dataset.of, code: inWords(dice), tables: rows ? [table(odds.label, odds.over, odds.columns, odds.outcomes, rows)] : [] };
  }
  const mark = target.closest && target.closest("[data-name$='.name']");
  const near = target.closest && target.closest(".dee");
  const printed = target.closest && target.closest("[data-name]");
  const el = mark ? fields.get(mark.dataset.name.replace(/name$/, "total")) : near ? near.parentElement.querySelector("input, [data-name]") : printed || target;
  const code = codeIn(el);
  if (!code) {
    return null;
  }
  const name = el.name || el.dataset.name;
  const rated = code.charAt(0) === "=";
  const rolls = /\.total$/.test(name) && !rated ? odds.rolls.slice(0, 1) : odds.rolls;
  return {
    title: el.name ? label(el).replace(/,.*/, "") : spoken(name), code: rated ? code.slice(1).replace("-", "\u2212") : code.replace(/^\d+/, "$&" + odds.letter),
    tables: rolls.filter((roll) => rowOf(roll, code)).map((roll) => table(roll.label, "", [""], roll.heads, rowOf(roll, code).split(" "))),
  };
}

/** Return the name of a printed text as words: `Unarmed attack` for `unarmed_attack.text`. */
function spoken(name) {
  const words = name.replace(/\..*/, "").replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function table(title, corner, columns, heads, rows) {
  const cell = (text) => element("td", {}, text);
  return element("table", {}, element("caption", {}, title),
    columns.length > 1 && element("thead", {}, element("tr", {}, element("th", { scope: "col" }, corner), ...columns.map((one) => element("th", { scope: "col" }, one)))),
    element("tbody", {}, ...heads.map((head, at) => !/^[0 ]+$/.test(rows[at]) && element("tr", {}, element("th", { scope: "row" }, ...[].concat(head).map((one) => one && element("span", {}, one))), ...rows[at].split(" ").map((one) => cell(one + "%"))))));
}

function showOdds(target) {
  const about = asksFor(target);
  if (!about) {
    return false;
  }
  const close = element("button", { type: "button", class: "x-close", on: () => dialog.close() }, "Close");
  const inside = about.tables.length ? about.tables : [element("p", {}, about.code ? "These dice are beyond the table." : "No dice to roll.")];
  const dialog = element("dialog", { class: "x-chrome x-odds", "aria-labelledby": "odds-of" }, element("div", {}, element("h2", { id: "odds-of" }, about.title, " ", element("b", {}, about.code)), ...inside, close));
  dialog.addEventListener("close", () => { dialog.remove(); });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  openDialog(dialog);
  const at = target.getBoundingClientRect();
  const size = dialog.getBoundingClientRect();
  dialog.style.left = Math.max(8, Math.min(at.left, window.innerWidth - size.width - 8)) + "px";
  dialog.style.top = Math.max(8, Math.min(at.bottom + 6, window.innerHeight - size.height - 64)) + "px";
  return true;
}

function onTap(event) {
  const el = event.target;
  const typedIn = fields.get(el.name) === el && !el.readOnly;
  if (!typedIn && main.contains(el)) {
    showOdds(el);
  }
}

function onEnter(event) {
  const pool = event.target.dataset && event.target.dataset.of;
  if ((event.key === "Enter" || (pool && event.key === " ")) && event.target.tagName !== "TEXTAREA" && main.contains(event.target) && showOdds(event.target)) {
    event.preventDefault();
  }
}

onRoll = markRoll;
findRolls();
main.addEventListener("click", onTap);
main.addEventListener("keydown", onEnter);
