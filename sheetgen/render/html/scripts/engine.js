/* The engine of live sheets: computes totals, limits and findings from the fields of a sheet. It
   repeats the checks of sheetgen/check for everything that can be typed.

   sheetgenLive(PROGRAM, DATA) returns run(get); get(name) returns the text of a field (of an
   empty box "" or "Off"). PROGRAM is compiled from the ruleset and the sheet, DATA from the
   character; model/prints.py documents both. This file does not depend on a viewer. ECMAScript 5. */
var sheetgenLive = (function (figures) {
  "use strict";
  var MOST_CALLS = 500, UNLIMITED = 999;

  function has(map, key) { return Object.prototype.hasOwnProperty.call(map, key); }
  function each(map, what) { var k; for (k in map) { if (has(map, k)) { what(k, map[k]); } } }
  function copied(map) { var found = {}; each(map, function (k, x) { found[k] = x; }); return found; }
  function attempt(work, otherwise) {
    try { return work(); } catch (e) {
      if (e && (e.wrong || e instanceof RangeError)) { return otherwise; }
      throw e;
    }
  }
  function fill(text, names) {
    return text.replace(/\{(\w+)\}/g, function (all, name) { return has(names, name) ? names[name] : all; });
  }

  function live(makeProgram, D) {
    var P, state, memo, busy, $ = copied(figures); /* one for each sheet of a file */

    /* -- names in formulas -- */
    $.v = function (s, name) {
      var found = seen(s, name);
      if (found === undefined || found === null) { $.wrong("nothing is called " + name); }
      return found;
    };
    $.w = function (s, name) { var found = seen(s, name); return found === undefined ? name : found; };
    function seen(s, name) {
      for (; s; s = s.up) { if (has(s.n, name)) { return s.n[name]; } }
      if (has(then("o"), name)) { return then("o")[name]; }
      if (has(P.s, name)) { return state.in_[name] || "none"; }
      if (has(P.t, name)) { return total(name); }
      if (has(P.d, name)) { return derived(name); }
      if (has(P.p, name)) { return left(name); }
      if (has(P.k, name)) { return state.n[name] || 0; }
      return undefined;
    }
    $.q = function (what, name) {
      if (what === "own") { return own(name); }
      if (what === "free") { return Math.min(granted(name), own(name)); }
      if (what === "stars") { return D.st[name] || 0; }
      if (what === "linked") { return linked(name); }
      if (what === "modifiers") { return modifiers(name).reduce(function (sum, m) { return sum + m[1]; }, 0); }
      return (then("a")[what + " " + name] || 0) + (what === "has" || what === "picked" ? entered(name) : 0);
    };
    function then(part) { /* what follows from choices and gear, before the purchase that is priced */
      var was = D.was[state.was];
      return was && has(was, part) ? was[part] : D[part];
    }
    function linked(trait) {
      var sum = 0, letter = state.links[trait];
      each(state.links, function (other, l) { if (other !== trait && l === letter) { sum += own(other); } });
      return sum;
    }
    $.k = function (s, name, values) {
      var i, names = {}, f = P.f[name], inner;
      if (!f || f[0].length !== values.length) { $.wrong("takes other values"); }
      for (i = 0; i < values.length; i++) { names[f[0][i]] = values[i]; }
      inner = { n: names, up: s, calls: s && s.calls || { left: MOST_CALLS }, depth: (s && s.depth || 0) + 1 };
      if (inner.depth > 9 || --inner.calls.left < 0) { $.wrong("calls too many formulas"); }
      return f[1](inner);
    };
    function scope(names) { return { n: names, up: null, calls: { left: MOST_CALLS }, depth: 0 }; }
    function modifiers(name) { /* those of states count while the state is marked */
      var found = [];
      (then("mods")[name] || []).forEach(function (m) {
        var sum = m[3] && state.in_[m[3]] !== m[4] ? 0 : amount(m[1]) * m[2];
        if (sum) { found.push([m[0], sum]); }
      });
      return found;
    }
    function amount(parts) { /* numbers, and formulas that the program computes */
      return parts.reduce(function (sum, x) { return sum + (typeof x === "number" ? x : figure(P.m[x])); }, 0);
    }
    function entered(name) {
      var count = 0;
      each(state.in_, function (key, entry) { if (P.s[key][entry].indexOf(name) >= 0) { count += 1; } });
      return count;
    }
    function once(name, work) {
      if (has(memo, name)) { return memo[name]; }
      if (busy[name]) { $.wrong(name + " needs itself"); }
      busy[name] = true;
      try { memo[name] = work(); } finally { busy[name] = false; }
      return memo[name];
    }
    function figure(f, names) { return attempt(function () { return $.whole(f(scope(names || {}))); }, 0); }
    function sure(f, names) { return attempt(function () { return $.t(f(scope(names || {}))); }, false); }

    /* -- ratings -- */
    function own(trait) { return state.own[trait] || 0; }
    function granted(trait) { return D.free[trait] || 0; }
    function total(trait) {
      var t = P.t[trait] || [], under = t[2], needs = t[3];
      if (!under && !needs && !t[9]) { return own(trait); }
      if (busy["total " + trait]) { return own(trait); }
      return once("total " + trait, function () {
        if (needs && !sure(needs)) { return 0; }
        return own(trait) + base(trait) + (under ? total(under) : 0);
      });
    }
    function base(trait) { /* what the rating begins at; own steps are above it */
      var f = P.t[trait] && P.t[trait][9];
      return f && !busy["base " + trait] ? once("base " + trait, function () { return figure(f); }) : 0;
    }
    function reached(trait) { return Math.max.apply(null, [own(trait)].concat(D.gone[trait] || [])); }
    function listed(trait, group) {
      var found = D.lim[trait], most = figure(group.most, { under: above(trait), free: granted(trait) });
      return found === undefined ? most : typeof found === "object" ? Math.min(found[0], most) : found;
    }
    function limitOf(trait) {
      if (state.named[trait]) { return state.named[trait].most; }
      var group = P.g[P.t[trait][0]];
      return group.most ? Math.max(listed(trait, group), D.pass[trait] ? D.pass[trait][0] : 0) : null;
    }
    function limit(trait) { var found = limitOf(trait); return found === null ? UNLIMITED : found; }
    function traitsOf(group) { return P.g[group].t.concat(state.rows[group] || []); }
    function nameOf(trait) { return P.t[trait] ? P.t[trait][1] : state.named[trait].name; }
    function stemOf(trait) { return P.t[trait] ? P.t[trait][0] + "." + trait : trait; }

    /* -- derived values and points -- */
    function derived(name) {
      return once("derived " + name, function () {
        var rule = P.d[name], value = 0;
        if (rule.v) { return rule.v(scope({})); }
        rule.over.forEach(function (group) {
          traitsOf(group).forEach(function (trait) {
            var n = own(trait), names = { n: n, free: Math.min(granted(trait), n), stars: D.st[trait] || 0,
              reached: reached(trait), limit: limit(trait), total: total(trait) }, add = rule.sum(scope(names));
            value = $.a(value, typeof add === "string" ? 0 : add);
          });
        });
        return value;
      });
    }
    function price(trait, n) {
      var group = P.g[P.t[trait] ? P.t[trait][0] : state.named[trait].group];
      var more = P.t[trait] && (P.t[trait][2] || P.t[trait][9]) ? total(trait) - own(trait) : 0;
      return figure(group.price, { n: n, limit: limit(trait), total: n + more, free: granted(trait), under: above(trait), offered: D.offered[trait] || 0 });
    }
    function above(trait) { var t = P.t[trait]; return t && t[7] ? total(t[7]) : 0; }
    function paid(trait) {
      var cost = 0, n, free = granted(trait), high = reached(trait);
      for (n = free + 1; n <= high; n++) { cost += price(trait, n); }
      again(trait, free).forEach(function (dot) { cost += price(trait, dot); });
      return cost;
    }
    function again(trait, free) { /* the steps that were bought more than once */
      var count = {}, high = reached(trait), n, more = [];
      (D.gone[trait] || []).forEach(function (dot) { count[dot] = (count[dot] || 0) + 1; });
      for (n = Math.min(free, 0) + 1; n <= own(trait); n++) { count[n] = (count[n] || 0) + 1; }
      for (n = 1; n <= free; n++) { count[n] = (count[n] || 0) - 1; }
      each(count, function (dot, times) {
        if (dot > free && dot <= high) { times -= 1; }
        for (; times > 0; times--) { more.push(Number(dot)); }
      });
      return more;
    }
    function early(work) { /* returns what `work` finds with the ratings before advances */
      var now = state.own, known = memo, was = state.was;
      if (!state.early) { return work(); }
      state.own = state.early; state.was = 0; memo = {};
      try { return work(); } finally { state.own = now; state.was = was; memo = known; }
    }
    function begun(pool) { /* what it starts with where a formula says it */
      var start = P.p[pool].start;
      return start && D.began[pool] ? early(function () { return figure(start); }) : 0;
    }
    function spent(pool) {
      return once("spent " + pool, function () {
        var cost = 0;
        early(function () {
          each(P.g, function (id, group) {
            if (group.price && group.pool === pool) { traitsOf(id).forEach(function (t) { cost += paid(t); }); }
          });
        });
        if (P.dice && P.dice.pool === pool) { cost += state.dice.cost; }
        if (P.adv && P.adv.pool === pool) { cost += state.bought; }
        return cost;
      });
    }
    function gained(pool) { return D.got[pool] + (state.got[pool] || 0) + begun(pool); }
    function left(pool) { return has(D.got, pool) ? gained(pool) - D.cost[pool] - spent(pool) - (state.paid[pool] || 0) : 0; }

    function bought(pool) { /* what the rows of its ledger follow from, as one text */
      var found = [spent(pool), begun(pool)];
      each(P.g, function (id, group) {
        var advanced = P.adv && P.adv.pool === pool && has(P.adv.groups, id);
        if (advanced || group.price && group.pool === pool) {
          traitsOf(id).forEach(function (t) { if (own(t)) { found.push(nameOf(t) + own(t) + "," + base(t)); } });
        }
      });
      return found.join();
    }

    /* -- reading the fields -- */
    function read(get, held, touched) {
      memo = {}; busy = {};
      state = { own: copied(D.own), n: copied(D.n), in_: copied(D.in_), named: {}, rows: {}, got: {}, paid: {},
                bad: [], says: [], odd: {}, links: {}, dice: { cost: 0 }, bought: 0, sync: {}, held: {}, early: null, was: D.was.length };
      each(D.named, function (stem, row) { name(stem, row[3], row[0], row[1], row[2]); });
      var before = printed();
      memo = {};
      each(P.links, function (trait, place) {
        var letter = trim(get(place)).toUpperCase();
        if (letter) { state.links[trait] = letter; }
      });
      numbers(get);
      each(P.g, function (id, group) { if (group.as) { ratings(get, id, group, before); } });
      if (P.adv) { advance(); }
      memo = {};
      each(P.k, function (key, k) { if (k && k.tracks.length && !alone(k)) { solve(get, key, k, held, touched); } });
      dice(get);
    }
    function marked(get, stem, count) {
      var n, found = 0;
      for (n = 1; n <= count; n++) { found += lit(get(stem + n)); }
      return found;
    }
    function printed() { /* the printed texts of ratings, before any field is read */
      var texts = {};
      each(P.t, function (trait, t) {
        var group = P.g[t[0]], n = own(trait), sum;
        if (group.as !== "text" || !t[8]) { return; }
        sum = total(trait);
        texts[trait] = t[8] === "own" ? (n && n !== sum ? plusCode(group, n) : "") : sum > 0 || group.form === "signed" ? wholeCode(group, sum) : "";
      });
      return texts;
    }
    function field(trait) { return P.t[trait][8]; }
    function plusCode(group, n) { var text = group.dice ? $.code(n, P.pips) : $.forms.number(n); return text.charAt(0) === "+" ? text : "+" + text; }
    function wholeCode(group, n) { return P.pips && group.dice ? $.code(n, true) : group.form ? $.forms[group.form](n) : String(n); }
    function ratings(get, id, group, before) {
      group.t.forEach(function (trait) {
        var text, n;
        if (!field(trait)) { return; }
        if (group.as === "boxes") {
          n = marked(get, id + "." + trait + ".", group.boxes);
          state.own[trait] = n === group.boxes ? n + (D.over[trait] || 0) : n;
          return;
        }
        text = trim(get(id + "." + trait + "." + field(trait)));
        if (text === before[trait]) { return; }
        n = text === "" ? 0 : rating(text, group);
        if (typeof n === "string") { unread(id + "." + trait + "." + field(trait), nameOf(trait), text, group.dice && P.pips && n); }
        else { state.own[trait] = n - (text && field(trait) === "total" ? base(trait) : 0); }
      });
      if (group.named) { namedRows(get, id, group); }
    }
    function namedRows(get, id, group) {
      var n, stem, title, row, boxes, there = (state.rows[id] || []).slice(group.named);
      state.rows[id] = [];
      for (n = 1; n <= group.named; n++) {
        stem = id + "." + n;
        title = trim(get(stem + ".name"));
        boxes = marked(get, stem + ".", group.open);
        row = D.named[stem];
        if (title || boxes) { name(stem, id, title, row && row[0] === title ? row[1] : group.open, boxes); }
      }
      state.rows[id] = state.rows[id].concat(there);
    }
    function name(stem, group, title, most, n) { /* a trait that the author named; its row is its id */
      state.named[stem] = { group: group, name: title, most: most };
      state.rows[group] = (state.rows[group] || []).concat([stem]);
      state.own[stem] = n;
    }
    function trim(text) { return String(text === undefined || text === null ? "" : text).replace(/^\s+|\s+$/g, ""); }
    function rating(text, group) { /* returns a rating as an author may write it, or what is wrong with it */
      var m, dice, more, plain = text.replace(/\u2212/g, "-"), odd = group.form === "die" ? "is no die, such as d8" : "is no code of dice, such as 3D+2";
      m = group.form === "die" && /^d(4|6|8|10|12)(?:\+([1-9]\d?))?$/i.exec(plain);
      if (m && (!m[2] || m[1] === "12")) { return Number(m[1]) / 2 - 1 + Number(m[2] || 0); }
      if (!group.dice) { return (group.form ? /^[+-]?\d{1,6}$/ : /^\+?\d{1,6}$/).test(plain) ? Number(plain) : odd; }
      m = /^([+-]?)\s*(\d{1,6})\s*([dD]?)(?:\s*\+\s*(\d))?$/.exec(plain);
      if (!m || m[1] === "-") { return odd; }
      dice = Number(m[2]); more = Number(m[4] || 0);
      if (!P.pips) { return m[4] === undefined ? dice : odd; }
      if (m[1] === "+" && !m[3] && m[4] === undefined) { return dice; }
      if (m[4] !== undefined && !m[3]) { return odd; }
      if (more >= 3) { return "has " + more + " pips, and 3 are a die: write " + $.code(dice * 3 + more, true); }
      return dice * 3 + more;
    }
    function unread(name, what, text, why) { /* why: the reason, for a code with pips */
      var message = "`" + what + "` has to be a " + (why ? "code of dice; `" + text + "` " + why : "whole number; `" + text + "` stands here");
      state.bad.push(name);
      say(P.c.type, "error", message, "", name);
    }
    function whole(get, name, what) {
      var text = trim(get(name)), n = text === "" ? 0 : integer(text);
      if (n === null) { unread(name, what, text); }
      return n || 0;
    }
    function integer(text) { text = text.replace(/\u2212/g, "-"); return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : null; }
    function numbers(get) {
      each(P.k, function (key, k) {
        var text, n;
        if (!k) { return; }
        if (k.field) {
          text = trim(get(key));
          if (text !== (D.shown[key] || "")) { state.n[key] = whole(get, key, k.label); }
        } else if (alone(k)) {
          n = marked(get, k.tracks[0][0] + ".box.", k.tracks[0][1]);
          state.n[key] = n + Math.max(0, (D.n[key] || 0) - k.tracks[0][1]); /* points beyond the printed track stay */
        }
      });
      each(P.s, function (key, entries) {
        var on = [];
        each(entries, function (entry) { if (lit(get(key + "." + entry))) { on.push(entry); } });
        if (on.length === 1) { state.in_[key] = on[0]; } else if (!on.length) { delete state.in_[key]; }
        else { say(P.c.type, "error", P.words.states[key] + ": " + on.length + " are marked; one of them holds", "unmark the others", key + "." + on[1]); }
      });
      each(P.p, function (pool, p) {
        var n, was = D.rows[pool] || [0, 0], add = -was[0], cost = -was[1];
        if (!p.rows) { return; }
        for (n = 1; n <= p.rows; n++) {
          add += whole(get, pool + ".ledger." + n + ".gained", p.label);
          cost += whole(get, pool + ".ledger." + n + ".cost", p.label);
        }
        state.got[pool] = add;
        if (p.adds && add) { state.n[p.adds] = (state.n[p.adds] || 0) + add; }
        if (!p.ruled) { state.paid[pool] = cost; } /* the rules compute the costs of other pools */
      });
    }
    function alone(k) { return !k.field && k.tracks.length === 1 && k.tracks[0][2]; }
    function solve(get, key, k, held, touched) { /* finds the number that the boxes of its tracks show */
      var counts = k.tracks.map(function (t) { return marked(get, t[0] + ".box.", t[1]); }), typed = state.n[key] || 0, which = -1, n;
      k.tracks.forEach(function (t, i) { if (touched === t[0]) { which = i; } });
      if (which >= 0) { n = found(key, k, counts, which, held ? held[key] || 0 : typed); }
      else if (k.field && (touched === key || !held && trim(get(key)) !== (D.shown[key] || ""))) { n = typed; }
      else if (held) { n = held[key] || 0; }
      else if (k.tracks.every(function (t, i) { return counts[i] === (D.ticked[t[0]] || 0); })) { n = typed; }
      else { n = found(key, k, counts, -1, typed); }
      state.held[key] = n;
      if (k.field) { state.sync[key] = n === (D.n[key] || 0) ? D.shown[key] || "" : String(n); }
      shownBy(key, k, n).forEach(function (c, i) { /* viewers that cannot mark them are told */
        var box = 1, track = k.tracks[i][0];
        if (c === counts[i]) { return; }
        for (; box <= k.tracks[i][1]; box++) { state.sync[track + ".box." + box] = box <= c; }
        say(P.c.type, "note", k.label + " is " + n + ": " + c + " boxes, not " + counts[i], "mark " + c + " boxes", track + ".box.1");
      });
    }
    function found(key, k, counts, which, near) { /* the best number for one of the tracks, or for all */
      var tried = [near], n = 0, most = near, best = near, least = Infinity;
      tried.push(counts.reduce(function (sum, c) { return sum + c; }, 0));
      k.tracks.forEach(function (t) { most += t[1]; });
      for (; n <= most; n++) { tried.push(n); }
      if (which >= 0) { tried.sort(function (a, b) { return Math.abs(a - near) - Math.abs(b - near); }); }
      tried.some(function (x) {
        var off = 0;
        shownBy(key, k, x).forEach(function (c, i) { if (which < 0 || which === i) { off += Math.abs(c - counts[i]); } });
        if (off < least) { least = off; best = x; }
        return !off;
      });
      return best;
    }
    function shownBy(key, k, n) { /* how many boxes of each track a number marks */
      state.n[key] = n; memo = {};
      return k.tracks.map(function (t) { return Math.max(0, Math.min(t[1], markedBy(P.tracks[t[0]].key))); });
    }
    function markedBy(key) {
      return key === null ? 0 : has(P.d, key) ? attempt(function () { return $.whole(derived(key)); }, 0) : state.n[key] || 0;
    }
    function lit(text) { return Boolean(text) && text !== "Off"; }

    /* -- advances, in the order of purchase: printed ones, then new ones -- */
    function advance() {
      var made = {}, steps = D.adv.slice(), order = [];
      each(P.adv.groups, function (group) { order = order.concat(P.g[group].t); });
      order.sort(function (a, b) { return Boolean(P.t[a][2]) - Boolean(P.t[b][2]) || P.t[a][4] - P.t[b][4]; });
      order.forEach(function (trait) {
        var more = own(trait) - (D.own[trait] || 0), i = steps.length - 1;
        for (; more > 0 && !P.g[P.t[trait][0]].price; more--) { steps.push([trait, 1]); }
        for (; more < 0 && i >= 0; i--) {
          if (steps[i][0] === trait) { steps.splice(i, 1); more += 1; }
        }
        made[trait] = more;
      });
      /* Steps of creation come first: those that have a price in another pool, and all that no advance raises. */
      each(D.base, function (trait, n) {
        state.own[trait] = n + (has(made, trait) ? made[trait] : own(trait) - (D.own[trait] || 0));
      });
      order.forEach(function (trait) { if (!has(D.base, trait)) { state.own[trait] = made[trait]; } });
      state.early = copied(state.own);
      state.was = 0;
      steps.forEach(function (step) { state.bought += buy(step); });
    }
    function buy(step) { /* [trait, new?], or [0, price, raised, id], or [0, [rating, trait added]] */
      var trait = step[0], t, cost, why;
      memo = {};
      if (!trait) {
        if (typeof step[1] === "number") {
          cost = has(P.adv.named, step[3]) ? figure(P.adv.named[step[3]]) : step[1];
          each(step[2], function (id, n) { state.own[id] = own(id) + n; });
        } else {
          cost = figure(P.adv.gear, { n: step[1][0], adds: step[1][1] ? total(step[1][1]) : 0 });
        }
        state.was += 1;
        return cost;
      }
      t = P.t[trait];
      cost = figure(P.adv.groups[t[0]], { n: own(trait) + 1, focus: D.focus[trait] || 0, total: total(trait) + 1, under: above(trait), offered: D.offered[trait] || 0 });
      why = t[3] && !sure(t[3]) ? "its requirement is not met" : t[6] && !sure(t[6]) ? "it cannot be raised now" : "";
      if (why && step[1]) {
        if (!state.odd[trait]) {
          say(P.c.advance, "error", nameOf(trait) + ": " + (t[5] || why), "", stemOf(trait) + "." + field(trait));
        }
        state.odd[trait] = true;
        return 0;
      }
      state.own[trait] = own(trait) + 1;
      return cost;
    }

    /* -- dice that are bought and upgraded along a ladder -- */
    function dice(get) {
      var rule = P.dice, n, faces = [], text, m, ladder, held;
      if (!rule) { return; }
      ladder = rule.ladder; held = D.dice.slice();
      for (n = 1; n <= rule.places; n++) {
        text = trim(get("dice." + n));
        m = /^[dD]?(\d{1,4})$/.exec(text);
        if (m && ladder.indexOf(Number(m[1])) >= 0) { faces.push(Number(m[1])); }
        else if (text) { noDie("dice." + n, text, ladder); }
      }
      faces = faces.concat(D.more).sort(function (a, b) { return b - a; });
      if (held.some(function (f, i) { return i >= faces.length || f > faces[i]; })) {
        text = held.map(function (f) { return "d" + f; }).join(", ");
        say(P.c.below, "error", text + " granted, but the dice named here leave some out", "name every die, granted ones too", "dice.1");
        return;
      }
      state.dice.cost = early(function () { return cheapest(faces, held, rule); });
    }
    function noDie(name, text, ladder) {
      state.bad.push(name);
      say(P.c.dice, "error", "`" + text + "` is not a die of these rules", "dice: d" + ladder.join(", d"), name);
    }
    function cheapest(wanted, held, rule) {
      var cost = 0;
      wanted.forEach(function (want, place) {
        var have = held[place] || 0, owned = Math.max(place + 1, held.length), first = rule.ladder[0], climbs;
        if (!have) { cost += figure(rule.buy, { count: owned, faces: first }); have = first; }
        climbs = rule.ladder.slice(0, rule.ladder.indexOf(want) + 1).filter(function (rung) { return rung > have; });
        cost += $.climb(climbs, owned, wanted.length, function (count, rung) { return figure(rule.upgrade, { count: count, faces: rung }); });
      });
      return cost;
    }

    /* -- findings, with the codes and messages of the checks -- */
    function say(code, severity, message, hint, at) {
      state.says.push({ code: code, severity: severity, message: message, hint: hint || "", at: at || "" });
    }
    function judge() {
      each(P.g, function (id, group) { if (group.as) { traitsOf(id).forEach(function (t) { judged(t, group); }); } });
      P.rules.forEach(function (rule) {
        if (sure(rule.require)) { return; }
        var message = attempt(function () { return filled(rule.message, scope({})); }, rule.plain);
        say(P.c.rule, rule.severity, message, rule.hint, rule.at);
      });
      each(P.tracks, function (id, t) {
        var most = figure(t.boxes), n = markedBy(t.key);
        if (!t.name || n <= most) { return; }
        say(P.c.above, "warning", t.name + " has " + most + (most === 1 ? " box; " : " boxes; ") + n + " are marked",
            most > 0 ? "mark " + most + " at most" : "mark none", t.key);
      });
      each(P.p, function (pool, p) {
        var short = -left(pool);
        if (!has(D.got, pool) || short <= (D.early[pool] || 0) || D.unsure[pool]) { return; }
        say(P.c.spent, "error", p.label + ": " + (gained(pool) + short) + " spent, " + gained(pool) + " to spend",
            "spend " + short + " less", pool + ".left");
      });
    }
    function judged(trait, group) {
      var most = limitOf(trait), n = own(trait), b = base(trait), name = nameOf(trait), at = stemOf(trait), of, hint;
      if (most !== null && n > most && !lifted(trait, group, n)) {
        of = group.by && !state.named[trait] && D.who[P.t[trait][0]] ? " for " + D.who[P.t[trait][0]] : "";
        hint = most || b ? "lower it to " + (most + b) + (state.named[trait] ? "" : lifting(trait, group)) : "take it out: " + name + " is closed" + of;
        say(P.c.above, "error", name + " is " + (n + b) + "; " + limitText(trait, group, of, most, b), hint, at);
      }
      if (!group.price) { return; }
      if (n < Math.min(granted(trait), 0) || reached(trait) < granted(trait)) {
        hint = fill(P.words.below, { least: granted(trait) + b, name: name });
        say(P.c.below, "error", name + " is " + (n + b) + ", below the " + (granted(trait) + b) + " that " + D.gives[trait], hint, at);
      }
      if ((D.st[trait] || 0) > Math.max(n, 0) && (n || granted(trait))) {
        say(P.c.stars, "error", name + " has more stars (" + D.st[trait] + ") than " + group.steps + " (" + n + ")", "remove stars: each replaces a " + group.step, at);
      }
    }
    function limitText(trait, group, of, most, b) {
      var least = (state.named[trait] ? most : listed(trait, group)) + b;
      most += b;
      return "the limit" + of + " is " + (least < most ? least + ", and " + D.pass[trait][1] + " raises it to " + most : most);
    }
    function lifted(trait, group, n) {
      var top;
      if (state.named[trait] || !group.lift || !$.q("has", group.lift) || listed(trait, group) < 1) { return false; }
      top = group.top ? figure(group.top) : 0;
      return !top || n <= top;
    }
    function lifting(trait, group) {
      return group.lift && !$.q("has", group.lift) && listed(trait, group) >= 1 && group.lifts ? ", or take " + group.lifts : "";
    }

    /* -- the texts of calculated places -- */
    function filled(parts, s) {
      var text = parts.map(function (p) { return typeof p === "string" ? p : $.shown(p(s)); }).join("");
      return text.indexOf("\u2013") < 0 ? text : text.replace(/\b(\d+)\u2013\1\b/g, "$1");
    }
    function how(parts, form) {
      var text = "";
      terms(parts, form).forEach(function (p, i) {
        var minus = p[0] === "-";
        text += i ? (minus ? " \u2212 " : " + ") + p[1] : (minus ? "\u2212" : "") + p[1];
      });
      return text || "0";
    }
    function figured(q, form) {
      if (q[1] === 0) { return form(modifiers(q[2]).reduce(function (sum, m) { return sum + m[1]; }, 0)); }
      return attempt(function () { var x = $.v(null, q[1]); return typeof x === "string" ? x : form(x); }, "?");
    }
    function terms(parts, form) {
      var found = [];
      parts.forEach(function (p) {
        if (p[1] === "n") { found.push([p[0], form(p[2])]); }
        else if (p[1] === "f") {
          found.push([p[0], p[2] + " " + attempt(function () { var x = p[3](scope({})); return typeof x === "string" ? x : form(x); }, "?")]);
        }
        else if (p[1] === "w") { found.push([p[0], p[2].map(function (q) { return typeof q === "string" ? q : q[0] + " " + figured(q, form); }).join("")]); }
        else if (p[1] === "v") {
          found.push([p[0], p[2] + " " + figured([0, p[3]], form)]);
        } else if (p[1] === "m") {
          modifiers(p[2]).forEach(function (m) { found.push([m[1] < 0 ? "-" : "+", m[0] + " " + form(Math.abs(m[1]))]); });
        } else {
          found = found.concat(attempt(function () { return terms($.t(p[2](scope({}))) ? p[3] : p[4], form); }, []));
        }
      });
      return found;
    }
    function show(out, get) {
      P.out.forEach(function (o) {
        var text = attempt(function () { return shown[o[1]](o, get); }, "");
        if (text !== null) { out[o[0]] = text; }
      });
    }
    function formOf(name) { return $.forms[P.d[name].as] || $.forms.number; }
    function roll(name, trait) {
      var found = [], t = trait && P.t[trait], names = trait ? { n: own(trait), under: above(trait) } : {};
      each(P.rolls[name].dice, function (die, f) { var n = figure(f, names); if (n > 0) { found.push([die, n]); } });
      return found;
    }
    var shown = {
      d: function (o) {
        var x = derived(o[2]), rule = P.d[o[2]];
        return (typeof x === "string" ? x : rule.as ? formOf(o[2])(x) : $.shown(x)) + rule.unit;
      },
      h: function (o) { derived(o[2]); return P.d[o[2]].how ? how(P.d[o[2]].how, (P.d[o[2]].as === "signed" || P.d[o[2]].as === "die") ? $.forms.fraction : formOf(o[2])) : ""; },
      t: function (o) { var n = total(o[2]); return n > 0 || P.g[P.t[o[2]][0]].form === "signed" ? (o[3] ? $.code(n, P.pips) : wholeCode(P.g[P.t[o[2]][0]], n)) : ""; },
      p: function (o) { return has(D.got, o[2]) ? String(left(o[2])).replace("-", "\u2212") : ""; },
      l: function (o, get) { return running(o[2], o[3], get); },
      x: function (o) { return filled(P.x[o[2]], scope({})); },
      c: function (o, get) { return cell(o, get); },
      o: function (o) { return beyond(o[2], o[3], o[4]); },
      s: function (o) {
        var found = "";
        each(P.tracks[o[2]].steps, function (name, box) { if (figure(box) === o[3]) { found = name; } });
        return found;
      },
      r: function (o) { return roll(o[2], o[3]).map(function (r) { return r[1] + " " + r[0].replace(/_/g, " "); }).join(", "); }
    };
    function running(pool, row, get) { /* returns "" if the row is empty */
      var n, sum = 0, got, cost, there = false;
      for (n = 1; n <= row; n++) {
        got = trim(get(pool + ".ledger." + n + ".gained")); cost = trim(get(pool + ".ledger." + n + ".cost"));
        there = got !== "" || cost !== "";
        sum += integer(got) - integer(cost);
      }
      return there ? String(sum).replace("-", "\u2212") : "";
    }
    function beyond(name, track, boxes) { /* what has no box on the sheet */
      var t, most, n, more, past;
      if (!track) { n = own(name) - boxes; return n > 0 ? "+" + n : ""; }
      t = P.tracks[name]; most = figure(t.boxes); n = markedBy(t.key);
      if (!boxes) { return n ? n + " of " + most + " marked" : ""; }
      more = Math.max(0, most - boxes); past = Math.max(0, n - boxes);
      return more && past ? "+" + more + " off track, " + past + " marked" : more ? "+" + more + " off track" : past ? past + " more marked" : "";
    }
    function cell(o, get) { /* a column of a row; null where the player fills it in */
      var list = P.lists[o[3]], column = list.cells[o[4]], item, names, numbers, trait;
      if (list.of) {
        trait = traitsOf(list.of).filter(own)[Number(o[2].replace(/^.*\./, "")) - 1];
        return trait ? trim(filled(column, scope({ name: nameOf(trait), own: own(trait), total: total(trait) }))) : "";
      }
      item = itemOf(o[2], o[3], list, trim(get(o[2] + "." + list.name)), get);
      if (!item) { return null; }
      names = copied(item.n); numbers = copied(item.n);
      numbers.dice = numbers.dice || 0; numbers.bonus = numbers.bonus || 0;
      each(item.t || {}, function (name, text) { names[name] = attempt(function () { return filled(P.tx[text], scope(numbers)); }, ""); });
      if (item.t && item.t.conditional) { names.note = [names.special, names.conditional].filter(Boolean).join("; "); }
      if (item.mods) {
        names.modifiers = item.mods.map(function (m) { return [m[0], amount(m[1])]; }).filter(function (m) { return m[1]; })
          .map(function (m) { return (m[1] > 0 ? "+" : "\u2212") + Math.abs(m[1]) + " " + m[0]; }).join(", ");
      }
      if (item.entry === undefined) {
        if (typeof names.attack !== "string" || !names.attack) { names.attack = item.skill ? total(item.skill) : ""; }
        if (typeof names.damage !== "string" || !names.damage) { names.damage = item.dice === null ? "" : item.dice + (item.adds ? total(item.adds) : 0); }
      }
      return trim(filled(column, scope(names)));
    }
    function itemOf(row, id, list, title, get) { /* what is in a row: a printed item, or one that the rules list */
      var found = null, better = null, n = 1, at = Number(row.slice(id.length + 1)), mine = D.items[row];
      if (!title) { return null; }
      each(D.items, function (other, item) {
        if (other.indexOf(id + ".") === 0 && item.shown === title) { found = item; better = item.up ? item : better; }
      });
      if (better) { /* of several alike, an advance improves the first */
        while (n < at && trim(get(id + "." + n + "." + list.name)) !== title) { n++; }
        if (n === at) { return better; }
      }
      if (mine && mine.shown === title && !mine.up) { return mine; }
      return has(list.known, folded(title)) ? list.known[folded(title)] : found;
    }
    function folded(text) { return text.toLowerCase().replace(/['\u2019\u2018`\u00b4.\u2026]/g, "").replace(/[\s!-\/:-@\[-`{-~\u2010-\u2015]+/g, " ").replace(/^ | $/g, ""); }

    /* held: the numbers in `held` of the last result; touched: the track or field that changed since */
    function run(get, held, touched) {
      var out = { values: {}, limits: {}, left: {}, bought: {}, own: {}, rolls: {}, tracks: {}, steps: {} };
      read(get, held, touched);
      judge();
      show(out.values, get);
      each(P.g, function (id, group) {
        if (!group.as) { return; }
        traitsOf(id).forEach(function (t) {
          var most = limitOf(t);
          out.own[stemOf(t)] = own(t);
          if (most !== null && !(group.lift && lifted(t, group, own(t) + 1))) { out.limits[stemOf(t)] = most; }
        });
      });
      state.bad.forEach(function (name) { out.own[name.replace(/\.\w+$/, "")] = null; });
      each(P.p, function (pool) { if (has(D.got, pool)) { out.left[pool] = left(pool); out.bought[pool] = bought(pool); } });
      each(P.rolls, function (id, r) {
        if (!r.each) { out.rolls[id] = roll(id, ""); } else { traitsOf(r.each).forEach(function (t) { out.rolls[r.each + "." + t] = roll(id, t); }); }
      });
      each(D.rolled, function (row, id) { if (has(out.rolls, id)) { out.rolls[row] = out.rolls[id]; } });
      each(P.tracks, function (id, t) {
        out.tracks[id] = [figure(t.boxes), markedBy(t.key)];
        out.steps[id] = [];
        each(t.steps, function (name, box) { out.steps[id].push(figure(box)); });
      });
      out.held = state.held;
      out.sync = state.sync;
      out.says = state.says;
      out.bad = state.bad;
      return out;
    }
    P = makeProgram($);
    run.outputs = P.out.map(function (o) { return o[0]; });
    run.hints = P.hints;
    run.fixed = P.fixed;
    run.named = {}; /* the computed cells of each row, by the field that names what is in it */
    P.out.forEach(function (o) {
      var name = o[1] === "c" && !P.lists[o[3]].of && o[2] + "." + P.lists[o[3]].name;
      if (name) { run.named[name] = (run.named[name] || []).concat([o[0]]); }
    });
    run.states = P.s;
    return run;
  }
  return live;
}(sheetgenFigures));
