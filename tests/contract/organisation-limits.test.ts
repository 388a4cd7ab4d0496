import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { EventReader } from '../support/event-reader.js';
import { acting, OrganisationSite } from './organisation-site.js';
import type { Person } from './site.js';

/** A person has the limits and rights of one person, however many organisations they own or leave. */
let site: OrganisationSite;
let mail: MailServer;

beforeAll(async () => {
  [site, mail] = await Promise.all([OrganisationSite.open({ DATABASE_POOL_SIZE: '10' }), startMailServer()]);
  for (const [key, value] of Object.entries({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
  })) {
    await site.site.expectSuccess(site.root, 'PUT', '/api/option/', { key, value });
  }
});
afterAll(() => Promise.all([site.stop(), mail.stop()]));
beforeEach(() => mail.reset());

const person = (): Promise<Person> => site.site.invite(site.root);

let counter = 0;
const newName = (): string => `Limits ${++counter}`;

const invite = (organisation: number, rest: string): string =>
  `mutation { inviteMember(input: { organisationId: ${organisation} ${rest} }) { link invitation { id } } }`;
const role = (id: number, to: string): string =>
  `mutation { setMemberRole(input: { id: ${id}, role: ${to} }) { member { id } } }`;

describe('codes', () => {
  const giftCode = async (): Promise<string> => {
    const code = { name: 'gift', quota: 1000, count: 1, is_gift: true, max_uses: -1 };
    const { body } = await site.site.expectSuccess(site.root, 'POST', '/api/redemption/', code);
    return (body.data as string[])[0]!;
  };
  const redeem = (who: Person, code: string, organisation?: number) =>
    site.ask(
      who,
      `mutation { redeem(input: { key: "${code}" }) { __typename ... on Redeemed { quota } ... on RedeemRefused { code } } }`,
      organisation,
    );

  it('a person redeems a gift code once, for themselves or for one organisation', async () => {
    const owner = await person();
    const other = await person();
    const [first, second] = [await site.organisation(owner, newName()), await site.organisation(owner, newName())];
    await site.join(other, first, 'OWNER');
    const code = await giftCode();
    expect((await redeem(owner, code, first)).data).toMatchObject({ redeem: { quota: 1000 } });
    for (const account of [second, undefined, first]) {
      expect((await redeem(owner, code, account)).data).toMatchObject({ redeem: { code: 'USED_BY_YOU' } });
    }
    // An account gets a code once, by any of its members.
    expect((await redeem(other, code, first)).data).toMatchObject({ redeem: { code: 'USED_BY_YOU' } });
    expect((await redeem(other, code)).data).toMatchObject({ redeem: { quota: 1000 } });
    expect([await site.balance(first), await site.balance(second)]).toEqual([
      { quota: 1000, used: 0 },
      { quota: 0, used: 0 },
    ]);
    expect(await site.reconcile()).toEqual([]);
  });

  it('are guessed with the attempts of one person', async () => {
    const owner = await person();
    const [first, second] = [await site.organisation(owner, newName()), await site.organisation(owner, newName())];
    const guesses = Array.from({ length: 120 }, (_, n) => redeem(owner, `guess ${n}`, n % 2 ? first : second));
    expect(new Set((await Promise.all(guesses)).flatMap(({ codes }) => codes))).toEqual(new Set());
    expect((await redeem(owner, 'guess', first)).codes).toEqual(['RATE_LIMITED']);
    expect((await redeem(owner, 'guess')).codes).toEqual(['RATE_LIMITED']);
  });
});

it('creates at most 30 organisations a day, deleted ones too', async () => {
  const owner = await person();
  for (let round = 0; round < 30; round++) {
    const id = await site.organisation(owner, newName());
    await site.value(owner, `mutation { deleteOrganisation(id: ${id}) { id } }`);
  }
  const create = `mutation { createOrganisation(input: { name: "${newName()}" }) { organisation { id } } }`;
  expect((await site.ask(owner, create)).codes).toEqual(['RATE_LIMITED']);
});

