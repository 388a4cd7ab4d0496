import { Mailer } from '../../server/src/platform/mail/mailer.js';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import { mailAccount, startMailServer } from '../support/mail-server.js';

const logged: unknown[] = [];
const mailer = (options: Partial<OptionValues>): Mailer =>
  new Mailer(
    { values: { ...defaultOptionValues(), ...options } },
    { warn: (details: unknown) => void logged.push(details) },
  );
const settings = (port: number) => ({
  SMTPServer: '127.0.0.1',
  SMTPPort: port,
  SMTPAccount: mailAccount.user,
  SMTPToken: mailAccount.password,
});
/** The test server's certificate is self-signed on purpose, which logs an error. */
beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const letter = { to: 'a@b.cd', subject: 'Überschrift', html: '<p>Grüße</p>' };

it('goes to everybody between semicolons, in UTF-8, from the name of the site', async () => {
  const server = await startMailServer();
  const from = { SMTPFrom: 'gate@mail.example', SystemName: 'Gate <evil@x.yz>\r\nBcc: x@y.zz' };
  await mailer({ ...settings(server.port), ...from }).send({ ...letter, to: 'a@b.cd; e@f.gh' });
  await server.stop();
  const [mail] = server.mails;
  expect(mail).toMatchObject({
    from: 'gate@mail.example',
    to: ['a@b.cd', 'e@f.gh'],
    html: expect.stringContaining('Grüße'),
  });
  expect(mail?.source).toMatch(/^Subject: =\?UTF-8\?/im);
  expect(mail?.source).not.toMatch(/^Bcc:/im);
});

it('refuses a certificate that nobody vouches for', async () => {
  const server = await startMailServer({ disabledCommands: [], secure: true });
  await expect(mailer({ ...settings(server.port), SMTPSSLEnabled: true }).send(letter)).rejects.toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    message: 'The mail could not be sent',
  });
  await server.stop();
  expect(server.mails).toEqual([]);
});

it('does not fall back to clear text when STARTTLS is offered with such a certificate', async () => {
  const server = await startMailServer({ disabledCommands: [] });
  await expect(mailer(settings(server.port)).send(letter)).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  await server.stop();
  expect(server.mails).toEqual([]);
});

it.each([
  ['a wrong password', { SMTPToken: 'wrong' }, 'The mail could not be sent'],
  ['no server', { SMTPServer: '' }, 'SMTP server not configured'],
  ['an account that is no address', { SMTPAccount: 'postman' }, 'Invalid SMTP account'],
])('with %s nothing is sent, and no word of the server is shown', async (_what, options, message) => {
  const server = await startMailServer();
  await expect(mailer({ ...settings(server.port), ...options }).send(letter)).rejects.toMatchObject({ message });
  await server.stop();
  expect(server.mails).toEqual([]);
});

it('signs in by LOGIN where Microsoft’s servers want it', async () => {
  let method = '';
  const server = await startMailServer({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: (auth, _session, done) => {
      method = auth.method;
      done(null, { user: 'x' });
    },
  });
  await mailer({ ...settings(server.port), SMTPAccount: 'a@outlook.com' }).send(letter);
  await server.stop();
  expect(method).toBe('LOGIN');
});
