import { createServer, type AddressInfo } from 'node:net';
import { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { parseAddress } from './address.js';
import { openSource } from './open-source.js';

const refusal = /cannot be called from here/;

it.each([
  'postgres://user:secret@169.254.169.254:5432/db',
  'postgres://user:secret@[fe80::1]:5432/db',
  'postgres://user:secret@[::ffff:169.254.169.254]:5432/db?sslmode=disable',
  'mysql://user:secret@169.254.169.254:3306/db',
  'mysql://user:secret@[fd00:ec2::254]:3306/db',
  'user:secret@tcp(169.254.169.254:3306)/db',
])('refuses %s', async (address) => {
  await expect(openSource(parseAddress(address), new OutboundGuard())).rejects.toThrow(refusal);
});

it.each(['postgres://user:secret@metadata.test:5432/db', 'mysql://user:secret@metadata.test:3306/db'])(
  'refuses the address that a name has (%s)',
  async (address) => {
    const guard = new OutboundGuard([], (_hostname, _options, callback) =>
      callback(null, [{ address: '169.254.169.254', family: 4 }]),
    );
    await expect(openSource(parseAddress(address), guard)).rejects.toThrow(refusal);
  },
);

it.each(['postgres', 'mysql'])('connects to a private address, for %s', async (scheme) => {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(scheme);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const source = openSource(parseAddress(`${scheme}://user:secret@127.0.0.1:${port}/db`), new OutboundGuard());
  await expect(source).rejects.not.toThrow(refusal);
  expect(connections).toContain(scheme);
  await new Promise((resolve) => server.close(resolve));
});
