import { buildSchema } from 'graphql';
import { QueryChecker } from './query-shape.js';

it('validates a document once, with any values and places', () => {
  const schema = buildSchema('type Query { rows(of: Int): [Row!] } type Row { name: String }');
  // The rules of a validation read the directives of the schema, and nothing else of a check does.
  const read = jest.spyOn(schema, 'getDirectives');
  const queries = new QueryChecker(schema);
  const query = 'query ($of: Int) { rows(of: $of) { name } }';
  const check = (of: number, text = query): number => {
    expect(queries.check({ query: text, variables: { of } }, {}, `panels.${of}`, null).rows).toBe('rows');
    return read.mock.calls.length;
  };
  const first = check(0);
  expect(first).toBeGreaterThan(0);
  expect(Array.from({ length: 23 }, (_, of) => check(of + 1))).toEqual(Array.from({ length: 23 }, () => first));
  expect(check(24, `${query} `)).toBeGreaterThan(first);
});
