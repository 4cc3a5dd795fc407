// Runs the session: Python as WebAssembly, with sheetgen and its games unpacked into its memory.
const START = `
import json, os, sys
from pathlib import Path
for path in Path("/app").rglob("*.py"):
    os.utime(path, (1, 1))  # compiled modules that are kept name the time of their source
os.makedirs("/compiled", exist_ok=True)
sys.path.insert(0, "/app")
sys.pycache_prefix = "/compiled"
sys.dont_write_bytecode = False
from sheetgen.plugins.builder.session import FormSession
session = FormSession(Path("/games"))
lambda request: json.dumps(session.answer(json.loads(request)), ensure_ascii=False)
`;
// The browser keeps the compiled modules: Python compiles them at the first visit only.
const PACK = `
import shutil
shutil.make_archive("/kept", "zip", "/compiled")
`;
const TYPES = { wasm: "application/wasm", zip: "application/zip", json: "application/json" };

// The first message brings the files of a page that is one file; of a folder there are none. In one
// file the runtime's scripts are above this one.
async function start(files) {
  postMessage({ progress: "Starting Python …" });
  const options = { indexURL: "file:///", createPyodideModule: self.createPyodideModule };
  if (files["app.zip"]) {
    options.lockFileContents = new TextDecoder().decode(files["pyodide/pyodide-lock.json"]);
    self.fetch = async (address) => {
      const name = String(address.url ?? address).split("/").pop();
      return new Response(files[name] ?? files[`pyodide/${name}`], { headers: { "content-type": TYPES[name.split(".").pop()] ?? "text/plain" } });
    };
  } else {
    self.loadPyodide = (await import("./pyodide/pyodide.mjs")).loadPyodide;
    options.indexURL = new URL("pyodide/", location.href).href;
  }
  const app = fetch("app.zip").then((answer) => answer.arrayBuffer());
  const compiled = app.then(findCompiled).catch(() => ({})); // without an address of its own a page keeps nothing
  const python = await loadPyodide(options);
  postMessage({ progress: "Reading the rules …" });
  python.unpackArchive(await app, "zip", { extractDir: "/" });
  const { kept, keep } = await compiled;
  if (kept) python.unpackArchive(await kept.arrayBuffer(), "zip", { extractDir: "/compiled" });
  const answer = python.runPython(START);
  afterPrint = kept ? null : () => keep?.(python.FS.readFile(python.runPython(PACK)));
  return answer;
}

// What is compiled of one app.zip serves for no other.
async function findCompiled(app) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", app));
  const address = `compiled-${[...digest].map((one) => one.toString(16).padStart(2, "0")).join("")}.zip`;
  const ours = `sheetgen-${new URL(".", location.href).pathname}-`;
  const keep = async (content) => {
    const name = (await caches.keys()).filter((one) => one.startsWith(ours)).pop();
    if (name) (await caches.open(name)).put(address, new Response(content));
  };
  return { kept: await caches.match(address), keep };
}

let afterPrint = null;
let ready = null;
onmessage = async ({ data }) => {
  if (data.files) {
    ready = start(data.files);
    return void ready.catch((error) => postMessage({ progress: `This browser cannot run the page: ${error.message || error}` }));
  }
  try {
    const answer = await ready;
    postMessage({ id: data.id, answer: answer(data.request) });
    if (afterPrint && data.request.startsWith('{"do":"print"')) {
      setTimeout(afterPrint, 1000);
      afterPrint = null;
    }
  } catch (error) {
    postMessage({ id: data.id, error: String(error.message || error).trim().split("\n").pop() });
  }
};
