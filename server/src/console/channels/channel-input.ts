import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { findProvider, providerOf } from '../../dialects/makers/providers.js';
import { nameSeparator } from '../../shared/comma-list.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { Channel } from './channel.entity.js';
import { jsonFields, parseMapping, readJson } from './channel-json.js';
import { maxInt32 } from '../../shared/limits.js';

/** The fields of a channel that admins can set, besides its keys. */
export const channelFieldNames = [
  ...['type', 'name', 'status', 'openaiOrganization', 'testModel', 'weight', 'priority', 'baseUrl', 'other'],
  ...['models', 'groups', 'modelMapping', 'statusCodeMapping', 'autoDisable', 'tag', 'setting', 'parameters'],
  ...['headers', 'cost', 'limits', 'timeouts', 'modelPrefix', 'maxInputTokens', 'ownerId'],
] as const;

/** Fields of the input that are texts. */
export const channelTextNames: ReadonlySet<string> = new Set([
  ...['name', 'status', 'openaiOrganization', 'testModel', 'baseUrl', 'other', 'tag', 'modelPrefix'],
]);

/** Fields of a channel as they are stored. Several keys are separated by commas or line breaks. */
export type ChannelFields = Pick<Channel, (typeof channelFieldNames)[number]> & { readonly key: string };

/** Fields from outside. The JSON fields are unchecked, in the form of the REST API; null stands for none. */
export type ChannelInput = Partial<
  Omit<ChannelFields, keyof typeof jsonFields> & Readonly<Record<keyof typeof jsonFields, unknown>>
>;

const maxModelLength = 255;
const maxPrefixLength = 64;
const maxTextLength = 100_000;

/** Defaults of a new channel (docs/reference/rest/channels.md#create-and-edit). */
export const newChannelDefaults = {
  type: 1,
  status: 'enabled',
  groups: ['default'],
  autoDisable: true,
  priority: 0,
  weight: 0,
} satisfies Partial<ChannelFields>;

/**
 * Validates and normalises the given fields; absent ones stay absent. An empty key counts as absent.
 * @throws InvalidInputError naming the field, never its value
 */
export function parseFields(given: ChannelInput): Partial<ChannelFields> {
  const fields = { ...given };
  if (fields.type !== undefined) checkType(fields.type);
  for (const name of texts) if (fields[name] !== undefined) fields[name] = parseText(fields[name], name);
  if (fields.name === '') throw new InvalidInputError('Channel name must not be empty', 'name');
  if (fields.baseUrl !== undefined) fields.baseUrl = parseBaseUrl(fields.baseUrl);
  if (fields.models !== undefined) fields.models = parseNames(fields.models, 'models');
  if (fields.groups !== undefined) fields.groups = parseNames(fields.groups, 'groups');
  if ((fields.modelPrefix ?? '').length > maxPrefixLength) {
    throw new InvalidInputError(`Model prefix must have at most ${maxPrefixLength} characters`, 'modelPrefix');
  }
  for (const name of jsonNames) if (fields[name] !== undefined) fields[name] = jsonFields[name](fields[name]);
  checkInteger(fields.weight, 'weight', 0);
  checkInteger(fields.priority, 'priority', -maxInt32);
  checkInteger(fields.maxInputTokens, 'maxInputTokens', 0);
  checkInteger(fields.ownerId, 'ownerId', 0);
  // The REST API writes 0 for none.
  if (fields.maxInputTokens === 0) fields.maxInputTokens = null;
  if (fields.ownerId === 0) fields.ownerId = null;
  if (fields.key?.trim() === '') delete fields.key;
  return fields as Partial<ChannelFields>;
}

const jsonNames = Object.keys(jsonFields) as Array<keyof typeof jsonFields>;

/** Returns the keys in their stored form. */
export const joinKeys = (type: number, key: string): string => splitKeys(key, providerOf(type).keyForm).join(',');

/**
 * Runs the checks that need the complete channel.
 * @throws InvalidInputError
 */
