import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startServer } from '../support/server.js';
import { beginLastMonth } from '../support/statement-month.js';
import { until } from '../faults/traffic.js';
import { Site } from './site.js';

let mails: MailServer;
let site: Site;

beforeAll(async () => {
  mails = await startMailServer();
  site = await Site.open();
});
afterAll(async () => {
  await site.stop();
  await mails.stop();
});

it('an account that asked for it gets one mail when another node closes its statement', async () => {
  const root = await site.setUp();
  const settings = {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mails.port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
    ServerAddress: 'https://gate.example.com',
  };
  for (const [key, value] of Object.entries(settings)) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
  const [ada, bob] = [await site.invite(root), await site.invite(root)];
  for (const { id, username } of [ada, bob]) {
    await site.query(`UPDATE users SET email = $2 WHERE id = $1`, [id, `${username}@mail.example`]);
    await site.query(
      `SELECT ledger_post('grant:' || $1::integer, 'admin_grant', 'user', $1::integer, 0, 5, 0, '', NULL)`,
      [id],
    );
  }
  await site.query(`UPDATE ledger_entries SET created_at = now() - interval '60 days'`);
  await site.query(`UPDATE users SET created_at = now() - interval '70 days'`);
  await site.graphql(ada, 'mutation { updateBillingProfile(input: { notifies: true }) { profile { notifies } } }');
  await beginLastMonth((text) => site.query(text));

  const other = await startServer({ database: site.server.database });
  await until(() => Promise.resolve(mails.mails.length > 0), 60, 'the mail is sent');
  await other.stop();
  const [month] = await site.query<{ month: string }>('SELECT month FROM statements WHERE account_id = $1', [ada.id]);
  expect(mails.mails).toEqual([
    expect.objectContaining({
      to: [`${ada.username}@mail.example`],
      subject: `Statement of Tollgate for ${month?.month}`,
      html: expect.stringContaining('https://gate.example.com/statements'),
    }),
  ]);
  expect(await site.query('SELECT account_id FROM statements ORDER BY account_id')).toEqual([
    ...[root, ada, bob].map(({ id }) => ({ account_id: id })),
  ]);
}, 120_000);
