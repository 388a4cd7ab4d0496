import { Mailbox } from './mailbox.js';

interface Item {
  readonly id: number;
  readonly state?: string;
}
const closed = jest.fn();
const open = (limit = 3): Mailbox<Item> => new Mailbox<Item>(limit, ({ id }) => id, closed);
const ids = (...all: number[]): Item[] => all.map((id) => ({ id }));
beforeEach(() => closed.mockClear());

it('gives at once what is put while somebody waits', async () => {
  const box = open();
  const next = box.next();
  box.put([]);
  box.put(ids(1, 2));
  expect(await next).toEqual({ done: false, value: { items: ids(1, 2), missed: 0 } });
});

it('keeps what nobody reads up to its limit, drops the oldest, and says how many', async () => {
  const box = open();
  box.put(ids(1, 2));
  box.put(ids(3, 4, 5), 7);
  expect((await box.next()).value).toEqual({ items: ids(3, 4, 5), missed: 9 });
  box.put(ids(6));
  expect((await box.next()).value).toEqual({ items: ids(6), missed: 0 });
});

it('keeps the latest state of a thing, which counts as new', async () => {
  const box = open();
  box.put([{ id: 1, state: 'old' }, { id: 2 }, { id: 3 }]);
  box.put([{ id: 1, state: 'new' }]);
  box.put([{ id: 4 }]);
  expect((await box.next()).value).toEqual({ items: [{ id: 3 }, { id: 1, state: 'new' }, { id: 4 }], missed: 1 });
});

it('ends for whoever waits, once', async () => {
  const box = open();
  const next = box.next();
  await box.return();
  await box.return();
  box.put(ids(1));
  expect(await next).toEqual({ done: true, value: undefined });
  expect((await box.next()).done).toBe(true);
  expect(closed).toHaveBeenCalledTimes(1);
});
