import { TimeShare, type Visit } from './time-share.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const time = (): TimeShare => new TimeShare(0.1);
const afterwards = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

/** Names of the visits that have begun. */
function watch(visits: Readonly<Record<string, Visit>>): string[] {
  const begun: string[] = [];
  for (const [name, visit] of Object.entries(visits)) {
    void visit.begun.then(
      () => begun.push(name),
      () => begun.push(`${name} left`),
    );
  }
  return begun;
}

/** Runs so many documents of a caller, one after the other. Each takes a quarter of a second. */
async function take(shares: TimeShare, caller: string, documents: number): Promise<void> {
  for (let taken = 0; taken < documents; taken++) {
    const visit = shares.visit(caller);
    await visit.begun;
    await afterwards(250);
    visit.end();
  }
}

it('runs two documents of a caller at once, in order, and those of others beside them', async () => {
  const shares = time();
  const [a, b, c, d, other] = ['1', '1', '1', '1', '2'].map((caller) => shares.visit(caller)) as [Visit, ...Visit[]];
  const begun = watch({ a, b, c, d, other } as Record<string, Visit>);
  await afterwards(0);
  expect(begun).toEqual(['a', 'b', 'other']);
  b?.end();
  b?.end();
  await afterwards(0);
  expect(begun).toEqual(['a', 'b', 'other', 'c']);
});

it('lets a caller who has taken the burst go on by the share alone', async () => {
  const shares = time();
  await take(shares, '1', 9);
  // 2,025 ms of them remain, which is 25 ms above the burst.
  const begun = watch({ next: shares.visit('1'), other: shares.visit('2') });
  await afterwards(200);
  expect(begun).toEqual(['other']);
  await afterwards(100);
  expect(begun).toEqual(['other', 'next']);
});

it('counts a quarter of a second of a document at most', async () => {
  const shares = time();
  const visit = shares.visit('1');
  await afterwards(60_000);
  visit.end();
  const begun = watch({ next: shares.visit('1') });
  await afterwards(0);
  expect(begun).toEqual(['next']);
});

it('runs the root fields of a document one after another, and counts a quarter of a second of each at most', async () => {
  const shares = time();
  const visit = shares.visit('1');
  let running = 0;
  let most = 0;
  const fields = Array.from({ length: 20 }, (_, index) =>
    visit.field(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      running -= 1;
      if (index === 3) throw new Error('one failed');
      return index;
    }),
  );
  const results = Promise.allSettled(fields);
  await afterwards(20_000);
  const values = (await results).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'));
  expect(values).toEqual(Array.from({ length: 20 }, (_, index) => (index === 3 ? 'failed' : index)));
  expect(most).toBe(1);
  visit.end();
  // Five seconds are counted. Two were returned meanwhile, and the burst is two.
  const begun = watch({ next: shares.visit('1') });
  await afterwards(9_900);
  expect(begun).toEqual([]);
  await afterwards(200);
  expect(begun).toEqual(['next']);
});

it('counts the field that goes on when its client has left, and runs no further ones', async () => {
  const shares = time();
  const [left, other, next] = [shares.visit('1'), shares.visit('1'), shares.visit('1')] as [Visit, Visit, Visit];
  const begun = watch({ other, next });
  const slow = left.field(() => new Promise((resolve) => setTimeout(() => resolve('read'), 1000)));
  const later = left.field(() => 'read');
  const outcomes = Promise.allSettled([slow, later]);
  await afterwards(0);
  left.end();
  await afterwards(900);
  expect(begun).toEqual(['other']);
  await afterwards(200);
  expect(begun).toEqual(['other', 'next']);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

it('does not run what its client has left', async () => {
  const shares = time();
  const running = [shares.visit('1'), shares.visit('1')];
  const [left, next] = [shares.visit('1'), shares.visit('1')];
  const begun = watch({ left, next });
  left.end();
  running[0]?.end();
  await afterwards(0);
  expect(begun).toEqual(['left left', 'next']);
});

it('refuses the document that 100 others wait before', async () => {
  const shares = time();
  const visits = Array.from({ length: 102 }, () => shares.visit('1'));
  expect(() => shares.visit('1')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
  visits[0]?.end();
  expect(() => shares.visit('1')).not.toThrow();
});

it('forgets a caller whose time was given back', async () => {
  const shares = time();
  await take(shares, '1', 1);
  expect(shares.size).toBe(1);
  await afterwards(10_000);
  expect(shares.size).toBe(0);
});

it('counts what a response takes after the end', async () => {
  const shares = time();
  const large = shares.visit('1');
  await large.begun;
  large.end();
  large.count(3000);
  const next = shares.visit('1');
  const begun = watch({ next });
  await afterwards(9_900);
  expect(begun).toEqual([]);
  await afterwards(200);
  expect(begun).toEqual(['next']);
});
