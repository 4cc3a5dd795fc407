// Return what is wrong with the values of a page as it is laid out now: hidden, clipped, covered
// or torn ones, and fields that are too small for a thumb. The window must be as tall as the page.
// `touch`: whether fields must be large enough for a thumb.
(touch) => {
  const wrong = [];
  const say = (what, one, more = "") => wrong.push(`${what}: ${nameOf(one)}${more && " " + more}`);
  const nameOf = (one) => one.name || one.dataset.name || (one.parentElement || one).dataset.name
    || `${one.tagName.toLowerCase()}.${one.className} “${one.textContent.trim().slice(0, 30)}”`;
  const near = (a, b) => Math.abs(a - b) < 1.5;
  const boxOf = (one) => one.getBoundingClientRect();
  const meets = (a, b, spare = 1) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > spare
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > spare;

  if (document.scrollingElement.scrollWidth > window.innerWidth) {
    wrong.push(`page scrolls sideways: ${document.scrollingElement.scrollWidth} px`);
  }

  const plain = (text) => text.replace(/\s+/g, " ").trim();
  const continued = plain((document.querySelector(".moved") || { textContent: "" }).textContent);

  // Fields: all that hold a value, and empty ones that are shown.
  const fields = [...document.querySelectorAll("main :is(input, textarea)[name]")];
  const shown = fields.filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && boxOf(one).width > 0);
  const isBox = (one) => one.type === "checkbox";
  for (const one of fields) {
    if ((isBox(one) ? one.checked : one.value.trim()) && !shown.includes(one)) say("hidden", one);
  }
  const boxes = new Map(shown.map((one) => [one, boxOf(one)]));
  for (const [one, box] of boxes) {
    if (isBox(one) && one.classList.contains("f-dot")) continue; // beyond the end of a track
    if (!isBox(one)) {
      const on = !touch && continued.includes(plain(one.value)); // paper: cut at its place, and continued in full
      if (!on && one.scrollWidth > one.clientWidth + 1) say("clipped", one, `${one.scrollWidth} > ${one.clientWidth} wide: “${one.value}”`);
      if (!on && one.scrollHeight > one.clientHeight + 1 && one.tagName === "TEXTAREA") say("clipped", one, `${one.scrollHeight} > ${one.clientHeight} high: “${one.value.slice(0, 60)}”`);
    }
    const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (hit !== one) say("covered", one, hit ? `by ${nameOf(hit)}` : "by nothing");
    if (touch && Math.min(box.width, box.height) < 23.5) say("small", one, `${box.width.toFixed(1)} x ${box.height.toFixed(1)}`);
  }
  const order = [...boxes].sort((a, b) => a[1].top - b[1].top);
  order.forEach(([one, box], at) => {
    for (const [other, near_] of order.slice(at + 1)) {
      if (near_.top >= box.bottom) break;
      const skip = [one, other].some((each) => each.classList.contains("f-dot"));
      const joined = isBox(one) && isBox(other); // they share a line
      if (!skip && meets(box, near_, joined ? 4 : touch ? 1 : 3)) say("overlap", one, `and ${nameOf(other)}`);
    }
  });

  // Printed texts: in the page, not cut by an ancestor. Lists and tables of what continues are texts too.
  const left = 0, right = document.scrollingElement.clientWidth;
  const texts = document.querySelectorAll("main .place > span:not(.unseen), .moved :is(td, th, li, p, h2, h3)");
  for (const one of texts) {
    if (!one.textContent.trim()) continue;
    const mark = (one.parentElement.dataset || {}).name || "";
    if (/^(onward\.|continued|page\.|header\.stamp)/.test(mark) || /^(to_draw\.)/.test(mark)) continue;
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
      if (one.closest("thead") && one.closest("table").querySelector(`[data-head="${one.textContent}"]`)) continue; // each figure has its label
      say("hidden", one, `“${one.textContent.trim().slice(0, 40)}”`);
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(one);
    for (const rect of range.getClientRects()) {
      if (rect.width < 6) continue; // a space at the end of a line
      if (rect.left < left - 1 || rect.right > right + 1) { say("out of the page", one, `“${one.textContent.trim().slice(0, 40)}”`); break; }
      let cut = null;
      for (let at = one; at && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at), edge = boxOf(at);
        if (style.overflowX !== "visible" && (rect.left < edge.left - 1 || rect.right > edge.right + 1)) cut = at;
        if (style.overflowY !== "visible" && Math.max(edge.top - rect.top, rect.bottom - edge.bottom) > rect.height / 3) cut = at;
      }
      if (cut) { say("clipped", one, `“${one.textContent.trim().slice(0, 60)}”`); break; }
    }
  }

  // Rows: in one piece, and all that belongs to a row within it.
  for (const row of document.querySelectorAll("main :is(tr, li, .row, .slot, .field, .stat, .skill, .dots)")) {
    if (!row.checkVisibility() || row.closest("nav")) continue;
    if (row.getClientRects().length > 1) { say("torn", row, `in ${row.getClientRects().length}`); continue; }
    const edge = boxOf(row);
    if (!edge.height) continue;
    for (const part of row.querySelectorAll("input, textarea, .label, .words, [data-name] > span, .dee")) {
      if (part.closest("tr, li, .row, .slot, .field, .stat, .skill, .dots") !== row || !part.checkVisibility()) continue;
      if (part.classList.contains("f-dot")) continue;
      const box = boxOf(part);
      if (!box.width || !box.height) continue;
      const middle = (box.top + box.bottom) / 2;
      if (middle < edge.top - 2 || middle > edge.bottom + 2 || box.left < edge.left - 6 || box.right > edge.right + 6) {
        say("torn", part, `from ${nameOf(row)}`);
      }
    }
  }

  // Words: none on others, none on a box. A line's ink fills about the middle half of its height.
  const runs = [];
  const inked = (one, box) => runs.push([one, { left: box.left, right: box.right, top: box.top + box.height / 4, bottom: box.bottom - box.height / 4 }]);
  const pen = document.createElement("canvas").getContext("2d");
  for (const [one, box] of boxes) {
    if (isBox(one) || (one.tagName === "INPUT" && box.width < 32 && box.height < 32)) {
      const pad = isBox(one) && touch ? 3 : 0; // what a thumb may touch around a box
      if (!one.classList.contains("f-dot")) runs.push([one, { left: box.left + pad, right: box.right - pad, top: box.top + pad, bottom: box.bottom - pad }]);
      continue;
    }
    if (one.tagName !== "INPUT" || !one.value.trim()) continue;
    const style = getComputedStyle(one);
    const zoom = one.currentCSSZoom || 1;
    pen.font = `${style.fontWeight} ${parseFloat(style.fontSize) * zoom}px ${style.fontFamily}`;
    const width = Math.min(box.width, pen.measureText(one.value).width);
    const left = { right: box.right - width, end: box.right - width, center: (box.left + box.right - width) / 2 }[style.textAlign] ?? box.left;
    inked(one, { left, right: left + width, top: box.top + box.height / 4, bottom: box.bottom - box.height / 4, height: box.height / 2 });
  }
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const one = node.parentElement;
    if (!node.data.trim() || one.closest(".unseen, svg, textarea, dialog") || !one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) if (rect.width > 6) inked(one, rect);
  }
  for (const area of shown.filter((each) => each.tagName === "TEXTAREA" && each.value.trim() && each.classList.contains("grows"))) inked(area, boxes.get(area));
  runs.sort((a, b) => a[1].top - b[1].top);
  const blockOf = (one) => { while (getComputedStyle(one).display === "inline") one = one.parentElement; return one; };
  const isField = (one) => "value" in one;
  runs.forEach(([one, box], at) => {
    for (const [other, next] of runs.slice(at + 1)) {
      if (next.top >= box.bottom - 1) break;
      const apart = [one, other].some((each) => isField(each) || each.matches(".dee")) ? -2 : 1; // printed figures that touch read as one
      if (one === other || (isField(one) && isField(other))) continue; // their boxes were compared above
      if (Math.min(box.bottom, next.bottom) - next.top > 1 && Math.max(box.left, next.left) - Math.min(box.right, next.right) < apart
        && blockOf(one) !== blockOf(other)) say("words meet", one, `and ${nameOf(other)}`);
    }
  });

  // Lists: room to write on, as many rows as the sheet has, if it has fewer than two.
  for (const body of document.querySelectorAll("main tbody")) {
    const rows = [...body.rows].filter((row) => row.querySelector("input, textarea"));
    const free = rows.filter((row) => ![...row.querySelectorAll("input, textarea")].some((one) => (isBox(one) ? one.checked : one.value)));
    const seen = free.filter((row) => row.checkVisibility());
    if (seen.length < Math.min(2, free.length)) say("no free row", body.closest("section") || body, `${seen.length} of ${free.length}`);
  }
  return wrong;
}
