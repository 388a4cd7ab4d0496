import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { publishedLimits } from './limits.js';

const sources = join(import.meta.dirname, '../..');

/** The import reads tables of other programs; routes of the console have examples. */
const free = /^import\/|^console\/.*\.routes\.ts$|\.test\.ts$/;

/**
 * Files outside of the folders of makers that name models or their families. Add none: data about a model belongs to its
 * maker.
 */
const remaining = [
  'billing/prices/sync/litellm-document.ts',
  'billing/prices/sync/provider-names.ts',
  'console/channels/channel-test-request.ts',
  'dialects/accepts.ts',
  'dialects/languages/anthropic/claude-model.ts',
  'dialects/languages/gemini/gemini-model.ts',
  'dialects/languages/gemini/gemini-settings.ts',
  'dialects/languages/openai/usage.ts',
  'dialects/languages/responses/responses-write.ts',
  'gateway/reserve/estimate.ts',
  'gateway/reserve/metering/image-tokens.ts',
  'gateway/reserve/metering/text-meter.ts',
  'gateway/route/call-route.ts',
  'options/default-tables.ts',
  'shared/model-kind.ts',
];

const models = publishedLimits.flatMap((limits) => limits.models);
const whole = new Set(models);
/** Beginnings that only names of models have: family and version, such as `gpt-4`. */
const versions = new Set(models.flatMap((model) => /^[a-z]{2,}-?\d/.exec(model) ?? []));

/** Whether a word is the name of a model or of a family of models. */
const isName = (word: string): boolean =>
  whole.has(word) ||
  [...versions].some((version) => word.startsWith(version)) ||
  (word.includes('-') && models.some((model) => model.startsWith(word)));

/** Texts in quotes and parts of regular expressions, without comments. */
const wordsOf = (code: string): string[] =>
  code
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    // Examples of requests in the description of a route.
    .replace(/^.*\b(?:example|\w+Example)\b.*$/gm, '')
    .replaceAll('\\.', '.')
    .match(/[A-Za-z][\w.-]{3,}/g) ?? [];

it('names models in the folder of their maker, and in no further file outside of it', () => {
  const found = readdirSync(sources, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts') && !file.parentPath.startsWith(import.meta.dirname))
    .map((file) => relative(sources, join(file.parentPath, file.name)))
    .filter((file) => !free.test(file))
    .filter((file) => wordsOf(readFileSync(join(sources, file), 'utf8')).some(isName));
  expect(found.sort()).toEqual(remaining);
});
