// A VS Code extension that starts `vtrace lsp`. What it shows, lenses, diagnostics and progress, is the
// work of VS Code and of the server.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

function start() {
  const [command, ...args] = vscode.workspace.getConfiguration('vtrace').get('command');
  client = new LanguageClient('vtrace', 'vtrace', { command, args }, {
    documentSelector: [{ scheme: 'file', language: 'go' }],
    initializationOptions: { trusted: vscode.workspace.isTrusted },
  });
  return client.start();
}

exports.activate = async (context) => {
  await start();
  // The server learns when it starts whether it may run programs.
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(async () => {
    await client.stop();
    await start();
  }));
};

exports.deactivate = () => client && client.stop();
