"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// activate starts olmgraph lsp for the files of YAML and JSON on disk. Those that are no catalogs get no findings.
async function activate(context) {
  const command = vscode.workspace.getConfiguration("olmgraph").get("path", "olmgraph");
  client = new LanguageClient(
    "olmgraph",
    "olmgraph",
    { command, args: ["lsp"] },
    {
      documentSelector: [
        { scheme: "file", language: "yaml" },
        { scheme: "file", language: "json" },
      ],
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,json}"),
      },
    },
  );
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((changed) => {
      if (changed.affectsConfiguration("olmgraph.path")) {
        vscode.window.showInformationMessage("olmgraph: reload the window to use another executable.");
      }
    }),
  );
  try {
    await client.start();
  } catch (err) {
    vscode.window.showErrorMessage(`olmgraph: ${command} cannot be started: ${err.message}. Install it, or set olmgraph.path.`);
  }
}

async function deactivate() {
  if (client && client.isRunning()) {
    await client.stop();
  }
}

module.exports = { activate, deactivate };
