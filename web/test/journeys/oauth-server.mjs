// An MCP server over HTTP with OAuth, and a user who always agrees.
import { createServer } from 'node:http';

export async function startSignIn() {
  const seen = { signedIn: 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url, base());
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const json = (status, value, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
      if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) return json(200, { resource: `${base()}/mcp`, authorization_servers: [base()] });
      if (url.pathname.startsWith('/.well-known/'))
        return json(200, {
          issuer: base(),
          authorization_endpoint: `${base()}/authorize`,
          token_endpoint: `${base()}/token`,
          registration_endpoint: `${base()}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      if (url.pathname === '/register') return json(201, { ...JSON.parse(body), client_id: 'client-1', client_id_issued_at: 1 });
      if (url.pathname === '/authorize') {
        const back = new URL(url.searchParams.get('redirect_uri'));
        back.searchParams.set('code', 'agreed');
        if (url.searchParams.get('state')) back.searchParams.set('state', url.searchParams.get('state'));
        return void response.writeHead(302, { location: back.href }).end();
      }
      if (url.pathname === '/token') {
        seen.signedIn += 1;
        return json(200, { access_token: 'let-in', token_type: 'Bearer', expires_in: 3600, refresh_token: 'again' });
      }
      if (url.pathname === '/mcp') {
        if (request.headers.authorization !== 'Bearer let-in')
          return json(401, { error: 'unauthorized' }, { 'www-authenticate': `Bearer resource_metadata="${base()}/.well-known/oauth-protected-resource"` });
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const message = JSON.parse(body);
        if (message.method === 'initialize')
          return json(200, {
            jsonrpc: '2.0',
            id: message.id,
            result: { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'guarded', version: '1' } },
          });
        if (message.method === 'tools/list')
          return json(200, {
            jsonrpc: '2.0',
            id: message.id,
            result: { tools: [{ name: 'open_sesame', description: 'Opens', inputSchema: { type: 'object', properties: {} } }] },
          });
        return message.id === undefined ? void response.writeHead(202).end() : json(200, { jsonrpc: '2.0', id: message.id, result: {} });
      }
      return json(404, {});
    });
  });
  const base = () => `http://127.0.0.1:${server.address().port}`;
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `${base()}/mcp`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
