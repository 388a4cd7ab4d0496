import { buildSchema, getOperationAST, parse } from 'graphql';
import { Introspection } from './introspection.js';

const schema = buildSchema('type Query { me: User } type User { id: ID! name: String }');
const introspection = new Introspection();
const ask = (query: string, variables?: Record<string, unknown>) => {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('the document has no operation');
  return introspection.resultOf(schema, document, operation, variables);
};
const named =
  'query($name: String!, $all: Boolean = false) { __type(name: $name) { name fields @include(if: $all) { name } } }';

it('executes a document once', async () => {
  const first = await ask('{ __schema { types { name } } }');
  expect(first?.data).toBeTruthy();
  expect(await ask('# again\n{ __schema { types { name } } }')).toBe(first);
});

it('executes a document with variables once for their values', async () => {
  const user = await ask(named, { name: 'User' });
  expect(user?.data).toMatchObject({ __type: { name: 'User' } });
  expect(await ask(named, { name: 'User', unused: Math.random() })).toBe(user);
  expect((await ask(named, { name: 'Query' }))?.data).toMatchObject({ __type: { name: 'Query' } });
  expect((await ask(named, { name: 'User', all: true }))?.data).toMatchObject({ __type: { fields: [{}, {}] } });
});

it('leaves other documents, and those that fail, to the server', async () => {
  expect(await ask('{ me { id } __schema { types { name } } }')).toBeNull();
  expect(await ask(named, { name: 7 })).toBeNull();
});
