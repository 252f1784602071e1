// The commands of `POST /control`; fake-bridge.mjs lists them.

/** Runs one command of a test on a fake bridge. Returns the body of the response, if it has one. */
export function control(bridge, body) {
  const session = bridge.sessions.get(body.sessionId);
  const cut = () => {
    for (const client of bridge.clients) client.socket.terminate();
  };
  switch (body.do) {
    case 'reset':
      bridge.reset();
      break;
    case 'offline':
      bridge.offline = body.on !== false;
      if (bridge.offline) cut();
      break;
    case 'drop':
      cut();
      break;
    case 'silence':
      bridge.silent = body.on !== false;
      break;
    case 'bye':
      for (const client of bridge.clients) {
        bridge.send(client, { type: 'bye', reason: body.reason, message: body.message ?? '' });
        client.socket.close();
      }
      break;
    case 'frame':
      bridge.broadcast(body.message);
      break;
    case 'add':
      return bridge.add(session, body.item);
    case 'patch':
      session.patch(body.state);
      bridge.publish(session);
      break;
    case 'ask': {
      const ask = session.ask(body.kind, body.age ?? 0);
      if (ask.item) bridge.changed(session, session.itemOf(ask));
      bridge.publish(session);
      return { ask: ask.ask };
    }
    case 'decide': {
      const ask = session.state.asks.find((one) => !body.ask || one.ask === body.ask);
      if (ask) bridge.decide(session, ask, { outcome: body.outcome ?? 'allowed', by: body.by ?? null });
      break;
    }
    case 'stream':
      bridge.stream(session, body.text, body);
      break;
    case 'deltas': {
      const item = bridge.open(session);
      const until = Date.now() + (body.seconds ?? 5) * 1000;
      const step = () => {
        bridge.delta(session, item, 'words that come quickly ');
        if (Date.now() < until) bridge.later(1000 / (body.perSecond ?? 100), step);
      };
      step();
      break;
    }
    case 'rewrite':
      session.revision += 1;
      session.rewritten = session.revision;
      for (const client of bridge.subscribers(session)) bridge.subscribe(client, session, null);
      break;
    case 'scope':
      bridge.device.scope = body.scope;
      cut();
      break;
    case 'lose':
      bridge.lose = body.receipts ?? 1;
      break;
    case 'slow':
      bridge.slow = body.ms ?? 0;
      break;
    case 'options':
      Object.assign(bridge.options, body);
      break;
    case 'ping':
      bridge.pingEvery = body.every;
      break;
    default:
      throw new Error(`unknown control ${body.do}`);
  }
  return {};
}
