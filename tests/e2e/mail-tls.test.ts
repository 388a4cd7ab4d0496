import { readFileSync } from 'node:fs';
import type { Person } from '../support/api.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { receiverCertificate } from '../support/webhook-receiver.js';
import { buildServer } from './boot-support.js';

/** Mail through the running server, over TLS that is checked (docs/reference/rest/notifications.md#mail-transport). */

jest.setTimeout(90_000);

const identity = {
  cert: readFileSync(receiverCertificate),
  key: readFileSync(receiverCertificate.replace('certificate.pem', 'key.pem')),
};
/** Whether each message arrived over TLS, as the mail server reports it. */
const secured: boolean[] = [];
let trusting: SpawnedServer;
let wary: SpawnedServer;
let implicit: MailServer;
let starttls: MailServer;

beforeAll(async () => {
  buildServer();
  [implicit, starttls] = await Promise.all([
    startMailServer({ ...identity, secure: true }),
    startMailServer({
      ...identity,
      disabledCommands: [],
      allowInsecureAuth: false,
      onMailFrom: (_address, session, done) => {
        secured.push(session.secure);
        done();
      },
    }),
  ]);
  trusting = await spawnServer({ environment: { NODE_EXTRA_CA_CERTS: receiverCertificate } });
  wary = await spawnServer();
});
afterAll(async () => {
  await Promise.all([implicit.stop(), starttls.stop()]);
  await Promise.all([trusting.stop(), wary.stop()]);
});

async function ask(server: SpawnedServer, root: Person, port: number, ssl: boolean, email: string) {
  for (const [key, value] of Object.entries({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
    SMTPSSLEnabled: String(ssl),
  })) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  return (await server.api.rest(null, 'GET', `/api/verification?email=${email}`)).body;
}

it('arrives by implicit TLS on any port, and by STARTTLS where it is offered', async () => {
  const root = await trusting.api.setUp();
  expect(await ask(trusting, root, implicit.port, true, 'implicit@example.com')).toMatchObject({ success: true });
  expect((await implicit.mailTo('implicit@example.com')).subject).toBe('Tollgate e-mail verification');
  expect(await ask(trusting, root, starttls.port, false, 'upgraded@example.com')).toMatchObject({ success: true });
  await starttls.mailTo('upgraded@example.com');
  expect(secured).toEqual([true]);
});

it('goes to nobody whose certificate nobody vouches for, and says so without the words of TLS', async () => {
  const root = await wary.api.setUp();
  for (const [port, ssl] of [
    [implicit.port, true],
    [starttls.port, false],
  ] as const) {
    const answer = await ask(wary, root, port, ssl, `refused${String(port)}@example.com`);
    expect(answer).toMatchObject({ success: false, message: 'The mail could not be sent' });
  }
  const sent = [...implicit.mails, ...starttls.mails].flatMap(({ to }) => to);
  expect(sent.filter((address) => address.startsWith('refused'))).toEqual([]);
  expect(wary.logLines().join('\n')).not.toContain(mailAccount.password);
});
