import { EventReader } from '../support/event-reader.js';
import { operator } from './operator.js';
import { closed, heldWith, opens, opensTogether, permissionNames } from './permissions-table.js';
import { leastOf, operations, pathOfUnknownId, type Operation } from './roles-table.js';
import { Site, type Person } from './site.js';
import { isFullSuite, sampled } from '../support/suite.js';

/* Every operation with every permission. That the fixed roles kept their rights is shown by `roles.test.ts`. */

let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

interface Call {
  /** The name of the call, such as `query users` or `GET /api/user`. */
  readonly name: string;
  readonly operation: Operation;
  /** @returns whether the caller was refused for lack of a right */
  readonly isRefused: (person: Person) => Promise<boolean>;
}

const isRefusal = (codes: readonly unknown[]): boolean =>
  codes.some((code) => code === 'NOT_SIGNED_IN' || code === 'INSUFFICIENT_PRIVILEGES');

async function codesOf(person: Person, document: string): Promise<string[]> {
  if (!document.startsWith('subscription')) return (await site.graphql(person, document)).codes;
  const reader = await EventReader.open(site.server.url, person, document);
  await reader.until((one) => one.text !== '');
  reader.close();
  return reader.codes;
}

function callsOf(operation: Operation): Call[] {
  const graphql = (operation.graphql ?? []).map((document) => ({
    name: document.replace(/^(\w+)[^{]*\{\s*(\w+).*$/s, '$1 $2'),
    operation,
    isRefused: async (person: Person) => isRefusal(await codesOf(person, document)),
  }));
  const rest = (operation.rest ?? []).map((entry) => {
    const [route, { query = '', body = {}, headers = {} }] =
      typeof entry === 'string' ? ([entry, {}] as const) : ([entry[0], entry[1]] as const);
    const [method = '', pattern = ''] = route.split(' ');
    const path = pathOfUnknownId(pattern) + (query && `?${query}`);
    return {
      name: route,
      operation,
      isRefused: async (person: Person) => {
        const answer = await site.rest(person, method, path, method === 'GET' ? undefined : body, headers);
        return isRefusal([answer.body['code']]);
      },
    };
  });
  return [...graphql, ...rest];
}

const calls = operations.filter(({ spends }) => !spends).flatMap(callsOf);
const isOfEveryUser = ({ operation }: Call): boolean => ['anonymous', 'common'].includes(leastOf(operation));
const guarded = calls.filter((call) => !isOfEveryUser(call));

/** Names of the calls that the caller may make. */
async function openTo(person: Person, among: readonly Call[]): Promise<string[]> {
  const open: string[] = [];
  for (const call of among) if (!(await call.isRefused(person))) open.push(call.name);
  return open.sort();
}

function expectedOf(permissions: readonly string[]): string[] {
  const held = permissions.flatMap(heldWith);
  const together = Object.entries(opensTogether).filter(([, needed]) => needed.every((one) => held.includes(one)));
  return [...new Set([...held.flatMap((one) => opens[one] ?? []), ...together.map(([name]) => name)])].sort();
}

it('names for every guarded operation the permissions that open it, or that none does', () => {
  const named = [...new Set([...Object.values(opens).flat(), ...Object.keys(opensTogether), ...closed])];
  expect(named.sort()).toEqual(guarded.map(({ name }) => name).sort());
  expect(closed.filter((name) => Object.values(opens).flat().includes(name))).toEqual([]);
});

it('has every permission of the server, with what it implies', async () => {
  const { data } = await site.graphql(root, '{ permissions { name implies permission } }');
  const known = data?.['permissions'] as Array<{ name: string; permission: string; implies: string[] }>;
  expect(known.map(({ name }) => name).sort()).toEqual([...permissionNames].sort());
  const nameOf = (permission: string): string => known.find((one) => one.permission === permission)?.name ?? permission;
  for (const { name, implies } of known) {
    expect([name, ...implies.map(nameOf).sort()]).toEqual([name, ...heldWith(name).slice(1).toSorted()]);
  }
});

/**
 * Returns the calls that are tested with a permission. A full suite tests all calls. Other runs test the calls that the
 * permission allows, and a quarter of the others.
 */
const askedOf = (permission: string, expected: readonly string[]): readonly Call[] => {
  const turn = permissionNames.indexOf(permission);
  return guarded.filter(({ name }, index) => isFullSuite || index % 4 === turn % 4 || expected.includes(name));
};

it.each(permissionNames)('%s opens its operations and no other', async (permission) => {
  const person = await operator(site, root, [permission]);
  const expected = expectedOf([permission]);
  expect(await openTo(person, askedOf(permission, expected))).toEqual(expected);
});

it.each(sampled(permissionNames, 5))('all but %s do not open what only it opens', async (permission) => {
  const others = permissionNames.filter((one) => !heldWith(one).includes(permission));
  const person = await operator(site, root, others);
  const own = guarded.filter(({ name }) => (opens[permission] ?? []).includes(name));
  const expected = expectedOf(others).filter((name) => own.some((call) => call.name === name));
  expect(await openTo(person, own)).toEqual(expected);
});

it('all of them open everything but what is closed', async () => {
  const person = await operator(site, root, permissionNames);
  expect(await openTo(person, guarded)).toEqual(expectedOf(permissionNames));
  expect(expectedOf(permissionNames).filter((name) => closed.includes(name))).toEqual([]);
});

it('a custom role takes nothing that every user may do', async () => {
  const person = await operator(site, root, ['alerts']);
  const plain = await site.invite(root);
  const usual = calls.filter(isOfEveryUser);
  expect(await openTo(person, usual)).toEqual(await openTo(plain, usual));
});

it('a common user without a role is refused every guarded operation', async () => {
  expect(await openTo(await site.invite(root), guarded)).toEqual([]);
});
