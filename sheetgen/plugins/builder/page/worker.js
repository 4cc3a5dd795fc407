// Runs the session: Python as WebAssembly, with sheetgen and its games unpacked into its memory.
const START = `
import json, sys
from pathlib import Path
sys.path.insert(0, "/app")
from sheetgen.plugins.builder.session import FormSession
session = FormSession(Path("/games"), tuple(json.loads(Path("/games/games.json").read_text())))
lambda request: json.dumps(session.answer(json.loads(request)), ensure_ascii=False)
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
  const python = await loadPyodide(options);
  postMessage({ progress: "Reading the rules …" });
  python.unpackArchive(await app, "zip", { extractDir: "/" });
  return python.runPython(START);
}

let ready = null;
onmessage = async ({ data }) => {
  if (data.files) {
    ready = start(data.files);
    return void ready.catch((error) => postMessage({ progress: `This browser cannot run the page: ${error.message || error}` }));
  }
  try {
    const answer = await ready;
    postMessage({ id: data.id, answer: answer(data.request) });
  } catch (error) {
    postMessage({ id: data.id, error: String(error.message || error).trim().split("\n").pop() });
  }
};
