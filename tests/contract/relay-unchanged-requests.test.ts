/** A provider that has refused a request as a bad one does not get the same request again, at any kind of channel and for any client. */
import { kinds } from '../agents/kinds.js';
import { clients, openRefusing, type RefusingKind } from '../agents/unchanged-requests.js';
import { isFullSuite } from '../support/suite.js';
import type { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: RefusingKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true, RetryTimes: 5 } });
afterEach(async () => {
  await opened?.stop();
  opened = null;
});

// `e2e/vertex-agents.test.ts` has the kinds at Google's hosts.
const here = kinds.filter(({ at }) => at !== 'google');

describe.each(clients)('a %s client', (name, path, given) => {
  // A full suite asks every kind for every client. Other runs ask alternating halves.
  const turn = clients.findIndex(([each]) => each === name);
  const asked = here.filter((_, index) => isFullSuite || index % 2 === turn % 2);
  it.each(asked.map((kind) => [kind.name, kind] as const))('at %s', async (_kind, kind) => {
    opened = await openRefusing(kind, relay.upstream);
    await relay.addChannel({ ...opened.channel, models: kind.model });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    expect(await opened.repeated(path, given, (to, body) => relay.post(to, key, body))).toEqual([]);
  });
});
