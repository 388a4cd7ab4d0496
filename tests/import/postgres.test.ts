import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { dryRun } from '../../server/src/import/run.js';
import { makeContent } from '../support/import/content.js';
import { createSource } from '../support/import/source.js';
import { sampled } from '../support/suite.js';
import { describeMove, now, optionsFor } from './suite.js';

const file = (name: string): Buffer => readFileSync(join(import.meta.dirname, '..', 'support', 'tls', name));

// As in libpq and Go's drivers, `require` and `prefer` encrypt and trust any certificate. `prefer` is the default.
it.each([
  ['sslmode=require', true],
  ['sslmode=prefer', true],
  ['', true],
  ['sslmode=verify-full', false],
])('%s: sends its name over TLS to a server whose certificate is unknown: %s', async (mode, sends) => {
  const names: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const secured = new TLSSocket(socket, { isServer: true, cert: file('certificate.pem'), key: file('key.pem') });
      secured.on('error', () => undefined);
      secured.once('data', (piece: Buffer) => {
        names.push(piece.toString());
        secured.destroy();
      });
      socket.write('S');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const read = dryRun(optionsFor(`postgres://mover:p@127.0.0.1:${port}/old?${mode}`), false);
  await expect(read).rejects.toThrow(sends ? /terminated/ : /certificate/);
  expect(names.some((name) => name.includes('mover'))).toBe(sends);
  server.close();
});

it.each(['0.0.0.0', '127.0.0.1'])(
  'reads a server without TLS at %s, and reports plain connections to others',
  async (host) => {
    const content = makeContent({ family: 'veloera', upstream: 'http://127.0.0.1:9', now, logs: 10 });
    const source = await createSource('veloera', 'postgres', content);
    const url = new URL(source.address);
    url.hostname = host;
    for (const mode of ['', 'prefer', 'disable']) {
      if (mode !== '') url.searchParams.set('sslmode', mode);
      const { findings } = await dryRun(optionsFor(url.href), false);
      const plain = findings.find(({ code }) => code === 'source-plain')?.examples.map(({ detail }) => detail);
      expect(plain).toEqual(host === '127.0.0.1' ? undefined : [host]);
    }
    url.searchParams.set('sslmode', 'require');
    await expect(dryRun(optionsFor(url.href), false)).rejects.toThrow(/does not support SSL/);
    await source.drop();
  },
);

// `sqlite.test.ts` imports every family.
for (const family of sampled(['one-hub', 'one-api', 'veloera', 'new-api'], 1)) describeMove(family, 'postgres');