describe('invitations', () => {
  it('of an owner end when the owner is demoted, removed, or leaves', async () => {
    for (const end of ['demote', 'remove', 'leave']) {
      const [owner, rogue, guest] = [await person(), await person(), await person()];
      const acme = await site.organisation(owner, newName());
      const rogueId = await site.join(rogue, acme, 'OWNER');
      const back = await site.value<{ link: string }>(rogue, invite(acme, ', role: OWNER'));
      const kept = await site.value<{ link: string }>(owner, invite(acme, ', role: MEMBER'));
      if (end === 'leave') await site.value(rogue, `mutation { leaveOrganisation(id: ${acme}) { id } }`);
      else if (end === 'remove') await site.value(owner, `mutation { removeMember(id: ${rogueId}) { id } }`);
      else await site.value(owner, role(rogueId, 'MEMBER'));
      const accept = ({ link }: { link: string }): string =>
        `mutation { acceptInvitation(token: "${link.split('/').at(-1)}") { organisation { role } } }`;
      expect([end, (await site.ask(guest, accept(back))).codes]).toEqual([end, ['NOT_FOUND']]);
      expect([end, await site.value(guest, accept(kept))]).toEqual([end, { organisation: { role: 'MEMBER' } }]);
    }
  });

  it('are mailed at most 30 times a day by a person, revoked ones too', async () => {
    const owner = await person();
    const [first, second] = [await site.organisation(owner, newName()), await site.organisation(owner, newName())];
    for (let round = 0; round < 30; round++) {
      const document = invite(round % 2 ? first : second, `, role: MEMBER, email: "guest${round}@mail.example"`);
      const { invitation } = await site.value<{ invitation: { id: number } }>(owner, document);
      await site.value(owner, `mutation { revokeInvitation(id: ${invitation.id}) { id } }`);
    }
    expect(mail.mails).toHaveLength(30);
    const next = invite(first, ', role: MEMBER, email: "next@mail.example"');
    expect((await site.ask(owner, next)).codes).toEqual(['RATE_LIMITED']);
    expect(mail.mails).toHaveLength(30);
    // Links that are only shown need no mail.
    expect((await site.ask(owner, invite(first, ', role: MEMBER'))).codes).toEqual([]);
  });

  it('are not open when their mail was refused', async () => {
    const owner = await person();
    const acme = await site.organisation(owner, newName());
    mail.refuse();
    const answer = await site.ask(owner, invite(acme, ', role: MEMBER, email: "full@mail.example"'));
    expect(answer.codes).toHaveLength(1);
    expect(await site.value(owner, `{ invitations(organisationId: ${acme}) { id } }`)).toEqual([]);
  });

  it('hold no database connection while their mails are sent', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    const slow = await startMailServer({
      onRcptTo: (_address, _session, done) => {
        waiting++;
        void released.then(() => done());
      },
    });
    try {
      await site.site.expectSuccess(site.root, 'PUT', '/api/option/', { key: 'SMTPPort', value: String(slow.port) });
      // More than the pool has connections. Documents of one person would wait for each other.
      const owners = await Promise.all(Array.from({ length: 12 }, person));
      const places = await Promise.all(owners.map((owner) => site.organisation(owner, newName())));
      const asked = owners.map((owner, n) =>
        site.ask(owner, invite(places[n]!, `, role: MEMBER, email: "slow${n}@mail.example"`)),
      );
      const deadline = Date.now() + 8000;
      while (waiting < 12 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(waiting).toBe(12);
      expect(await site.value(owners[0]!, `{ invitations(organisationId: ${places[0]!}) { id } }`)).toHaveLength(1);
      release();
      expect((await Promise.all(asked)).flatMap(({ codes }) => codes)).toEqual([]);
    } finally {
      release();
      await site.site.expectSuccess(site.root, 'PUT', '/api/option/', { key: 'SMTPPort', value: String(mail.port) });
      await slow.stop();
    }
  });
});

