import { parseBodyOverride, parseHeaderOverride } from '../../shared/channel-override.js';
import { addOverride, overriddenBody } from './body-override.js';
import { overriddenHeaders } from './header-override.js';

const names = { upstreamModel: 'gpt-5.1', requestedModel: 'fast' };

function bodyTarget(given: unknown) {
  const override = parseBodyOverride(given);
  if (typeof override === 'string') throw new Error(override);
  return { ...names, override };
}

function headersOf(given: unknown, before: Record<string, string>, more: object = {}): Record<string, string> {
  const headers = parseHeaderOverride(given);
  if (typeof headers === 'string') throw new Error(headers);
  return overriddenHeaders(before, { ...names, channel: { headers }, key: 'sk-own', ...more });
}

const body = { model: 'gpt-5.1', temperature: 1, messages: [{ role: 'user', content: 'hi' }], metadata: { a: 1 } };

describe('operations on a body', () => {
  it('put copies of the objects of an option into it', () => {
    const target = bodyTarget({ operations: [{ mode: 'prepend', path: 'messages', value: { role: 'system' } }] });
    const [first, second] = [1, 2].map(() => (overriddenBody(body, target)['messages'] as unknown[])[0]);
    expect(first).toEqual({ role: 'system' });
    expect(first).not.toBe(second);
  });

  it.each<[string, object, object]>([
    ['set', { mode: 'set', path: 'top_p', value: 0.5 }, { ...body, top_p: 0.5 }],
    ['set a nested field', { mode: 'set', path: 'a.b.c', value: [1] }, { ...body, a: { b: { c: [1] } } }],
    ['set what is there', { mode: 'set', path: 'temperature', value: null }, { ...body, temperature: null }],
    ['keep what is there', { mode: 'set', path: 'temperature', value: 0, keep_origin: true }, body],
    [
      'set in the last element',
      { mode: 'set', path: 'messages.-1.role', value: 'system' },
      { ...body, messages: [{ role: 'system', content: 'hi' }] },
    ],
    ['set nothing far behind a list', { mode: 'set', path: 'messages.5', value: {} }, body],
    ['set nothing below a number', { mode: 'set', path: 'temperature.a', value: 1 }, body],
    ['delete', { mode: 'delete', path: 'metadata' }, { ...body, metadata: undefined }],
    ['delete an element', { mode: 'delete', path: 'messages.0' }, { ...body, messages: [] }],
    ['delete what is not there', { mode: 'delete', path: 'a.b' }, body],
    [
      'append to a text',
      { mode: 'append', path: 'messages.0.content', value: '\n!' },
      { ...body, messages: [{ role: 'user', content: 'hi\n!' }] },
    ],
    [
      'append to a list',
      { mode: 'append', path: 'messages', value: [1] },
      { ...body, messages: [...body.messages, 1] },
    ],
    [
      'append one element',
      { mode: 'append', path: 'messages', value: 1 },
      { ...body, messages: [...body.messages, 1] },
    ],
    [
      'append to an object',
      { mode: 'append', path: 'metadata', value: { a: 2, b: 3 } },
      { ...body, metadata: { a: 2, b: 3 } },
    ],
    [
      'append what is new to an object',
      { mode: 'append', path: 'metadata', value: { a: 2, b: 3 }, keep_origin: true },
      { ...body, metadata: { a: 1, b: 3 } },
    ],
    ['append to nothing', { mode: 'append', path: 'stop', value: ['x'] }, { ...body, stop: ['x'] }],
    ['append nothing to a number', { mode: 'append', path: 'temperature', value: 'x' }, body],
    ['prepend', { mode: 'prepend', path: 'messages', value: [0] }, { ...body, messages: [0, ...body.messages] }],
    ['rename', { mode: 'rename', from: 'temperature', to: 'heat' }, { ...body, temperature: undefined, heat: 1 }],
    ['move', { mode: 'move', from: 'metadata.a', to: 'b.c' }, { ...body, metadata: {}, b: { c: 1 } }],
    ['rename nothing', { mode: 'rename', from: 'absent', to: 'heat' }, body],
    ['copy', { mode: 'copy', from: 'metadata.a', to: 'b' }, { ...body, b: 1 }],
  ])('%s', (_name, operation, expected) => {
    const before = structuredClone(body);
    const target = bodyTarget({ operations: [operation] });
    expect(overriddenBody(before, target)).toEqual(expected);
    const changes: Record<string, unknown> = {};
    addOverride(before, changes, target);
    expect({ ...before, ...changes }).toEqual(expected);
    expect(before).toEqual(body);
  });

  it('follow each other, after the fields that are merged', () => {
    const operations = [
      { mode: 'rename', from: 'a', to: 'b' },
      { mode: 'append', path: 'b', value: 'y' },
    ];
    expect(overriddenBody({ model: 'm' }, bodyTarget({ a: 'x', operations }))).toEqual({ model: 'm', b: 'xy' });
  });

  it('never reach the prototype of an object', () => {
    const operations = [{ mode: 'set', path: '__proto__.polluted', value: true }];
    const changed = overriddenBody({ model: 'm' }, bodyTarget({ operations }));
    expect(Object.keys(changed)).toEqual(['model', '__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each<[boolean, object]>([
    [true, { models: ['gpt-5.1'] }],
    [true, { models: ['gpt-5*', 'o3'] }],
    [true, { models: ['fast'] }],
    [true, { models: ['*.1'] }],
    [false, { models: ['gpt-5'] }],
    [false, { models: ['gpt-5.1*.1'] }],
    [true, { conditions: [{ path: 'model', mode: 'prefix', value: 'gpt-5' }] }],
    [true, { conditions: [{ path: 'original_model', value: 'fast' }] }],
    [false, { conditions: [{ path: 'model', mode: 'prefix', value: 'gpt-5', invert: true }] }],
    [true, { conditions: [{ path: 'messages.0.content', mode: 'contains', value: 'h' }] }],
    [true, { conditions: [{ path: 'messages.-1.content', mode: 'suffix', value: 'i' }] }],
    [true, { conditions: [{ path: 'temperature', mode: 'gte', value: 1 }] }],
    [false, { conditions: [{ path: 'temperature', mode: 'lt', value: 1 }] }],
    [false, { conditions: [{ path: 'absent', value: 1, invert: true }] }],
    [true, { conditions: [{ path: 'absent', value: 1, pass_missing_key: true }] }],
    [
      true,
      {
        conditions: [
          { path: 'temperature', value: 2 },
          { path: 'temperature', value: 1 },
        ],
      },
    ],
    [
      false,
      {
        logic: 'AND',
        conditions: [
          { path: 'temperature', value: 2 },
          { path: 'temperature', value: 1 },
        ],
      },
    ],
  ])('apply: %s for %j', (applies, when) => {
    const target = bodyTarget({ operations: [{ mode: 'set', path: 'done', value: true, ...when }] });
    expect(Object.hasOwn(overriddenBody(body, target), 'done')).toBe(applies);
  });
});

describe('operations on headers', () => {
  const before = { authorization: 'Bearer sk-own', 'content-type': 'application/json', 'anthropic-beta': 'a' };

  it.each<[string, object, object]>([
    ['set by name', { 'X-A': 'b' }, { ...before, 'x-a': 'b' }],
    ['removed with null', { Authorization: null }, { ...before, authorization: undefined }],
    ['the channel’s key', { 'X-Key': 'k={api_key}' }, { ...before, 'x-key': 'k=sk-own' }],
    ['another scheme', { authorization: 'Token {api_key}' }, { ...before, authorization: 'Token sk-own' }],
    ['a header of the client', { 'x-s': '{client_header:X-Session}' }, { ...before, 'x-s': 's1' }],
    ['one the client did not send', { 'x-s': 'a{client_header:X-Other}' }, before],
    [
      'rename',
      { operations: [{ mode: 'rename', from: 'Authorization', to: 'X-Auth' }] },
      { ...before, authorization: undefined, 'x-auth': 'Bearer sk-own' },
    ],
    [
      'append',
      { operations: [{ mode: 'append', path: 'anthropic-beta', value: 'b' }] },
      { ...before, 'anthropic-beta': 'a,b' },
    ],
    ['append what is there', { operations: [{ mode: 'append', path: 'anthropic-beta', value: 'a' }] }, before],
    [
      'keep what is there',
      { operations: [{ mode: 'set', path: 'anthropic-beta', value: 'b', keep_origin: true }] },
      before,
    ],
    ['for another model', { operations: [{ mode: 'set', path: 'x-a', value: 'b', models: ['gpt-4*'] }] }, before],
  ])('%s', (_name, given, expected) => {
    expect(headersOf(given, before, { clientHeaders: { 'x-session': 's1' } })).toEqual(
      Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
    );
  });

  it('leave out a key that cannot be part of a header', () => {
    expect(headersOf({ 'x-key': '{api_key}' }, before, { key: '{"a":\r\n"x-b: c"}' })).toEqual(before);
  });
});

it.each<[unknown, string]>([
  [[], 'must be a JSON object'],
  [{ operations: {} }, 'operations must be a list'],
  [
    { operations: [{ path: 'a' }] },
    'operation 1: mode must be one of set, delete, append, prepend, rename, move, copy',
  ],
  [
    { operations: [{ mode: 'set_header', path: 'a', value: 'b' }] },
    'operation 1 (set_header): mode must be one of set, delete, append, prepend, rename, move, copy',
  ],
  [{ operations: [{ mode: 'set', path: 'a' }] }, 'operation 1 (set): value is missing'],
  [{ operations: [{ mode: 'set', path: 'a..b', value: 1 }] }, 'operation 1 (set): path must not have empty parts'],
  [{ operations: [{ mode: 'delete', path: 'a', valeu: 1 }] }, 'operation 1 (delete): valeu is not known here'],
  [{ operations: [{ mode: 'rename', from: 'a' }] }, 'operation 1 (rename): path must be a text'],
  [
    { operations: [{ mode: 'delete', path: 'a', models: ['a*b*'] }] },
    'operation 1 (delete): a model may contain one * at most',
  ],
  [{ operations: [{ mode: 'delete', path: 'a', logic: 'XOR' }] }, 'operation 1 (delete): logic must be AND or OR'],
  [
    { operations: Array.from({ length: 101 }, () => ({ mode: 'delete', path: 'a' })) },
    'at most 100 operations are possible',
  ],
])('an override of a body is refused: %j', (given, message) => {
  expect(parseBodyOverride(given)).toBe(message);
});

it.each<[unknown, string]>([
  ['x', 'must be a JSON object'],
  [{ 'x y': 'a' }, 'operation 1 (set): "x y" is not a header name'],
  [{ 'x\r\ny': 'a' }, 'operation 1 (set): "x\\r\\ny" is not a header name'],
  [{ 'x-a': 'b\nc' }, 'operation 1 (set): the value of a header must not contain line breaks or control characters'],
  [{ 'x-a': 5 }, 'operation 1 (set): the value of a header must be a text'],
  [{ Host: 'a' }, 'operation 1 (set): host cannot be changed'],
  [{ 'Content-Length': null }, 'operation 1 (delete): content-length cannot be changed'],
  [{ 'x-api-key': 'sk-x' }, 'operation 1 (set): x-api-key may only contain {api_key}, the key of this channel'],
  [
    { Authorization: 'Bearer {api_key}, Bearer sk-x' },
    'operation 1 (set): authorization may only contain {api_key}, the key of this channel',
  ],
  [
    { 'x-a': '{client_header:Authorization}' },
    'operation 1 (set): Authorization of a client is its key for this server, and is not passed on',
  ],
  [{ '*': 'a' }, 'operation 1 (set): headers of clients are passed by name, with {client_header:Name}'],
  [
    { operations: [{ mode: 'rename', from: 'x-a', to: 'transfer-encoding' }] },
    'operation 1 (rename): transfer-encoding cannot be changed',
  ],
  [
    { operations: [{ mode: 'prepend', path: 'a', value: 'b' }] },
    'operation 1 (prepend): mode must be one of set, delete, append, rename, move',
  ],
])('an override of headers is refused: %j', (given, message) => {
  expect(parseHeaderOverride(given)).toBe(message);
});
