// An MCP server over stdio with two resources that can be referenced in a message.
import { createInterface } from 'node:readline';

const PAPERS = [
  { uri: 'paper://lease-rules', name: 'Lease rules', description: 'when a lease ends', mimeType: 'text/plain' },
  { uri: 'paper://glossary', name: 'Glossary', description: 'words of the trade', mimeType: 'text/plain' },
];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { resources: {} }, serverInfo: { name: 'papers', version: '1' } } });
  else if (method === 'resources/list') send({ id, result: { resources: PAPERS } });
  else if (method === 'resources/read')
    send({ id, result: { contents: [{ uri: params.uri, mimeType: 'text/plain', text: `the paper ${params.uri} says: seven days` }] } });
  else if (id !== undefined && method)
    send({ id, result: method === 'tools/list' ? { tools: [] } : method === 'resources/templates/list' ? { resourceTemplates: [] } : {} });
});
