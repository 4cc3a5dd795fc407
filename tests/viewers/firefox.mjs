// Open an address in Firefox by WebDriver BiDi, call a function in the page, print what it returns.
// Usage: node firefox.mjs PROGRAM PROFILE ADDRESS FUNCTION
import { spawn } from "node:child_process";
import WebSocket from "ws";

const [program, profile, address, code] = process.argv.slice(2);
const firefox = spawn(program, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], {
  env: { ...process.env, HOME: profile },
  stdio: ["ignore", "ignore", "pipe"],
});
process.on("exit", () => firefox.kill());
const said = [];
const socket = await new Promise((found, lost) => {
  firefox.stderr.on("data", (text) => {
    said.push(String(text));
    const at = said.join("").match(/listening on (ws:\S+)/);
    if (at) found(new WebSocket(`${at[1]}/session`, { maxPayload: 2 ** 28 }));
  });
  firefox.on("exit", () => lost(new Error(said.join(""))));
});
await new Promise((opened) => socket.once("open", opened));

let last = 0;
const waiting = new Map(), errors = [];
socket.on("message", (text) => {
  const answer = JSON.parse(text);
  if (answer.method === "log.entryAdded" && answer.params.type === "javascript") errors.push(answer.params.text);
  waiting.get(answer.id)?.(answer);
});
async function send(method, params) {
  const id = ++last;
  socket.send(JSON.stringify({ id, method, params }));
  const answer = await new Promise((answered) => waiting.set(id, answered));
  if (answer.type === "error") throw new Error(`${method}: ${answer.message}`);
  return answer.result;
}

await send("session.new", { capabilities: {} });
await send("session.subscribe", { events: ["log.entryAdded"] });
const [{ context }] = (await send("browsingContext.getTree", {})).contexts;
await send("browsingContext.navigate", { context, url: address, wait: "complete" });
const called = { functionDeclaration: code, target: { context }, awaitPromise: true, arguments: [] };
const { result, exceptionDetails } = await send("script.callFunction", called);
console.log(JSON.stringify({ result: result?.value, thrown: exceptionDetails?.text, errors }));
await send("browser.close", {});
process.exit(0);
