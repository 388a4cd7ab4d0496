import { ofEachGroup, ofEachObject } from './of-each-object.js';

it('a value is computed once for an object and its last context', () => {
  const computed: unknown[] = [];
  const valueOf = ofEachObject((object: { readonly id: number }, context: string) => {
    computed.push([object.id, context]);
    return `${object.id}${context}`;
  });
  const [one, other] = [{ id: 1 }, { id: 2 }];
  expect([valueOf(one, 'a'), valueOf(one, 'a'), valueOf(other, 'a'), valueOf(one, 'b'), valueOf(one, 'a')]).toEqual([
    '1a',
    '1a',
    '2a',
    '1b',
    '1a',
  ]);
  expect(computed).toEqual([
    [1, 'a'],
    [2, 'a'],
    [1, 'b'],
    [1, 'a'],
  ]);
});

it('a value is not part of copies of the object, of its fields and of its JSON', () => {
  const valueOf = ofEachObject((object: object) => Object.keys(object).length);
  const one = { id: 1 };
  expect(valueOf(one)).toBe(1);
  expect(valueOf({ ...one, name: 'other' })).toBe(2);
  expect([Object.keys(one), JSON.stringify(one)]).toEqual([['id'], '{"id":1}']);
});

it('an object that cannot be extended has its value computed each time', () => {
  const valueOf = ofEachObject((object: object) => [object]);
  const one = Object.freeze({ id: 1 });
  expect(valueOf(one)).toEqual(valueOf(one));
});

it('a group is known by all of its objects', () => {
  const joined = ofEachGroup((group: readonly [object, ...object[]]) =>
    group.map((each) => JSON.stringify(each)).join(),
  );
  const [a, b, c] = [{ a: 1 }, { b: 1 }, { c: 1 }];
  expect([joined([a, b]), joined([a, b]), joined([a, c]), joined([a]), joined([a, b])]).toEqual([
    '{"a":1},{"b":1}',
    '{"a":1},{"b":1}',
    '{"a":1},{"c":1}',
    '{"a":1}',
    '{"a":1},{"b":1}',
  ]);
});
