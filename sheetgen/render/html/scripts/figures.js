/* Exact arithmetic for formulas, equal to sheetgen/rules/formulas/evaluate.py: integers, and
   fractions {n, d} in lowest terms with d > 1. Numerators and denominators stay below 2^26, so
   that no product is rounded. ECMAScript 5, for old viewers. */
var sheetgenFigures = (function () {
  "use strict";
  var MOST = 1e12, PART = 67108864, WHOLE = 9007199254740992;

  function wrong(message) { throw { wrong: message }; }

  function counted(x) {
    if (typeof x === "boolean") { return x ? 1 : 0; }
    if (typeof x === "string" || x === undefined || x === null) { wrong("not a number"); }
    return x;
  }
  function top(x) { return typeof x === "number" ? x : x.n; }
  function below(x) { return typeof x === "number" ? 1 : x.d; }
  function divisor(a, b) {
    var c;
    a = Math.abs(a);
    while (b) { c = a % b; a = b; b = c; }
    return a || 1;
  }
  function made(n, d) {
    if (d < 0) { n = -n; d = -d; }
    if (Math.abs(n) > WHOLE) { wrong("this grows beyond bounds"); }
    var g = divisor(n, d);
    return bounded(n / g, d / g);
  }
  function bounded(n, d) {
    if (Math.abs(n) > MOST * d) { wrong("this grows beyond bounds"); }
    if (d === 1) { return n === 0 ? 0 : n; }
    if (Math.abs(n) > PART || d > PART) { wrong("this fraction grows beyond bounds"); }
    return { n: n, d: d };
  }
  function plus(a, b) {
    a = counted(a); b = counted(b);
    return made(top(a) * below(b) + top(b) * below(a), below(a) * below(b));
  }
  function minus(a) {
    a = counted(a);
    return typeof a === "number" ? 0 - a : { n: -a.n, d: a.d };
  }
  function times(a, b) {
    a = counted(a); b = counted(b);
    var g = divisor(top(a), below(b)), h = divisor(top(b), below(a));
    return bounded((top(a) / g) * (top(b) / h), (below(a) / h) * (below(b) / g));
  }
  function over(a, b) {
    b = counted(b);
    var n = top(b), d = below(b);
    if (n === 0) { wrong("this divides by nothing"); }
    if (n < 0) { n = -n; d = -d; }
    return times(a, n === 1 ? d : { n: d, d: n });
  }
  function floor(a) { a = counted(a); return Math.floor(top(a) / below(a)); }
  function fit(a, b) {
    a = counted(a); b = counted(b);
    if (typeof a === "number" && typeof b === "number") {
      if (b === 0) { wrong("this divides by nothing"); }
      return Math.floor(a / b) + 0;
    }
    return floor(over(a, b));
  }
  function rest(a, b) { /* over a common denominator: `b` times the quotient may be beyond bounds */
    fit(a, b); a = counted(a); b = counted(b);
    var wide = top(b) * below(a);
    return made(left((typeof a === "number" ? left(a, wide) : a.n) * below(b), wide), below(a) * below(b));
  }
  function left(a, b) { return a - b * Math.floor(a / b); }
  function order(a, b) {
    a = counted(a); b = counted(b);
    var left = top(a) * below(b), right = top(b) * below(a);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  function same(a, b) {
    if (typeof a === "string" || typeof b === "string") { return a === b; }
    return order(a, b) === 0;
  }
  function compared(operator, a, b) {
    if (operator === "==") { return same(a, b); }
    if (operator === "!=") { return !same(a, b); }
    if (typeof a === "string" || typeof b === "string") { wrong("words are only the same or not"); }
    var way = order(a, b);
    return operator === "<" ? way < 0 : operator === "<=" ? way <= 0 : operator === ">" ? way > 0 : way >= 0;
  }
  function chain(first, rest) { /* 1 <= n <= 5: later parts are evaluated only if they are reached */
    var i, right;
    for (i = 0; i < rest.length; i += 2) {
      right = rest[i + 1]();
      if (!compared(rest[i], first, right)) { return false; }
      first = right;
    }
    return true;
  }
  function holds(x) {
    if (x === undefined || x === null) { wrong("nothing"); }
    return typeof x === "object" ? true : Boolean(x);
  }
  function lookup(values, cell) { /* the first value finds a row, the next one a row below it */
    var i, n, want, at, below;
    for (i = 0; i < values.length && cell.k; i++) {
      want = values[i]; at = -1;
      if (cell.m !== 2) { want = counted(want); } else if (typeof want === "boolean") { want = want ? "yes" : "no"; }
      for (n = 0; n < cell.k.length; n++) {
        if (cell.m ? same(cell.k[n], want) : order(cell.k[n], want) <= 0) { at = n; }
      }
      below = at < 0 || cell.c[at] === null ? cell.o : cell.c[at];
      if (below === null) { wrong("there is no such row"); }
      cell = below;
    }
    if (cell.k) { wrong("takes more values"); }
    return cell;
  }
  function furthest(values, way) {
    var i, best = values[0];
    if (!values.length) { wrong("takes other arguments"); }
    counted(best);
    for (i = 1; i < values.length; i++) { if (order(values[i], best) === way) { best = values[i]; } }
    return best;
  }
  function sum(values) {
    var i, total = 0;
    if (!values.length) { wrong("takes other arguments"); }
    for (i = 0; i < values.length; i++) { total = plus(total, values[i]); }
    return total;
  }
  function one(values) {
    if (values.length !== 1) { wrong("takes one value"); }
    counted(values[0]);
    return values[0];
  }
  function whole(x) {
    if (typeof x === "boolean") { return x ? 1 : 0; }
    if (typeof x !== "number") { wrong("this has to be a whole number"); }
    return x;
  }

  /* -- formatting -- */
  function sign(text) { return text.replace("-", "\u2212"); }
  function halfUp(x, by, to) { /* x * by / to, halves rounded up */
    var n = top(x) * by, d = below(x) * (to || 1);
    return Math.floor((2 * n + d) / (2 * d));
  }
  function code(value, pips) {
    if (!pips) { return sign(value + "D"); }
    var size = Math.abs(value), dice = Math.floor(size / 3), more = size % 3, text;
    text = (dice || !more ? dice + "D" : "") + (more ? "+" + more : "");
    return value < 0 ? "\u2212" + text.replace(/^\+/, "") : text;
  }
  function die(step) {
    return step > 0 ? "d" + (2 * Math.min(step, 5) + 2) + (step > 5 ? "+" + (step - 5) : "") : "\u2013";
  }
  function pool(values) { /* counts of dice, each with their faces, and what is added */
    var i, faces, order = [], counts = {}, more = 0, text = "";
    if (!values.length) { wrong("takes whole numbers"); }
    for (i = 0; i < values.length; i++) { if (typeof counted(values[i]) === "object") { wrong("takes whole numbers"); } }
    for (i = 0; i + 1 < values.length; i += 2) {
      faces = counted(values[i + 1]);
      if (counts[faces] === undefined) { counts[faces] = 0; order.push(faces); }
      counts[faces] += counted(values[i]);
    }
    order.forEach(function (f) { if (counts[f] > 0 && f > 0) { text += "+" + counts[f] + "d" + f; } });
    if (values.length % 2) { more = counted(values[values.length - 1]); }
    if (more || !text) { text += forms.signed(more); }
    return text.replace(/^\+/, "");
  }
  function towardsZero(x) { return Math.floor(Math.abs(top(x)) / below(x)) * (top(x) < 0 ? -1 : 1); }
  function tenths(n) { return Math.floor(n / 10) + "." + (n - 10 * Math.floor(n / 10)); }
  var glyphs = { "1/2": "\u00bd", "1/3": "\u2153", "2/3": "\u2154", "1/4": "\u00bc", "3/4": "\u00be", "1/5": "\u2155",
                 "2/5": "\u2156", "3/5": "\u2157", "4/5": "\u2158", "1/6": "\u2159", "5/6": "\u215a", "1/8": "\u215b",
                 "3/8": "\u215c", "5/8": "\u215d", "7/8": "\u215e" };
  var forms = {
    number: function (x) {
      return sign(typeof x === "object" ? x.n + "/" + x.d : String(whole(x)));
    },
    percent: function (x) { return halfUp(counted(x), 100) + "%"; },
    days: function (x) {
      var t;
      x = counted(x);
      if (order(x, 1) < 0) { return halfUp(x, 24) + "h"; }
      t = halfUp(x, 10);
      return t % 10 ? tenths(t) : String(Math.floor(t / 10));
    },
    short: function (x) {
      var i, t, sizes = [["b", 1e9], ["m", 1e6], ["k", 1e3]];
      x = counted(x);
      for (i = 0; i < 3; i++) {
        if (order(x, sizes[i][1]) >= 0) {
          t = halfUp(x, 10, sizes[i][1]);
          return (t < 100 && t % 10 ? tenths(t) : halfUp(x, 1, sizes[i][1])) + sizes[i][0];
        }
      }
      return forms.number(x);
    },
    fraction: function (x) {
      var size, whole, rest, glyph;
      x = counted(x);
      if (typeof x === "number") { return forms.number(x); }
      size = Math.abs(x.n); whole = Math.floor(size / x.d); rest = size - whole * x.d;
      glyph = x.d < 9 && glyphs[rest + "/" + x.d];
      return glyph ? (x.n < 0 ? "\u2212" : "") + (whole || "") + glyph : forms.number(x);
    },
    signed: function (x) {
      x = counted(x);
      return order(x, 0) < 0 ? "\u2212" + forms.fraction(minus(x)) : "+" + forms.fraction(x);
    },
    die: function (x) { return die(towardsZero(counted(x))); },
    code: function (x) { return code(towardsZero(counted(x)), true); },
    dice: function (x) { return code(towardsZero(counted(x)), false); }
  };
  function shown(x) {
    if (typeof x === "boolean") { return x ? "yes" : "no"; }
    return typeof x === "string" ? x : forms.number(x);
  }
  function share(x) { return tenths(halfUp(counted(x), 1000)) + "%"; }
  function written(write) { /* words that a player wrote in place of a number stay */
    return function (v) { return v.length === 1 && typeof v[0] === "string" ? v[0] : write(one(v)); };
  }
  function climb(rungs, owned, most, price) { /* the least sum; the count can only grow on the way */
    var best = {}, i, count, least, here;
    for (count = owned; count <= most; count++) { best[count] = 0; }
    for (i = rungs.length - 1; i >= 0; i--) {
      least = null;
      for (count = most; count >= owned; count--) {
        here = price(count, rungs[i]) + best[count];
        least = least === null ? here : Math.min(least, here);
        best[count] = least;
      }
    }
    return best[owned];
  }
  return {
    a: plus, s: function (a, b) { return plus(a, minus(b)); }, m: times, d: over, f: fit, r: rest, g: minus,
    t: holds, c: compared, h: chain, l: lookup,
    mn: function (v) { return furthest(v, -1); }, mx: function (v) { return furthest(v, 1); }, sm: sum,
    fi: function (v) { if (!v.length) { wrong("takes other arguments"); } v.forEach(function (x) { counted(x); }); return v[0]; },
    ab: function (v) { var x = one(v); return order(x, 0) < 0 ? minus(x) : x; },
    fl: function (v) { return floor(one(v)); },
    ce: function (v) { return 0 - floor(minus(one(v))); },
    cd: written(function (x) {
      if (typeof x === "object") { wrong("takes a whole number"); }
      return code(counted(x), true);
    }),
    sg: written(forms.signed), fr: written(forms.fraction), ds: pool,
    sd: written(function (x) { x = counted(x); if (typeof x === "object") { wrong("takes a whole number"); } return die(x); }),
    pc: written(share), climb: climb,
    wrong: wrong, whole: whole, code: code, forms: forms, shown: shown
  };
}());
