// An MCP server over stdio with one tool that sends the user a form before it returns.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let waiting = null;
createInterface(process.stdin).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'initialize')
    send({
      id: message.id,
      result: { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'forms', version: '1' } },
    });
  else if (message.method === 'tools/list')
    send({ id: message.id, result: { tools: [{ name: 'book', description: 'Books a table', inputSchema: { type: 'object', properties: {} } }] } });
  else if (message.method === 'tools/call') {
    waiting = message.id;
    send({
      id: 'form-1',
      method: 'elicitation/create',
      params: {
        message: 'For whom is the table?',
        requestedSchema: {
          type: 'object',
          required: ['name', 'guests'],
          properties: {
            name: { type: 'string', title: 'Name', minLength: 2 },
            guests: { type: 'integer', title: 'Guests', minimum: 1, maximum: 8 },
            outside: { type: 'boolean', title: 'Outside' },
            when: { type: 'string', title: 'When', enum: ['noon', 'evening'] },
          },
        },
      },
    });
  } else if (message.id === 'form-1')
    send({ id: waiting, result: { content: [{ type: 'text', text: `booked: ${JSON.stringify(message.result ?? message.error)}` }] } });
  else if (message.id !== undefined && message.method) send({ id: message.id, result: {} });
});
