/* Keeps the place of a print, and replaces the print by another one of the same styles and scripts. */
(() => {
  const report = (id) => parent.postMessage([scrollX, scrollY, id], "*");
  const [x, y] = window.name.split(" ").map(Number);
  const listen = EventTarget.prototype.addEventListener;
  let shown = new AbortController();
  // The listeners of a print end with it: its script runs again for the next one.
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const asked = typeof options === "object" ? options : { capture: Boolean(options) };
    listen.call(this, type, listener, { signal: shown.signal, ...asked });
  };
  listen.call(window, "DOMContentLoaded", () => {
    scrollTo({ left: x || 0, top: y || 0, behavior: "instant" });
    requestAnimationFrame(() => { report(); listen.call(window, "scroll", () => report(), { passive: true }); });
  });
  listen.call(window, "message", ({ source, data: [id, text] }) => {
    if (source !== parent) {
      return;
    }
    const next = new DOMParser().parseFromString(text, "text/html"); // runs nothing
    shown.abort();
    shown = new AbortController();
    document.documentElement.className = next.documentElement.className;
    document.title = next.title;
    for (const meta of document.head.querySelectorAll("meta[name]")) {
      meta.content = next.head.querySelector(`meta[name="${meta.name}"]`)?.content ?? "";
    }
    document.body.replaceWith(next.body);
    for (const old of document.body.querySelectorAll("script:not([type])")) {
      old.replaceWith(Object.assign(document.createElement("script"), { text: old.text }));
    }
    requestAnimationFrame(() => report(id));
  });
})();
