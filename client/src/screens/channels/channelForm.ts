import { fromCommaList, toCommaList } from '../../lib/commaList.js';
import type { ChannelDetailFragment, ChannelInput, ChannelPatch } from './channels.generated.js';
import { findJsonProblem } from '../../lib/jsonText.js';

/** The editor's fields; numbers are kept as typed text. */
export interface ChannelValues {
  type: number;
  name: string;
  key: string;
  openaiOrganization: string;
  baseUrl: string;
  other: string;
  models: string[];
  group: string[];
  testModel: string;
  modelPrefix: string;
  maxInputTokens: string;
  priority: string;
  weight: string;
  tag: string;
  autoBan: boolean;
  modelMapping: string;
  statusCodeMapping: string;
  setting: string;
  paramOverride: string;
}

export const newChannel: ChannelValues = {
  type: 1,
  name: '',
  key: '',
  openaiOrganization: '',
  baseUrl: '',
  other: '',
  models: [],
  group: ['default'],
  testModel: '',
  modelPrefix: '',
  maxInputTokens: '',
  priority: '0',
  weight: '0',
  tag: '',
  autoBan: true,
  modelMapping: '',
  statusCodeMapping: '',
  setting: '',
  paramOverride: '',
};

/** The key is write-only: the form starts empty and empty means unchanged. */
export const toValues = (channel: ChannelDetailFragment): ChannelValues => ({
  type: channel.type,
  name: channel.name,
  key: '',
  openaiOrganization: channel.openaiOrganization,
  baseUrl: channel.baseUrl,
  other: channel.other,
  models: fromCommaList(channel.models),
  group: fromCommaList(channel.group),
  testModel: channel.testModel,
  modelPrefix: channel.modelPrefix,
  maxInputTokens: channel.maxInputTokens > 0 ? String(channel.maxInputTokens) : '',
  priority: String(channel.priority),
  weight: String(channel.weight),
  tag: channel.tag,
  autoBan: channel.autoBan === 1,
  modelMapping: channel.modelMapping,
  statusCodeMapping: channel.statusCodeMapping,
  setting: channel.setting,
  paramOverride: channel.paramOverride,
});

export const toInput = (values: ChannelValues): ChannelInput => ({
  type: values.type,
  name: values.name.trim(),
  key: values.key.trim(),
  openaiOrganization: values.openaiOrganization.trim(),
  baseUrl: values.baseUrl.trim().replace(/\/+$/, ''),
  other: values.other.trim() || otherDefault(values.type),
  models: toCommaList(values.models),
  group: toCommaList(values.group),
  testModel: values.testModel.trim(),
  modelPrefix: values.modelPrefix.trim(),
  maxInputTokens: Number(values.maxInputTokens || 0),
  priority: Number(values.priority || 0),
  weight: Number(values.weight || 0),
  tag: values.tag.trim(),
  autoBan: values.autoBan ? 1 : 0,
  modelMapping: values.modelMapping.trim(),
  statusCodeMapping: values.statusCodeMapping.trim(),
  setting: values.setting.trim(),
  paramOverride: values.paramOverride.trim(),
});

/** The patch with changed fields only. */
export function toPatch(
  values: ChannelValues,
  dirty: Readonly<Partial<Record<keyof ChannelValues, unknown>>>,
): ChannelPatch {
  const entries = Object.entries(toInput(values)).filter(
    ([name]) => dirty[name as keyof ChannelValues] !== undefined && dirty[name as keyof ChannelValues] !== false,
  );
  const patch = Object.fromEntries(entries) as ChannelPatch;
  if (patch.key === '') delete patch.key;
  return patch;
}

/** Providers whose credential is one JSON document, never split into several. */
const wholeKeyTypes = new Set([41]);

/** Splits the key field at commas and line breaks. */
export function splitKeys(type: number, text: string): string[] {
  if (wholeKeyTypes.has(type)) return text.trim() === '' ? [] : [text.trim()];
  return text
    .split(/[,\n]/)
    .map((key) => key.trim())
    .filter(Boolean);
}

/** Whether the URL ends with `/v1`, which the gateway adds itself. */
export const endsWithVersion = (url: string): boolean => /\/v1\/*$/.test(url.trim());

/** Types without a default base URL. */
export const needsBaseUrl = new Set([2, 3, 5, 8, 36, 47]);

/** The extra field of some providers, by type; its label is a key of the dictionary. */
export const otherFields = {
  3: { label: 'channels.other.apiVersion', example: '2024-12-01-preview' },
  17: { label: 'channels.other.plugin', example: '' },
  18: { label: 'channels.other.sparkVersion', example: 'v2.1' },
  21: { label: 'channels.other.library', example: '' },
  39: { label: 'channels.other.account', example: 'd6b5da8hk1awo8nap34ube6gh' },
  41: { label: 'channels.other.region', example: 'us-central1' },
} as const;

/** Types for which the extra field is required. */
export const needsOther = new Set([39, 41]);

export type OtherField = (typeof otherFields)[keyof typeof otherFields];

export const otherFieldOf = (type: number): OtherField | undefined =>
  type in otherFields ? otherFields[type as keyof typeof otherFields] : undefined;

/** Default of the extra field for a type. */
export const otherDefault = (type: number): string => (type === 18 ? 'v2.1' : '');

/** Formats of keys that have several parts, in the providers' own terms; not translated. */
const keyFormats: Readonly<Record<number, string>> = {
  15: 'APIKey|SecretKey',
  16: 'id.secret',
  18: 'APPID|APISecret|APIKey',
  22: 'APIKey-AppId',
  23: 'AppId|SecretId|SecretKey',
  26: 'id.secret',
  33: 'AccessKey|SecretKey|Region',
  41: '{ "type": "service_account", "project_id": "…", "private_key": "…" }',
};

export const keyFormatOf = (type: number): string | undefined => keyFormats[type];

/** Drawing and music channels start with all models of their type. */
const preloaded = new Set([2, 5, 36]);

/**
 * The models the editor shows after a change of the type.
 * @param listOf the built-in models of a type
 * @returns null when the chosen models stay
 */
export function modelsAfterType(
  chosen: readonly string[],
  from: number,
  to: number,
  listOf: (type: number) => readonly string[],
): readonly string[] | null {
  const before = preloaded.has(from) ? listOf(from) : [];
  const untouched = chosen.length === before.length && chosen.every((model) => before.includes(model));
  if (!untouched || from === to) return null;
  return preloaded.has(to) ? listOf(to) : before.length > 0 ? [] : null;
}

/** A region in plain text, or a JSON object of model to region. @returns the line at fault, or null */
export const regionProblem = (text: string): number | null =>
  text.trim().startsWith('{') ? (findJsonProblem(text)?.line ?? null) : null;
