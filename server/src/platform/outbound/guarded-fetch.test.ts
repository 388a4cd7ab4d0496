import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startConnectProxy, startSocksProxy } from '../../../../tests/support/proxies.js';
import { GuardedFetch } from './guarded-fetch.js';
import { OutboundGuard, type Resolver } from './outbound-guard.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
const fetchers: GuardedFetch[] = [];

async function serve(handler: Handler): Promise<number> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function fetcher(allow: string[] = [], resolver?: Resolver): GuardedFetch {
  const made = new GuardedFetch(new OutboundGuard(allow, resolver));
  fetchers.push(made);
  return made;
}

/** Resolves each lookup to the next list of addresses. */
function resolving(...answers: string[][]): Resolver & { asked: number } {
  const resolver: Resolver & { asked: number } = Object.assign(
    (_hostname: string, _options: unknown, callback: Parameters<Resolver>[2]) => {
      const answer = answers[Math.min(resolver.asked++, answers.length - 1)] ?? [];
      callback(
        null,
        answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    { asked: 0 },
  );
  return resolver;
}

afterEach(async () => {
  await Promise.all(fetchers.splice(0).map((one) => one.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const refused = { code: 'INVALID_INPUT' };

describe('what a user can cause', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[64:ff9b::a9fe:a9fe]/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://user:password@example.com/',
    'http://example.com:22/',
    'not an address',
  ])('never reaches %s', async (url) => {
    await expect(fetcher().fetch({ url, policy: 'public-only' })).rejects.toMatchObject(refused);
  });

  it('never reaches a name that points inside, even once among public addresses', async () => {
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:169.254.169.254']]) {
      const call = fetcher([], resolving(addresses)).fetch({ url: 'http://rebind.example/', policy: 'public-only' });
      await expect(call).rejects.toMatchObject(refused);
    }
  });

  it('reaches what OUTBOUND_ALLOW opens, by host or by range', async () => {
    const port = await serve((_request, response) => response.end('hello'));
    const byRange = fetcher(['127.0.0.0/8']).fetch({ url: `http://127.0.0.1:${port}/`, policy: 'public-only' });
    expect((await byRange).body.toString()).toBe('hello');
    const byHost = fetcher(['id.example'], resolving(['127.0.0.1']));
    expect((await byHost.fetch({ url: `http://id.example:${port}/`, policy: 'public-only' })).status).toBe(200);
  });
});

describe('what an admin typed', () => {
  it('may be private', async () => {
    const port = await serve((_request, response) => response.end('models'));
    const answer = await fetcher().fetch({ url: `http://127.0.0.1:${port}/v1/models`, policy: 'admin' });
    expect(answer).toMatchObject({ status: 200, url: `http://127.0.0.1:${port}/v1/models` });
  });

  it('is never link-local or metadata, by number or by name', async () => {
    const url = 'http://169.254.169.254/';
    await expect(fetcher().fetch({ url, policy: 'admin' })).rejects.toMatchObject(refused);
    const named = fetcher([], resolving(['169.254.169.254']));
    await expect(named.fetch({ url: 'http://metadata.example/', policy: 'admin' })).rejects.toMatchObject(refused);
  });

  it('is never such an address as a proxy either', async () => {
    const call = { url: 'http://example.com/', policy: 'admin' } as const;
    for (const proxy of ['http://169.254.169.254:3128', 'socks5://169.254.169.254:1080']) {
      await expect(fetcher().fetch({ ...call, proxy })).rejects.toMatchObject(refused);
    }
  });

  it('is looked up once where it is a SOCKS proxy: the checked address is dialled', async () => {
    const port = await serve((_request, response) => response.end('through the proxy'));
    const proxy = await startSocksProxy();
    const call = {
      url: `http://127.0.0.1:${port}/`,
      policy: 'admin',
      proxy: `socks5://proxy.example:${proxy.port}`,
    } as const;
    try {
      const resolver = resolving(['127.0.0.1'], ['169.254.169.254']);
      const answer = await fetcher([], resolver).fetch(call);
      expect([answer.body.toString(), resolver.asked, proxy.asked]).toEqual([
        'through the proxy',
        1,
        [`127.0.0.1:${port}`],
      ]);
      await expect(fetcher([], resolving(['169.254.169.254'])).fetch(call)).rejects.toMatchObject(refused);
    } finally {
      await proxy.stop();
    }
  });

  it('may be a proxy of calls to addresses that an admin did not enter', async () => {
    const port = await serve((_request, response) => response.end('through the proxy'));
    const names = { 'files.example': '127.0.0.1' };
    const connectProxy = await startConnectProxy({ names });
    const socksProxy = await startSocksProxy({ names });
    const call = { url: `http://files.example:${port}/`, policy: 'public-only' } as const;
    const fetching = fetcher(['files.example']);
    const proxies = [`http://127.0.0.1:${connectProxy.port}`, `socks5h://127.0.0.1:${socksProxy.port}`];
    try {
      for (const proxy of proxies) {
        expect((await fetching.fetch({ ...call, proxy })).body.toString()).toBe('through the proxy');
        const { body } = await fetching.open({ ...call, proxy });
        expect(await text(body)).toBe('through the proxy');
        await expect(fetching.fetch({ ...call, url: 'http://10.0.0.1/', proxy })).rejects.toMatchObject(refused);
      }
    } finally {
      await connectProxy.stop();
      await socksProxy.stop();
    }
  });

  it('goes through the proxy of the channel', async () => {
    const port = await serve((_request, response) => response.end('direct'));
    let tunnels = 0;
    const proxyPort = await serve((_request, response) => response.end());
    servers.at(-1)?.on('connect', (request, socket) => {
      tunnels++;
      void import('node:net').then(({ connect }) => {
        const [host, to] = (request.url ?? '').split(':');
        const upstream = connect(Number(to), host, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.pipe(socket).pipe(upstream);
        });
        for (const end of [upstream, socket]) end.on('error', () => end.destroy());
      });
    });
    const answer = await fetcher().fetch({
      url: `http://127.0.0.1:${port}/`,
      policy: 'admin',
      proxy: `http://127.0.0.1:${proxyPort}`,
    });
    expect([answer.body.toString(), tunnels]).toEqual(['direct', 1]);
  });
});

it('lets no reader of long bodies keep other readers from the same host', async () => {
  const port = await serve((_request, response) => void response.writeHead(200).write('begun'));
  const fetching = fetcher();
  const call = { url: `http://127.0.0.1:${port}/`, policy: 'admin', timeoutMs: 5000 } as const;
  const opened = await Promise.all(Array.from({ length: 300 }, () => fetching.open(call)));
  expect(opened.every(({ status }) => status === 200)).toBe(true);
  for (const { body } of opened) body.destroy();
});

describe('a call', () => {
  it('connects to the address that was checked, not to a second answer', async () => {
    const port = await serve((_request, response) => response.end('pinned'));
    const resolver = resolving(['127.0.0.1'], ['169.254.169.254']);
    const answer = await fetcher([], resolver).fetch({ url: `http://rebind.example:${port}/`, policy: 'admin' });
    expect([answer.body.toString(), resolver.asked]).toEqual(['pinned', 1]);
  });

  it('checks every redirect', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    const call = fetcher().fetch({ url: `http://127.0.0.1:${port}/`, policy: 'admin' });
    await expect(call).rejects.toMatchObject(refused);
  });

  it('takes no credentials to another origin', async () => {
    const seen: Array<string | undefined> = [];
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-api-key'] as string | undefined);
      response.end('ok');
    });
    const first = await serve((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${second}/` }).end();
    });
    await fetcher().fetch({
      url: `http://127.0.0.1:${first}/`,
      policy: 'admin',
      headers: { Authorization: 'Bearer planted', 'X-Api-Key': 'planted' },
    });
    expect(seen).toEqual([undefined, undefined]);
  });

  it('ends after five redirects', async () => {
    const port = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
    const call = fetcher().fetch({ url: `http://127.0.0.1:${port}/`, policy: 'admin' });
    await expect(call).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
  });

  it('ends at its size', async () => {
    const port = await serve((_request, response) => response.end(Buffer.alloc(100_000)));
    const call = fetcher().fetch({ url: `http://127.0.0.1:${port}/`, policy: 'admin', maxBytes: 50_000 });
    await expect(call).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
      message: 'The response is too large',
    });
  });

  it('ends at its time, also while the body drips', async () => {
    const port = await serve((_request, response) => response.write('a'));
    const call = fetcher().fetch({ url: `http://127.0.0.1:${port}/`, policy: 'admin', timeoutMs: 200 });
    await expect(call).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  it('tells nothing of the network when nobody is there', async () => {
    const port = await serve((_request, response) => response.end());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const call = fetcher().fetch({ url: `http://127.0.0.1:${port}/`, policy: 'admin' });
    await expect(call).rejects.toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      message: 'The address cannot be reached',
    });
  });
});
