// Return the pairs of texts whose letters overlap, each with the size of the overlap in pixels.
// A letter's box is that of its capitals, since rows stand closer than lines of type are high.
() => {
  const pen = document.createElement("canvas").getContext("2d");
  const found = [];
  const add = (one, left, top, right, bottom, text) => {
    if (right - left > 1 && bottom - top > 1) found.push({ one, left, top, right, bottom, text });
  };
  // What scrolls or hides its content shows no letter beyond its edges.
  const cut = (one, box) => {
    let { left, top, right, bottom } = box;
    for (let at = one; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const edge = at.getBoundingClientRect();
      left = Math.max(left, edge.left); right = Math.min(right, edge.right);
      top = Math.max(top, edge.top); bottom = Math.min(bottom, edge.bottom);
    }
    return { left, top, right, bottom };
  };
  const letters = (box, size) => {
    const spare = Math.max(0, (box.bottom - box.top - size * .72) / 2);
    return [box.left, box.top + spare, box.right, box.bottom - spare];
  };
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const one = node.parentElement, style = getComputedStyle(one);
    if (!node.textContent.trim() || one.closest(".unseen, textarea, script, style")) continue;
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    const size = parseFloat(style.fontSize) * one.currentCSSZoom;
    for (const rect of range.getClientRects()) {
      add(one, ...letters(cut(one, rect), size), node.textContent.trim());
    }
  }
  for (const one of document.querySelectorAll("main :is(input[type=text], textarea)")) {
    if (!one.value.trim() || !one.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(one), zoom = one.currentCSSZoom;
    const box = one.getBoundingClientRect();
    const size = parseFloat(style.fontSize) * zoom;
    const edges = (side) => [style[`padding-${side}`], style[`border-${side}-width`]];
    const pad = (side) => edges(side).reduce((sum, edge) => sum + parseFloat(edge), 0) * zoom;
    const inner = {
      left: box.left + pad("left"), right: box.right - pad("right"),
      top: box.top + pad("top"), bottom: box.bottom - pad("bottom"),
    };
    pen.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
    const lead = (parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize)) * zoom;
    if (one.tagName === "TEXTAREA") {
      const spare = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
      const tall = (one.scrollHeight - spare) * zoom;
      const rows = Math.max(1, Math.round(tall / lead));
      for (let row = 0; row < rows; row += 1) {
        const top = inner.top + row * lead;
        const rect = { left: inner.left, right: inner.right, top, bottom: top + lead };
        add(one, ...letters(cut(one, rect), size), one.value);
      }
      continue;
    }
    const wide = Math.min(pen.measureText(one.value).width, inner.right - inner.left);
    const free = inner.right - inner.left - wide;
    const from = inner.left + ({ right: free, end: free, center: free / 2 }[style.textAlign] || 0);
    const rect = { left: from, right: from + wide, top: inner.top, bottom: inner.bottom };
    add(one, ...letters(rect, size), one.value);
  }
  const hurt = [];
  found.sort((a, b) => a.top - b.top);
  found.forEach((a, at) => {
    for (const b of found.slice(at + 1)) {
      if (b.top > a.bottom) break;
      if (a.one === b.one || a.one.contains(b.one) || b.one.contains(a.one)) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - b.top;
      if (wide <= 1 || high <= 1) continue;
      const size = `${Math.round(wide)} x ${Math.round(high)}`;
      hurt.push(`${a.text.slice(0, 40)} | ${b.text.slice(0, 40)}: ${size}`);
    }
  });
  return hurt;
}
