import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { rootPassword, type Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, settled, visit } from './console-page.js';

/** A site below a path, behind a proxy whose host has other sites. */
let server: TestServer;
let browser: Browser;
let root: Person;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer({ environment: { BASE_PATH: '/gw/' } }), openBrowser()]);
  root = await server.api.setUp();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

interface Proxy {
  readonly url: string;
  /** Requests outside of the path: the site of someone else would get them. */
  readonly strays: readonly string[];
  stop(): Promise<void>;
}

/** @param removes whether the proxy takes the path off, as nginx does with `proxy_pass http://…/;` */
async function startProxy(removes: boolean): Promise<Proxy> {
  const strays: string[] = [];
  const proxy: Server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/';
    if (!/^\/gw([/?]|$)/.test(url)) {
      strays.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const { hostname, port } = new URL(server.url);
    const path = removes ? url.slice('/gw'.length) || '/' : url;
    const forwarded = request(
      { hostname, port, path, method: incoming.method, headers: incoming.headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
    strays,
    stop: () =>
      new Promise((resolve) => {
        proxy.closeAllConnections();
        proxy.close(() => resolve());
      }),
  };
}

it.each([
  ['removes the path', true],
  ['passes the path on', false],
])('console, documentation and cookies stay below the path of a proxy that %s', async (_, removes) => {
  const proxy = await startProxy(removes);
  const visitor = await visit(browser, proxy.url);
  const { page } = visitor;
  const path = () => new URL(page.url()).pathname;

  await page.goto('/gw/token');
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(rootPassword);
  expect(path()).toBe('/gw/login');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  expect(path()).toBe('/gw/token');
  const cookies = await page.context().cookies(`${proxy.url}/gw/token`);
  expect(cookies.map((cookie) => [cookie.name, cookie.path])).toEqual(
    expect.arrayContaining([
      ['session', '/gw'],
      ['known-browser', '/gw'],
    ]),
  );
  expect(await page.context().cookies(proxy.url)).toEqual([]);

  const open = async (entry: string, title: string) => {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: entry, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  };
  await open('Channels', 'Channels');
  expect(path()).toBe('/gw/channel');
  await page.reload();
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
  await open('Personal settings', 'Personal settings');
  await page
    .locator(`xpath=//*[contains(text(), "/gw/register?aff=") or contains(@value, "/gw/register?aff=")]`)
    .first()
    .waitFor();
  await page.goto('/gw/graphql/explorer');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);

  await page.goto('/gw/docs/guide/prices');
  await page.locator('nav#menu a[href="/gw/docs/guide/channels"]').click();
  await page.waitForURL('**/gw/docs/guide/channels');
  await page.getByRole('searchbox').fill('circuit breaker');
  await page.locator('a[href^="/gw/docs/"]').first().waitFor();
  await page.goto('/gw/docs/api');
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();

  // Browsers install the console with its manifest, whose addresses are relative to it.
  const manifestUrl = new URL(
    (await page.goto('/gw/login').then(() => page.locator('link[rel=manifest]').getAttribute('href'))) ?? '',
    proxy.url,
  );
  const manifest = (await (await fetch(manifestUrl)).json()) as { start_url: string; icons: Array<{ src: string }> };
  expect(new URL(manifest.start_url, manifestUrl).pathname).toBe('/gw/console');
  for (const { src } of manifest.icons) {
    const icon = await fetch(new URL(src, manifestUrl));
    expect([src, icon.status, icon.headers.get('content-type')]).toEqual([src, 200, 'image/png']);
  }

  expect(visitor.complaints).toEqual([]);
  expect(proxy.strays).toEqual([]);
  await visitor.leave();
  await proxy.stop();
});

it('calls, callbacks and links in mails have the path of the configured address', async () => {
  const options = {
    ServerAddress: 'https://example.com/gw',
    PayAddress: 'https://pay.example.com',
    EpayId: '1000',
    EpayKey: 'the key of the gateway',
  };
  for (const [key, value] of Object.entries(options)) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  const { body } = await server.api.rest(root, 'POST', '/api/user/pay', { amount: 1, payment_method: 'wx' });
  expect(body).toMatchObject({ data: { notify_url: 'https://example.com/gw/api/user/epay/notify' } });
  const status = await server.api.data<{ server_address: string }>(root, 'GET', '/gw/api/status');
  expect(status.server_address).toBe('https://example.com/gw');
  for (const path of ['/gw/v1/models', '/v1/models']) {
    const response = await fetch(server.url + path, { headers: { authorization: 'Bearer sk-unknown' } });
    expect([path, response.status]).toEqual([path, 401]);
  }
  // Only a whole part of a path is the path of the site.
  expect((await fetch(`${server.url}/gwv1/models`)).headers.get('content-type')).toContain('text/html');
});
