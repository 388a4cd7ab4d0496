import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cachesUnasked, chargesAudio, chargingByMaker, familyOf, searchesUnasked } from './charging.js';

const pattern = z.string().refine((text) => !text.startsWith('^') && new RegExp(text) instanceof RegExp);
const patterns = z.array(pattern).min(1).optional();
const schema = z.strictObject({
  families: z
    .array(z.strictObject({ models: pattern, name: z.string().regex(/\*$/) }))
    .min(1)
    .optional(),
  chargesAudio: patterns,
  cachesUnasked: patterns,
  searchesUnasked: patterns,
});

const file = (maker: string): string => join(import.meta.dirname, maker, 'charging.json');
const makers = readdirSync(import.meta.dirname).filter((maker) => existsSync(file(maker)));

it('reads how every maker charges that has something of its own', () => {
  expect(Object.keys(chargingByMaker).sort()).toEqual(makers.sort());
});

it.each(makers)('the charging of %s has the right shape', (maker) => {
  expect(() => schema.parse(JSON.parse(readFileSync(file(maker), 'utf8')))).not.toThrow();
});

it.each([
  ['gpt-4-gizmo-g-123', 'gpt-4-gizmo-*'],
  ['gpt-4o-gizmo-g-123', 'gpt-4o-gizmo-*'],
  ['gpt-4-gizmo-*', 'gpt-4-gizmo-*'],
  ['gpt-4', 'gpt-4'],
  ['my-gpt-4-gizmo', 'my-gpt-4-gizmo'],
])('%s has the name %s in prices, routes and logs', (model, name) => {
  expect(familyOf(model)).toBe(name);
});

it.each<[string, (model: string) => boolean, string[], string[]]>([
  ['charge audio', chargesAudio, ['gpt-4o-audio-preview'], ['gpt-4o', 'x/gpt-4o-audio-preview', 'gpt-audio']],
  [
    'cache prompts without being asked',
    cachesUnasked,
    ['gpt-5.6', 'gpt-5.10-mini', 'gpt-6', 'openai/gpt-6-pro', 'daybreak-1', 'gpt-daybreak-1', 'openai/daybreak-1'],
    ['gpt-5', 'gpt-5.5', 'gpt-60', 'gpt-4o', 'my-gpt-6'],
  ],
  [
    'search without being asked',
    searchesUnasked,
    ['sonar-deep-research', 'perplexity/sonar-deep-research'],
    ['sonar', 'sonar-pro', 'my-sonar-deep-research'],
  ],
])('knows the models that %s', (_name, is, these, others) => {
  expect(these.filter((model) => !is(model))).toEqual([]);
  expect(others.filter(is)).toEqual([]);
});