describe('streams', () => {
  const readers: EventReader[] = [];
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  const open = async (who: Person, organisation?: number): Promise<EventReader> => {
    const document = 'subscription { balanceChanged { quota } }';
    const reader = await EventReader.open(site.site.server.url, who, document, {}, acting(organisation));
    readers.push(reader);
    await reader.until(({ results, closed }) => results.length > 0 || closed);
    return reader;
  };

  it.each([
    ['demoted', 'INSUFFICIENT_PRIVILEGES'],
    ['removed', 'NOT_FOUND'],
  ])('of a member who is %s end at once', async (how, code) => {
    const [owner, second] = [await person(), await person()];
    const acme = await site.organisation(owner, newName());
    const secondId = await site.join(second, acme, 'OWNER');
    const [reader, stays, own] = [await open(second, acme), await open(owner, acme), await open(second)];
    expect(reader.codes).toEqual([]);
    const document = how === 'removed' ? `mutation { removeMember(id: ${secondId}) { id } }` : role(secondId, 'MEMBER');
    await site.value(owner, document);
    await reader.until(({ closed }) => closed, 5000);
    expect(reader.codes).toEqual([code]);
    expect([stays.closed, own.closed]).toEqual([false, false]);
  });

  it('are counted for the person, not for the organisation', async () => {
    const [owner, second] = [await person(), await person()];
    const [first, other] = [await site.organisation(owner, newName()), await site.organisation(owner, newName())];
    await site.join(second, first, 'BILLING');
    for (let count = 0; count < 20; count++) expect((await open(owner, count % 2 ? first : other)).codes).toEqual([]);
    expect((await open(owner, first)).codes).toEqual(['RATE_LIMITED']);
    expect((await open(owner)).codes).toEqual(['RATE_LIMITED']);
    expect((await open(second, first)).codes).toEqual([]);
  });
});

describe('the account of the only owner', () => {
  const deletions: ReadonlyArray<[string, (who: Person) => Promise<unknown>]> = [
    ['by the person', (who) => site.value(who, 'mutation { deleteMe { id } }')],
    [
      'by an admin',
      (who) => site.site.expectSuccess(site.root, 'POST', '/api/user/manage', { id: who.id, action: 'delete' }),
    ],
    ['for good', (who) => site.site.expectSuccess(site.root, 'DELETE', `/api/user/${who.id}`)],
  ];
  it.each(deletions)('is deleted %s with its organisations that have no other member', async (_how, remove) => {
    const [owner, other] = [await person(), await person()];
    const [empty, left] = [
      await site.organisation(owner, newName(), 5_000_000),
      await site.organisation(owner, newName()),
    ];
    const otherId = await site.join(other, left);
    const { key } = await site.key(owner, empty);
    const { key: shared } = await site.key(owner, empty, ', isShared: true');
    expect([await site.call(key), await site.call(shared)]).toEqual([200, 200]);
    // An organisation with another member is not deleted with the account.
    await expect(remove(owner)).rejects.toThrow();
    expect(await site.call(key)).toBe(200);
    await site.value(owner, role(otherId, 'OWNER'));
    await remove(owner);
    expect([await site.call(key), await site.call(shared)]).toEqual([401, 401]);
    const rows = await site.site.query<{ id: number; deleted: boolean }>(
      'SELECT id, deleted_at IS NOT NULL AS deleted FROM users WHERE id = ANY ($1) ORDER BY id',
      [[empty, left]],
    );
    expect(rows).toEqual([
      { id: empty, deleted: true },
      { id: left, deleted: false },
    ]);
    expect(await site.reconcile()).toEqual([]);
  });
});

it('the cost of GraphQL is counted for the person, not for the organisation', async () => {
  const small = await OrganisationSite.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false', GRAPHQL_COST_PER_MINUTE: '600' });
  try {
    const [owner, second] = [await small.site.invite(small.root), await small.site.invite(small.root)];
    const acme = await small.organisation(owner, newName());
    await small.join(second, acme, 'OWNER');
    const read = (who: Person, organisation?: number) => small.ask(who, '{ myTokens { items { id } } }', organisation);
    let codes: readonly string[] = [];
    for (let tries = 0; tries < 600 && codes.length === 0; tries++) ({ codes } = await read(owner, acme));
    expect(codes).toEqual(['RATE_LIMITED']);
    expect((await read(owner)).codes).toEqual(['RATE_LIMITED']);
    expect((await read(second, acme)).codes).toEqual([]);
  } finally {
    await small.stop();
  }
});
