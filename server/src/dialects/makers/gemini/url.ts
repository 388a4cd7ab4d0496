import { InvalidInputError } from '../../../shared/errors.js';
import type { Target } from '../../target.js';
import { asFields, asText, parseFields, someText, type Fields } from '../../neutral/fields.js';

/** Names of tuned models contain their own folder. */
export const modelPath = (model: string): string => (model.includes('/') ? model : `models/${model}`);

const versionForm = /^v\d+[a-z0-9]*$/;

/**
 * The channel field `other`: a version of the API, or a JSON object of versions by model with a `default`. Texts that are no version do not
 * count.
 */
function versionOfChannel({ other }: Pick<Target, 'other'>, model: string): string | undefined {
  const versions = parseFields(other);
  const version = versions ? (someText(versions[model]) ?? asText(versions['default'])) : other.trim();
  return versionForm.test(version) ? version : undefined;
}

/** Refuses a value of `other` that names no version. */
export function checkGeminiVersion(other: string): void {
  const versions = parseFields(other);
  const given = versions ? Object.values(versions) : [other.trim()].filter(Boolean);
  if (given.every((each) => typeof each === 'string' && versionForm.test(each))) return;
  throw new InvalidInputError('other must be a version of the API, such as v1beta, or versions by model', 'variant');
}

const fieldsOfV1 = new Set(['contents', 'safetySettings', 'generationConfig']);
const configOfV1 = new Set([
  ...['temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'candidateCount'],
  ...['seed', 'presencePenalty', 'frequencyPenalty'],
]);

/** Whether the channel is called at `v1`, which has no instructions, tools, schemas or settings of thinking. */
export const isAtV1 = (target: Target, model: string): boolean => versionOfChannel(target, model) === 'v1';

const fitsV1 = ({ generationConfig, ...body }: Fields): boolean =>
  Object.keys(body).every((name) => fieldsOfV1.has(name)) &&
  Object.keys(asFields(generationConfig) ?? {}).every((name) => configOfV1.has(name));

/** Returns the channel's URL without a slash or a version at its end. */
export const geminiBase = ({ baseUrl }: Pick<Target, 'baseUrl'>): string =>
  baseUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/v1(?:beta|alpha)?$/, '');

/**
 * @param method called on the model, with its query
 * @param body of a chat call: one that `v1` refuses goes to `v1beta`
 */
export function geminiUrl(target: Target, model: string, method: string, body: Fields = {}): string {
  const base = geminiBase(target);
  const versions = target.families.geminiVersions;
  const own = versionOfChannel(target, model);
  const fitting = own === 'v1' && !fitsV1(body) ? 'v1beta' : own;
  const version = fitting ?? versions[model] ?? versions['default'] ?? 'v1beta';
  const path = modelPath(model).split('/').map(encodeURIComponent).join('/');
  return `${base}/${version}/${path}:${method}`;
}

/** The key is never part of the URL, which is logged. */
export const geminiHeaders = (target: Target, stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'x-goog-api-key': target.key,
});
