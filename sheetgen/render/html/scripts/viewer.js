/* The script of PDF sheets: sets the calculated fields. It uses only the part of the forms API
   that Acrobat, PDF.js and PDFium share. ECMAScript 5.

   sheetgen(this, event, program, data) is the calculate action of a sheet's first calculated
   field; it computes the values of all. sheetgen(this, event) is that of the others, which take
   their value from the first. A file may have many sheets: the part of the field's full name
   before its own name is the sheet's prefix. */
var sheetgenPrograms = sheetgenPrograms || {};

/* What was typed, as text (PDF.js returns "+2" as 2), and the value before. */
var sheetgenTyped = sheetgenTyped || {}, sheetgenBefore = sheetgenBefore || {};

var sheetgen = (function () {
  "use strict";
  var SAYS = "sheetgen-says", HINT = "sheetgen-hint-", HIDDEN = 1, NOT_PRINTED = 2, leaves = {}, here = null;

  function text(doc, name) {
    var field = doc.getField(name), value, typed;
    if (!field) { return ""; }
    value = field.value;
    if (value === null || value === undefined || value !== value) { return ""; }
    if (typeof value === "number") {
      typed = sheetgenTyped[name];
      if (typeof typed === "string" && Number(typed.replace(",", ".")) === value) { return typed; }
    }
    if (field.type === "checkbox" || typeof field.valueAsString !== "string") { return String(value); }
    return field.valueAsString;
  }
  function before(doc, name, source) { /* source: the field that was just changed */
    var field, now = text(doc, name);
    if (name !== source) { return now; }
    field = doc.getField(name);
    if (field && field.type === "checkbox") { return now === "" || now === "Off" ? "On" : "Off"; }
    return typeof sheetgenBefore[name] === "string" ? sheetgenBefore[name] : now;
  }
  function printed(doc, name) {
    var field = doc.getField(name), value = field && field.defaultValue;
    return value === null || value === undefined ? "" : String(value);
  }

  function leafOf(doc, name, source, program, data) {
    var run = sheetgenLive(sheetgenPrograms[program], data), first = run.outputs[0], leaf, was;
    leaf = { prefix: name.substring(0, name.length - first.length), run: run, out: null, base: null, mine: {}, hints: {} };
    if (data.blank) { /* other texts were typed before the file was opened */
      leaf.base = run(function () { return ""; });
      was = run(function (field) { return before(doc, leaf.prefix + field, source); }).values;
      run.outputs.forEach(function (own) {
        var now = text(doc, leaf.prefix + own);
        leaf.mine[own] = now !== was[own] && now !== leaf.base.values[own] && now !== printed(doc, leaf.prefix + own);
      });
    }
    leaves[name] = leaf;
    return leaf;
  }

  function left(says, base) { /* without the findings that an empty sheet has from the start */
    return !base ? says : says.filter(function (one) {
      return !base.says.some(function (other) { return one.code === other.code && one.at === other.at; });
    });
  }
  function said(left) {
    var lines = [], i;
    for (i = 0; i < left.length && i < 3; i++) {
      lines.push((left[i].code ? left[i].code + " " : "") + left[i].message + (left[i].hint ? ": " + left[i].hint : ""));
    }
    return lines.join("; ") + (left.length > i ? "; and " + (left.length - i) + " more" : "");
  }

  function first(doc, event, program, data) {
    var name = event.target.name, source = event.source && event.source.name || "", own, found, was;
    here = null;
    here = leaves[name] || leafOf(doc, name, source, program, data);
    if (source && source.substring(0, here.prefix.length) !== here.prefix) {
      here = null; /* a field of another sheet in this file changed */
      return;
    }
    own = source.substring(here.prefix.length);
    if (here.run.outputs.indexOf(own) >= 0) { here.mine[own] = true; }
    was = here.out;
    here.out = here.run(function (field) { return text(doc, here.prefix + field); });
    if (!here.base) {
      unfollowed(doc);
      emptied(doc, here.run.named[own] || [], was ? was.values : null);
    }
    found = left(here.out.says, here.base);
    here.out.values[SAYS] = said(found);
    hint(doc, found);
  }

  function unfollowed(doc) { /* says which changes leave values as printed */
    here.run.fixed.forEach(function (one) {
      var at = one[0] && one[1].filter(function (name) {
        var now = text(doc, here.prefix + name), then = printed(doc, here.prefix + name);
        return doc.getField(here.prefix + name) && now !== then && (now || "Off") !== (then || "Off");
      })[0];
      if (at) { here.out.says.push({ code: "", message: "What follows from " + one[0] + " stays as printed here", hint: "", at: at }); }
    });
  }

  function emptied(doc, cells, was) { /* empties the figures of an item whose name was just changed */
    cells.forEach(function (name) {
      var old = was ? was[name] : printed(doc, here.prefix + name);
      if (typeof here.out.values[name] !== "string" && typeof old === "string" && old === text(doc, here.prefix + name)) { here.out.values[name] = ""; }
    });
  }

  function hint(doc, says) { /* shows the bars beside the places that findings are about */
    here.run.hints.forEach(function (stem, n) {
      var field, shown = says.some(function (one) { return one.at && (one.at + ".").indexOf(stem + ".") === 0; });
      if (Boolean(here.hints[n]) === shown) { return; }
      here.hints[n] = shown;
      field = doc.getField(here.prefix + HINT + n);
      if (field) { field.display = shown ? NOT_PRINTED : HIDDEN; }
    });
  }

  /* On an empty sheet a sum appears once a part of it is known, and may be overwritten. */
  function onBlank(doc, name, own, found) {
    var usual = printed(doc, name), now = text(doc, name);
    if (here.mine[own] && now !== usual && now !== "") { return now; }
    here.mine[own] = false;
    return found === here.base.values[own] ? usual : found;
  }

  return function (doc, event, program, data) {
    var name = event.target.name, own, found;
    try {
      if (program) { first(doc, event, program, data); }
    } catch (e) { /* printed values stay; the line of findings says so */
      here = { prefix: here ? here.prefix : "", out: { values: {} } };
      here.out.values[SAYS] = "The figures cannot be worked out here.";
    }
    if (!here) { return; }
    own = name.substring(here.prefix.length);
    found = here.out.values[own];
    if (here.base && own !== SAYS && typeof found === "string") { found = onBlank(doc, name, own, found); }
    if (typeof found === "string") { event.value = found; }
  };
}());
