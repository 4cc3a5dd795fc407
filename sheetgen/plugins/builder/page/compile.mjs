// Run by Node.js when a page is written: starts the runtime as a first visit does, and compiles what
// it imports. The page's files come in as a zip, the compiled modules go out as one.
import { buffer } from "node:stream/consumers";

const [address, folder, game] = process.argv.slice(1);
const { loadPyodide } = await import(address);
// Without columns for tracebacks modules are smaller; a seed makes sets of constants reproducible.
const env = { HOME: "/home", PYTHONNODEBUGRANGES: "1", PYTHONHASHSEED: "0" };
const python = await loadPyodide({ indexURL: folder, env, stdout: console.error });
python.unpackArchive(new Uint8Array(await buffer(process.stdin)), "zip", { extractDir: "/" });
python.globals.set("game", game);
python.runPython(`
import json, marshal, sys, zipfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path
sys.path.insert(0, "/app")
from sheetgen.plugins.builder.session import FormSession
session = FormSession(Path("/games"))
text = session.answer({"do": "new", "game": game})["text"]
for printed in ({"format": "html", "still": True}, {"format": "pdf"}):
    session.answer({"do": "print", "text": text, **printed})
loaders = {}
for module in sys.modules.values():
    path, loader = str(getattr(module, "__file__", "")), getattr(module, "__loader__", None)
    if path.endswith(".py") and hasattr(loader, "get_data"):  # frozen modules have no source
        loaders[path] = loader
with zipfile.ZipFile("/compiled.zip", "w") as made:
    for path, loader in loaders.items():
        code = compile(loader.get_data(path), path, "exec", dont_inherit=True, optimize=2)
        made.writestr(path.split(".zip/")[-1].lstrip("/"), MAGIC_NUMBER + bytes([1] + [0] * 11) + marshal.dumps(code))
`);
process.stdout.write(python.FS.readFile("/compiled.zip"));
