import { afterCondition, decodeCursor, encodeCursor, orderOf } from './keyset.js';

const bind = (): { values: unknown[]; place: (value: unknown) => string } => {
  const values: unknown[] = [];
  return { values, place: (value) => `$${values.push(value)}` };
};

it('the condition after a row compares key by key', () => {
  const { values, place } = bind();
  const keys = [
    { sql: 'quota', direction: 'DESC' as const },
    { sql: 'id', direction: 'ASC' as const },
  ];
  expect(afterCondition(keys, [5, 7], place)).toBe('((quota < $1) OR (quota = $1 AND id > $2))');
  expect(values).toEqual([5, 7]);
});

it('null comes last: everything else is before it, and only ties are after it', () => {
  const keys = [
    { sql: 'seen', direction: 'DESC' as const, nullable: true as const },
    { sql: 'id', direction: 'DESC' as const },
  ];
  expect(afterCondition(keys, ['2026-01-01T00:00:00.000Z', 7], bind().place)).toBe(
    '(((seen < $1 OR seen IS NULL)) OR (seen = $1 AND id < $2))',
  );
  expect(afterCondition(keys, [null, 7], bind().place)).toBe('((seen IS NULL AND id < $1))');
});

describe('a cursor', () => {
  const order = orderOf([{ field: 'quota', direction: 'DESC' }], { field: 'id', direction: 'DESC' });

  it('has the id as its last key, in the direction of the last sort', () => {
    expect(order).toEqual([
      { field: 'quota', direction: 'DESC' },
      { field: 'id', direction: 'DESC' },
    ]);
    expect(orderOf([], { field: 'id', direction: 'ASC' })).toEqual([{ field: 'id', direction: 'ASC' }]);
  });

  it('keeps values of all kinds', () => {
    const cursor = encodeCursor(order, [new Date(1000), 7]);
    expect(decodeCursor(cursor, order)).toEqual(['1970-01-01T00:00:01.000Z', 7]);
    expect(decodeCursor(encodeCursor(order, [null, 7]), order)).toEqual([null, 7]);
  });

  it.each([
    ['nonsense', 'nonsense'],
    ['of another sort', encodeCursor([{ field: 'id', direction: 'ASC' }], [7])],
    ['with too few values', Buffer.from('["quota DESC, id DESC",1]').toString('base64url')],
    ['with an object', Buffer.from('["quota DESC, id DESC",{},1]').toString('base64url')],
    ['with a NUL', Buffer.from('["quota DESC, id DESC","\\u0000",1]').toString('base64url')],
    ['empty', ''],
  ])('is refused when it is %s', (_what, cursor) => {
    expect(() => decodeCursor(cursor, order)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'after' }),
    );
  });

  it('of a list sorted twice by one field does not exist', () => {
    const twice = [
      { field: 'quota', direction: 'ASC' as const },
      { field: 'quota', direction: 'DESC' as const },
    ];
    expect(() => orderOf(twice, { field: 'id', direction: 'ASC' })).toThrow('only once');
  });
});
