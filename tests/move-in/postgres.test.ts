import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { dryRun } from '../../server/src/move-in/run.js';
import { describeMove, optionsFor } from './suite.js';

const file = (name: string): Buffer => readFileSync(join(import.meta.dirname, '..', 'support', 'tls', name));

// As libpq and Go's drivers: `require` encrypts and trusts any certificate.
it.each([
  ['require', true],
  ['verify-full', false],
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
  const read = dryRun(optionsFor(`postgres://mover:p@127.0.0.1:${port}/old?sslmode=${mode}`), false);
  await expect(read).rejects.toThrow(sends ? /terminated/ : /certificate/);
  expect(names.some((name) => name.includes('mover'))).toBe(sends);
  server.close();
});

for (const family of ['one-api', 'veloera', 'new-api'] as const) describeMove(family, 'postgres');
