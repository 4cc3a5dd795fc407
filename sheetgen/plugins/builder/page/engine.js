// How the page reaches the session: in a worker, which runs Python in this browser.
export const local = false;

export function connect(progress) {
  const waiting = new Map();
  let last = 0;
  const answered = ({ data }) => {
    if (data.progress) return progress(data.progress);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error));
    else resolve(JSON.parse(data.answer));
  };
  const worker = startWorker(answered, progress);
  return (request) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    const id = last;
    worker.then((one) => one.postMessage({ id, request }), reject);
  });
}

async function startWorker(answered, progress) {
  // A page in one file carries all others as text; nothing is fetched then.
  const packed = [...document.querySelectorAll("script[data-file]")];
  const files = Object.fromEntries(await Promise.all(packed.map(async (one) => [one.dataset.file, await unpack(one)])));
  const own = packed.length && URL.createObjectURL(new Blob([files["worker.js"]], { type: "text/javascript" }));
  const worker = own ? new Worker(own) : new Worker("worker.js", { type: "module" });
  worker.onerror = (event) => progress(`This browser cannot start the page: ${event.message ?? "no worker"}`);
  worker.onmessage = answered;
  worker.postMessage({ files });
  return worker;
}

async function unpack(script) {
  const bytes = Uint8Array.from(atob(script.textContent), (letter) => letter.charCodeAt(0));
  script.remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

if ("serviceWorker" in navigator && location.protocol !== "file:") navigator.serviceWorker.register("offline.js").catch(() => {});
