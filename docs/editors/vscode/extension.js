// Starts `sheetgen lsp` and connects it to the YAML files of the editor.
"use strict";
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = workspace.getConfiguration("sheetgen").get("command");
  client = new LanguageClient(
    "sheetgen",
    "sheetgen",
    { command, args },
    { documentSelector: [{ scheme: "file", language: "yaml" }] },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `${command} does not start: ${error.message}. It needs pygls: pip install pygls`);
  }
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
