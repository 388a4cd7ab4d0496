import { defaultOptionValues } from '../../options/option-registry.js';
import { createLogger } from '../../platform/observability/logger.js';
import { SensitiveWords } from '../../gateway/admit/sensitive-words.js';
import { Guardrails } from '../../gateway/admit/guardrails/guardrails.js';
import type { Actor } from '../../shared/actor.js';
import { GuardrailTrialService } from './guardrail-trial.service.js';

const logger = createLogger('silent');
const options = { values: { ...defaultOptionValues(), 'guardrails.moderation_token': 'sk-moderation' } };
const asked: { url: string; body: string; headers: Record<string, string> }[] = [];
let answer: () => { status: number; body: Buffer };
const fetcher = {
  fetch: (request: (typeof asked)[number]) => {
    asked.push(request);
    return Promise.resolve(answer());
  },
};
const words = new SensitiveWords(options, logger);
const trials = new GuardrailTrialService(new Guardrails({ words, options, logger, fetcher: fetcher as never }));
const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };
const rule = (more: object) => JSON.stringify({ name: 'r', stage: 'input', action: 'mask', ...more });
const reply = (body: unknown, status = 200) => ({ status, body: Buffer.from(JSON.stringify(body)) });

beforeEach(() => (asked.length = 0));

it('shows what words and personal data become', async () => {
  expect(
    await trials.try(root, rule({ check: 'words', words: ['Heron', 'regex:du+rian'] }), 'heron, duuurian'),
  ).toEqual({
    matched: ['heron', 'regex:du+rian'],
    text: '[removed], [removed]',
    failure: null,
  });
  expect(
    await trials.try(root, rule({ check: 'patterns', patterns: ['card'] }), 'a@b.example 4111111111111111'),
  ).toEqual({
    matched: ['card'],
    text: 'a@b.example [card]',
    failure: null,
  });
});

it('asks the service of the rule, with its key', async () => {
  answer = () => reply({ results: [{ flagged: true, categories: { hate: true, violence: false } }] });
  const moderation = rule({ action: 'block', check: 'moderation', on_failure: 'open' });
  expect(await trials.try(root, moderation, 'text')).toEqual({ matched: ['hate'], text: 'text', failure: null });
  expect(asked[0]?.url).toBe('https://api.openai.com/v1/moderations');
  expect(asked[0]?.headers['authorization']).toBe('Bearer sk-moderation');
  answer = () => reply({ matched: ['name'], texts: ['I am ***'] });
  const webhook = rule({ check: 'webhook', url: 'https://guard.example.com', on_failure: 'closed' });
  expect(await trials.try(root, webhook, 'I am Ann')).toEqual({ matched: ['name'], text: 'I am ***', failure: null });
  answer = () => reply({}, 500);
  expect(await trials.try(root, webhook, 'I am Ann')).toEqual({ matched: [], text: 'I am Ann', failure: 'status 500' });
});

it.each([
  ['{', 'rule is not JSON'],
  [
    '{"name":"r","stage":"input","action":"mask","check":"words","words":["regex:("]}',
    'rule words.0 must be a valid pattern',
  ],
  [
    '{"name":"r","stage":"input","action":"mask","check":"webhook","url":"ftp://x","on_failure":"open"}',
    'rule url must be an http',
  ],
])('refuses %s', async (json, message) => {
  await expect(trials.try(root, json, 'text')).rejects.toThrow(message);
  expect(asked).toEqual([]);
});

it('is for root, and for texts of a prompt', async () => {
  const admin: Actor = { ...root, id: 2, role: 'admin' };
  await expect(trials.try(admin, '{}', '')).rejects.toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
  await expect(trials.try(root, rule({ check: 'words', words: ['x'] }), 'x'.repeat(10_001))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});
