(() => {
  const report = () => parent.postMessage([scrollX, scrollY], "*");
  const [x, y] = window.name.split(" ").map(Number);
  addEventListener("DOMContentLoaded", () => {
    scrollTo({ left: x || 0, top: y || 0, behavior: "instant" });
    requestAnimationFrame(() => { report(); addEventListener("scroll", report, { passive: true }); });
  });
})();
