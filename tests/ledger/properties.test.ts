import fc from 'fast-check';
import type { Reservation } from '../../server/src/billing/ledger/ledger.js';
import { TestLedger, charge } from './test-ledger.js';

/**
 * Random interleavings of every balance change, from several nodes at once. After each run the ledger is consistent to
 * the unit, no reservation exceeded its owner's balance, and every call was charged as a model predicts.
 */
type Step =
  | {
      kind: 'call';
      user: number;
      token: number;
      node: number;
      amount: number;
      charge: number;
      end: 'settle' | 'release' | 'replay' | 'die';
    }
  | { kind: 'grant'; user: number; amount: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      user: fc.nat(2),
      token: fc.nat(2),
      node: fc.nat(2),
      amount: fc.nat(400),
      charge: fc.nat(600),
      end: fc.constantFrom('settle' as const, 'settle' as const, 'release' as const, 'replay' as const, 'die' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      user: fc.nat(2),
      amount: fc.integer({ min: -300, max: 900 }),
    }),
  },
);

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
  // The database itself checks that no balance was below zero after a reservation.
  await testLedger.pool.query(`
    CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.amount > 0 AND EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND quota < 0) THEN
        RAISE EXCEPTION 'held below zero';
      END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER witness AFTER INSERT ON reservations DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION witness();
  `);
});
afterAll(async () => testLedger.close());

let run = 0;

it('the ledger balances to the unit after any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      run += 1;
      const nodes = [0, 1, 2].map((index) => testLedger.node(`p${run}-${index}`));
      const users = await Promise.all([500, 2000, 100].map((quota) => testLedger.addUser(quota)));
      const tokens = await Promise.all(
        users.map((user, index) => testLedger.addToken(user, index === 0 ? 'unlimited' : 900)),
      );
      const channel = await testLedger.addChannel();
      const expected = [500, 2000, 100];
      const used = [0, 0, 0];

      await Promise.all(
        steps.map(async (part, index) => {
          const user = users[part.user]!;
          if (part.kind === 'grant') {
            await testLedger.post({
              source: `grant:${run}:${index}`,
              kind: 'admin_grant',
              userId: user,
              amount: part.amount,
            });
            expected[part.user]! += part.amount;
            return;
          }
          const { ledger } = nodes[part.node]!;
          let held: Reservation;
          try {
            held = await ledger.reserve({
              requestId: `p${run}-${index}`,
              userId: user,
              tokenId: tokens[part.user]!,
              amount: part.amount,
              priced: true,
            });
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^INSUFFICIENT/) as string });
            return;
          }
          if (part.end === 'die') return;
          if (part.end === 'release') {
            await ledger.release(held);
            return;
          }
          await ledger.settle(held, charge(part.charge, { channelId: channel }));
          if (part.end === 'replay') await nodes[(part.node + 1) % 3]!.ledger.settle(held, charge(part.charge));
          expected[part.user]! -= part.charge;
          used[part.user]! += part.charge;
        }),
      );

      // All nodes of this run die; a sweeper returns their reservations.
      await testLedger.node(`p${run}-sweeper`).keeper.sweepDead();
      for (const [index, user] of users.entries()) {
        expect(await testLedger.user(user)).toMatchObject({ quota: expected[index], used_quota: used[index] });
      }
      expect(await testLedger.reconcile()).toEqual([]);
      await testLedger.closeNodes();
    }),
    { numRuns: 40 },
  );
}, 300_000);
