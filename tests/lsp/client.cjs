// A client of the language server, made of the library that VS Code is made of.
// It reads requests from stdin and answers on stdout, one JSON a line:
//   {"request": METHOD, "params": …}       the server's answer
//   {"notify": METHOD, "params": …}        null
//   {"diagnostics": URI, "version": N}     what was published last, once it is for version N
//   {"published": true}                    what was published last, by address
// Its arguments are the modules' folder and the server's command.
"use strict";
const { spawn } = require("node:child_process");
const readline = require("node:readline");
const [modules, command, ...args] = process.argv.slice(2);
const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } =
  require(`${modules}/vscode-languageserver-protocol/lib/node/main.js`);

const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const connection = createProtocolConnection(
  new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
const published = new Map();
let waiting = null;

function answer(result) { process.stdout.write(JSON.stringify(result ?? null) + "\n"); }

function answerWaiting() {
  const found = waiting && published.get(waiting.diagnostics);
  if (found && (waiting.version === undefined || found.version >= waiting.version)) {
    waiting = null;
    answer(found.diagnostics);
  }
}

connection.onNotification("textDocument/publishDiagnostics", (params) => {
  published.set(params.uri, params);
  answerWaiting();
});
connection.onRequest("client/registerCapability", () => null);
connection.onNotification("window/showMessage", (params) => { console.error(params.message); });
connection.listen();

server.on("exit", (code) => { if (code) console.error(`the server ended with ${code}`); });

readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  const asked = JSON.parse(line);
  const params = asked.params ? [asked.params] : [];
  if (asked.request) {
    try {
      answer(await connection.sendRequest(asked.request, ...params));
    } catch (error) {
      answer({ error: String(error) });
    }
  } else if (asked.notify) {
    await connection.sendNotification(asked.notify, ...params);
    answer(null);
  } else if (asked.published) {
    answer(Object.fromEntries([...published].map(([uri, one]) => [uri, one.diagnostics])));
  } else {
    waiting = asked;
    setTimeout(() => { if (waiting === asked) answer({ error: "no diagnostics" }); }, 60000);
    answerWaiting();
  }
}).on("close", () => { server.kill(); process.exit(); });
