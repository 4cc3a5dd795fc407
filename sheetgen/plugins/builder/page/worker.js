// Runs the session: Python as WebAssembly, with sheetgen and its games unpacked into its memory.
const START = `
import json, os, sys
from pathlib import Path
sys.path.insert(0, "/app")
os.environ["XDG_CACHE_HOME"] = "/cache"
from sheetgen.load.cache import STAMPS
from sheetgen.plugins.builder.session import FormSession
STAMPS.update(json.loads(Path("/app/stamps.json").read_text()))
session = FormSession(Path("/games"))
answer = lambda request: json.dumps(session.answer(json.loads(request)), ensure_ascii=False)
`;
const TYPES = { wasm: "application/wasm", zip: "application/zip", json: "application/json" };

// The first message brings the files of a page that is one file; of a folder there are none. In one
// file the runtime's scripts are above this one.
async function start(files) {
  postMessage({ progress: "Starting Python …" });
  const options = { indexURL: "file:///", createPyodideModule: self.createPyodideModule };
  if (files["app.bin"]) {
    options.lockFileContents = new TextDecoder().decode(files["pyodide/pyodide-lock.json"]);
    self.fetch = async (address) => {
      const name = String(address.url ?? address).split("/").pop();
      return new Response(files[name] ?? files[`pyodide/${name}`], { headers: { "content-type": TYPES[name.split(".").pop()] ?? "text/plain" } });
    };
  } else {
    self.loadPyodide = (await import("./pyodide/pyodide.mjs")).loadPyodide;
    options.indexURL = new URL("pyodide/", location.href).href;
  }
  const app = fetch("app.bin").then((answer) => new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const kept = await findSnapshot();
  try {
    if (kept) return await restore(options, kept, app);
  } catch {
    forget();
  }
  const python = await loadPyodide({ ...options, _makeSnapshot: Boolean(cache) });
  postMessage({ progress: "Reading the rules …" });
  unpack(python.FS, await app);
  python.runPython(START);
  keep = cache && (() => python.makeMemorySnapshot());
  return python.globals.get("answer");
}

// Write the files of a zip that is not compressed.
function unpack(FS, archive) {
  const [view, words] = [new DataView(archive), new TextDecoder()];
  for (let at = 0; view.getUint32(at, true) === 0x04034b50;) {
    const [size, name, extra] = [view.getUint32(at + 22, true), view.getUint16(at + 26, true), view.getUint16(at + 28, true)];
    const path = `/${words.decode(new Uint8Array(archive, at + 30, name))}`;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    at += 30 + name + extra;
    FS.writeFile(path, new Uint8Array(archive, at, size), { canOwn: true });
    at += size;
  }
}

// The browser keeps a memory snapshot of Python after the first start, with what it has imported
// and read: the next visit begins with it. It is taken before there is anything in it that a person
// wrote. One version of the page does not use what another kept.
let cache = null; // none where a page has no address of its own
let keep = null; // returns the snapshot, until it has been kept
const SNAPSHOT = "snapshot";
const forget = () => cache?.delete(SNAPSHOT);

async function findSnapshot() {
  try {
    cache = await caches.open(`sheetgen-${new URL(".", location.href).pathname}-@version@`);
    return await cache.match(SNAPSHOT);
  } catch {
    return null;
  }
}

async function restore(options, kept, app) {
  const memory = new Uint8Array(await kept.arrayBuffer());
  const create = options.createPyodideModule ?? (await import("./pyodide/pyodide.asm.mjs")).default;
  const createPyodideModule = async (settings) => {
    const module = await create(settings);
    module.growMemory(memory.length); // the runtime does not: it begins with less
    return module;
  };
  const python = await loadPyodide({ ...options, createPyodideModule, _loadSnapshot: memory });
  unpack(python.FS, await app);
  const answer = python.globals.get("answer");
  answer("{}");
  return answer;
}

// Put the memory snapshot into the browser's cache, once.
function store() {
  if (!keep) return;
  const memory = keep();
  keep = null;
  setTimeout(() => cache.put(SNAPSHOT, new Response(memory)).catch(forget), 1000);
}

const NEUTRAL = ["new", "open", "options", "offers", "print"]; // of an empty file they tell nothing
let blank = "";
let ready = null;
onmessage = async ({ data }) => {
  if (data.files) {
    ready = start(data.files);
    return void ready.catch((error) => postMessage({ progress: `This browser cannot run the page: ${error.message || error}` }));
  }
  const { id, request } = data;
  try {
    const answer = await ready;
    if (!(NEUTRAL.includes(request.do) && (request.text ?? blank) === blank)) store();
    const told = answer(JSON.stringify(request));
    if (request.do === "new") blank = JSON.parse(told).text;
    postMessage({ id, answer: told });
    if (request.do === "print") setTimeout(store, 1000); // who leaves without a change comes back sooner, too
  } catch (error) {
    if (!error.type) forget(); // not Python's: its memory may be at fault
    postMessage({ id, error: String(error.message || error).trim().split("\n").pop() });
  }
};
