import { QueryFailedError } from 'typeorm';
import { growth } from '../../../../tests/support/growth.js';
import { createLogger } from './logger.js';

function record(): { lines: () => string; logger: ReturnType<typeof createLogger> } {
  let lines = '';
  return { lines: () => lines, logger: createLogger('trace', { write: (line: string) => void (lines += line) }) };
}

const secret = 'correct-horse-battery-staple-1234';

it('writes one JSON object a line with level, time and what the caller gave', () => {
  const { lines, logger } = record();
  logger.info({ requestId: 'r1', status: 200 }, 'request');
  expect(JSON.parse(lines())).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    requestId: 'r1',
    status: 200,
    msg: 'request',
  });
});

it.each([
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'key',
  'password',
  'passwordHash',
  'token',
  'accessToken',
  'secret',
  'body',
  'messages',
])('leaves out the value of %s wherever it stands', (name) => {
  const { lines, logger } = record();
  logger.warn({ [name]: secret, deep: { er: [{ [name]: { inside: secret } }] } }, 'x');
  logger.child({ [name]: secret }).error('child');
  expect(lines()).not.toContain(secret);
  expect(lines().split('[redacted]').length - 1).toBe(3);
});

it('keeps what only sounds like a secret', () => {
  const { lines, logger } = record();
  logger.info({ tokenId: 7, tokenName: 'ci', promptTokens: 3, token: null }, 'x');
  expect(JSON.parse(lines())).toMatchObject({ tokenId: 7, tokenName: 'ci', promptTokens: 3, token: null });
});

it.each([
  ['a gateway key in a message', 'call with sk-abcdefghijklmnopqrstuvwxyz012345'],
  ['a project key of OpenAI', 'sk-proj-abcdefghijklmnopqrstuvwxyz'],
  ['a Google key', 'AIzaabcdefghijklmnopqrstuvwxyz'],
  ['a bearer header in a text', 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'],
  ['the password of a URL', 'postgres://tollgate:abcdefghijklmnopqrstuvwxyz@127.0.0.1:5432/x'],
  ['a key in a query', 'https://example.com/v1?alt=sse&key=abcdefghijklmnopqrstuvwxyz'],
])('masks %s by its shape', (_name, text) => {
  const { lines, logger } = record();
  logger.error({ err: new Error(text), text, list: [text] }, text);
  expect(lines()).toContain('[redacted]');
  expect(lines()).not.toContain('abcdefghijklmnopqrstuvwxyz');
  expect(() => JSON.parse(lines())).not.toThrow();
});

it('shows of a failed query what failed, not its parameters nor the row', () => {
  const driver = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
    code: '23505',
    detail: `Key (email)=(${secret}) already exists.`,
  });
  const { lines, logger } = record();
  logger.error({ err: new QueryFailedError('INSERT INTO users VALUES ($1)', [secret], driver) }, 'x');
  expect(lines()).toContain('users_email');
  expect(lines()).not.toContain(secret);
});

it('survives what cannot be walked to its end', () => {
  const { lines, logger } = record();
  const circle: Record<string, unknown> = { buffer: Buffer.from(secret), at: new Date(0) };
  circle.self = circle;
  logger.info({ circle }, 'x');
  expect(lines()).toContain('1970-01-01');
  expect(lines()).not.toContain(secret);
});

it.each(['a.', 'a://b', 'a://b:', 'Basic ', 'Basic a', '?key=', 'sk-', 'AIza'])(
  'takes time in proportion to a line of %j',
  async (piece) => {
    const { logger } = record();
    expect(await growth((times) => logger.info(piece.repeat(times)), 2_000, 16_000)).toBeLessThan(24);
  },
);