export function checkWhole(
  channel: Pick<Channel, 'type' | 'baseUrl' | 'other'> & Partial<Pick<Channel, 'setting'>>,
): void {
  const { baseUrl, type, setting } = channel;
  const { needsBaseUrl, socketBase, adapterFor, alternative } = providerOf(type);
  if (setting?.chatUpstream === 'alternative' && !alternative) {
    throw new InvalidInputError('Channel setting: chat_upstream must be chat or responses for this type', 'setting');
  }
  if (setting?.chatUpstream === 'alternative' && adapterFor?.(channel)) {
    const problem = 'chat_upstream cannot be alternative at the address of a coding plan';
    throw new InvalidInputError(`Channel setting: ${problem}`, 'setting');
  }
  if (baseUrl === '' && needsBaseUrl) throw new InvalidInputError('Channels of this type need a base URL', 'baseUrl');
  if (/^wss?:/i.test(baseUrl) && !socketBase) throw notHttp();
  if (planName.test(baseUrl) && !adapterFor?.(channel)) throw notHttp();
}

/** Matches the name of a coding plan, which older consoles store as the base URL. */
const planName = /^[a-z-]+-coding-plan(?:-international)?$/;

const notHttp = (): InvalidInputError =>
  new InvalidInputError('Base URL must be an http:// or https:// address', 'baseUrl');

/**
 * Checks `other` for providers where it contains a region (`OtherField`).
 * @throws InvalidInputError
 */
export function checkRegion(type: number | undefined, other: string): void {
  if (type === undefined) return;
  const rules = providerOf(type).other;
  const { form } = rules;
  rules.check?.(other);
  if (form !== 'region') return;
  if (other.trim() === '') throw new InvalidInputError('Deployment region must not be empty', 'variant');
  if (!other.trim().startsWith('{')) return;
  if (!Object.hasOwn(parseMapping(readJson(other, 'variant'), 'variant'), 'default')) {
    throw new InvalidInputError('Deployment region must contain default', 'variant');
  }
}

/** Names of fields in errors, as the GraphQL inputs have them. */
const inputName: Readonly<Record<string, string>> = { other: 'variant' };

const texts = ['name', 'openaiOrganization', 'testModel', 'other', 'tag', 'modelPrefix'] as const;

function parseText(text: string, field: string): string {
  if (text.length > maxTextLength) throw new InvalidInputError(`${field} is too long`, inputName[field] ?? field);
  // Postgres texts cannot contain NUL.
  if (text.includes('\0'))
    throw new InvalidInputError(`${field} must not contain control characters`, inputName[field] ?? field);
  // This is the stored form, because the result is compared with the row and written to the audit log.
  return text.trim().toWellFormed();
}

function checkType(type: number): void {
  if (!findProvider(type)?.offered) throw new InvalidInputError('Unknown channel type', 'type');
}

function parseBaseUrl(text: string): string {
  const url = text.trim().replace(/\/+$/, '');
  // `checkWhole` checks the names.
  if (url === '' || planName.test(url)) return url;
  // The URL of a custom channel may contain {model} anywhere.
  const plain = url.replaceAll('{model}', 'model');
  // `checkWhole` refuses WebSockets for types that have none.
  if (!URL.canParse(plain) || !/^(?:https?|wss?):$/.test(new URL(plain).protocol)) throw notHttp();
  return url;
}

/** Returns the names trimmed, each once, in their order. */
export const namesOf = (given: readonly string[]): string[] => [
  ...new Set(given.map((name) => name.trim().toWellFormed()).filter(Boolean)),
];

/**
 * Checks a list of names.
 * @throws InvalidInputError for none, and for a name with a separator, which would be read as two
 */
function parseNames(given: readonly string[], field: 'models' | 'groups'): string[] {
  if (given.some((name) => nameSeparator.test(name))) {
    throw new InvalidInputError('A name cannot contain a comma, a semicolon or a line break', field);
  }
  parseText(given.join(','), field);
  const names = namesOf(given);
  if (names.length === 0) throw new InvalidInputError(`At least one ${field.slice(0, -1)} is required`, field);
  if (field === 'models' && names.some((name) => name.length > maxModelLength)) {
    throw new InvalidInputError('Model name too long', field);
  }
  return names;
}

function checkInteger(value: number | null | undefined, field: string, low: number, high = maxInt32): void {
  if (value == null) return;
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new InvalidInputError(`${field} must be a whole number from ${low} to ${high}`, inputName[field] ?? field);
  }
}
