import type { UseFormReturn } from 'react-hook-form';
import type { ChannelDetailFragment, CreateChannelInput, Provider, UpdateChannelInput } from './channels.generated.js';
import {
  limitsOf,
  limitTexts,
  noLimits,
  noTimeouts,
  timeoutsOf,
  timeoutTexts,
  type LimitValues,
  type TimeoutValues,
} from './channelLimits.js';
import { findJsonProblem } from '../../lib/jsonText.js';
import {
  costOf,
  pairsOf,
  parametersOf,
  settingOf,
  textOfCards,
  textOfPairs,
  textOfParameters,
  textOfSetting,
} from './channelTexts.js';

/** The provider. Empty when the channel has a type that the server does not know. */
export type ChannelProvider = Provider | '';

/** The editor's fields; numbers are kept as typed text, tables as JSON text. */
export interface ChannelValues {
  type: ChannelProvider;
  name: string;
  /** Keys between commas or on lines. */
  keys: string;
  openaiOrganization: string;
  baseUrl: string;
  variant: string;
  models: string[];
  groups: string[];
  testModel: string;
  modelPrefix: string;
  maxInputTokens: string;
  /** Id of a user; empty: all users. */
  ownerId: string;
  priority: string;
  weight: string;
  tag: string;
  autoDisable: boolean;
  modelMapping: string;
  statusCodeMapping: string;
  setting: string;
  parameters: string;
  headers: string;
  /** Times the list price; empty: 1. */
  costFactor: string;
  costCards: string;
  limits: LimitValues;
  timeouts: TimeoutValues;
}

/** Each section of the editor gets the whole form. */
export interface SectionProps {
  readonly form: UseFormReturn<ChannelValues>;
}

export const newChannel: ChannelValues = {
  type: 'OPENAI',
  name: '',
  keys: '',
  openaiOrganization: '',
  baseUrl: '',
  variant: '',
  models: [],
  groups: ['default'],
  testModel: '',
  modelPrefix: '',
  maxInputTokens: '',
  ownerId: '',
  priority: '0',
  weight: '0',
  tag: '',
  autoDisable: true,
  modelMapping: '',
  statusCodeMapping: '',
  setting: '',
  parameters: '',
  headers: '',
  costFactor: '',
  costCards: '',
  limits: noLimits,
  timeouts: noTimeouts,
};

/** The keys are write-only: the form starts empty and empty means unchanged. */
export const toValues = (channel: ChannelDetailFragment): ChannelValues => ({
  type: channel.type.provider ?? '',
  name: channel.name,
  keys: '',
  openaiOrganization: channel.openaiOrganization ?? '',
  baseUrl: channel.baseUrl ?? '',
  variant: channel.variant ?? '',
  models: [...channel.models],
  groups: [...channel.groups],
  testModel: channel.testModel ?? '',
  modelPrefix: channel.modelPrefix ?? '',
  maxInputTokens: channel.maxInputTokens ? String(channel.maxInputTokens) : '',
  ownerId: channel.ownerId ? String(channel.ownerId) : '',
  priority: String(channel.priority),
  weight: String(channel.weight),
  tag: channel.tag ?? '',
  autoDisable: channel.autoDisable,
  modelMapping: textOfPairs(channel.modelMapping),
  statusCodeMapping: textOfPairs(channel.statusCodeMapping),
  setting: textOfSetting(channel.setting),
  parameters: textOfParameters(channel.parameters),
  headers: textOfParameters(channel.headers),
  costFactor: channel.cost.factor === 1 ? '' : String(channel.cost.factor),
  costCards: textOfCards(channel.cost.cards),
  limits: limitTexts(channel.limits),
  timeouts: timeoutTexts(channel.timeouts),
});

type Input = Omit<CreateChannelInput, 'type' | 'status' | 'idempotencyKey'> & { type?: Provider };

const textOrNull = (text: string): string | null => text.trim() || null;

export const toInput = (values: ChannelValues): Input => ({
  ...(values.type === '' ? {} : { type: values.type }),
  name: values.name.trim(),
  keys: splitKeys(values.type, values.keys),
  openaiOrganization: textOrNull(values.openaiOrganization),
  baseUrl: values.baseUrl.trim().replace(/\/+$/, '') || null,
  variant: textOrNull(values.variant) ?? textOrNull(variantDefault(values.type)),
  models: values.models,
  groups: values.groups,
  testModel: textOrNull(values.testModel),
  modelPrefix: textOrNull(values.modelPrefix),
  maxInputTokens: Number(values.maxInputTokens) || null,
  ownerId: Number(values.ownerId) || null,
  priority: Number(values.priority || 0),
  weight: Number(values.weight || 0),
  tag: textOrNull(values.tag),
  autoDisable: values.autoDisable,
  modelMapping: pairsOf(values.modelMapping).map(([from, to]) => ({ from, to })),
  statusCodeMapping: pairsOf(values.statusCodeMapping).map(([from, to]) => ({ from: Number(from), to: Number(to) })),
  setting: settingOf(values.setting),
  parameters: parametersOf(values.parameters),
  headers: parametersOf(values.headers),
  cost: costOf(values),
  limits: limitsOf(values.limits),
  timeouts: timeoutsOf(values.timeouts),
});

/** @throws Error for a type that the server does not know */
export function toNewChannel(values: ChannelValues): CreateChannelInput {
  const { type, ...input } = toInput(values);
  if (!type) throw new Error('a channel needs a type');
  return { ...input, type, keys: input.keys.length === 0 && keyless.has(type) ? [noKey] : input.keys };
}

/** Form fields of an input field, where their names differ. */
const partsOf: Readonly<Record<string, readonly (keyof ChannelValues)[]>> = { cost: ['costFactor', 'costCards'] };

/** The patch with changed fields only. */
export function toPatch(
  values: ChannelValues,
  dirty: Readonly<Partial<Record<keyof ChannelValues, unknown>>>,
): Omit<UpdateChannelInput, 'id'> {
  const { keys, ...input } = toInput(values);
  const given: Input = keys.length > 0 ? { ...input, keys } : (input as Input);
  const isDirty = (name: keyof ChannelValues) => dirty[name] !== undefined && dirty[name] !== false;
  const entries = Object.entries(given).filter(([name]) =>
    (partsOf[name] ?? [name as keyof ChannelValues]).some(isDirty),
  );
  return Object.fromEntries(entries);
}

/** Providers whose credential is one JSON document, never split into several. */
const wholeKeyTypes: ReadonlySet<ChannelProvider> = new Set(['VERTEX_AI']);

/** Splits the key field at commas and line breaks. */
export function splitKeys(type: ChannelProvider, text: string): string[] {
  if (wholeKeyTypes.has(type)) return text.trim() === '' ? [] : [text.trim()];
  const keys = text
    .split(/[,\n]/)
    .map((key) => key.trim())
    .filter(Boolean);
  return [...new Set(keys)];
}

/** Self-hosted providers, which need no key. All others refuse a channel without one. */
export const keyless: ReadonlySet<ChannelProvider> = new Set(['OLLAMA', 'VLLM', 'SGLANG', 'XINFERENCE']);

/** Sent for a server without keys, which ignores it. */
export const noKey = 'none';

/** Providers that have ended. Their channels stay; new ones are not offered. */
const ended: ReadonlySet<ChannelProvider> = new Set(['GOOGLE_PALM']);

/** The types by label; the one that is chosen is among them. */
export function typeChoices(
  types: readonly { readonly provider: ChannelProvider | null; readonly label: string }[],
  chosen: ChannelProvider,
): { readonly value: string; readonly label: string }[] {
  const offered = types
    .flatMap(({ provider, label }) => (provider ? [{ value: provider, label }] : []))
    .filter(({ value }) => !ended.has(value) || value === chosen)
    .sort((left, right) => left.label.localeCompare(right.label, 'en'));
  return offered.length > 0 ? offered : [{ value: chosen, label: chosen }];
}

/** Whether the URL ends with `/v1`, which the gateway adds itself. */
export const endsWithVersion = (url: string): boolean => /\/v1\/*$/.test(url.trim());

/** Types without a default base URL. */
export const needsBaseUrl: ReadonlySet<ChannelProvider> = new Set([
  ...(['MIDJOURNEY', 'AZURE', 'MIDJOURNEY_PLUS', 'CUSTOM', 'SUNO', 'XINFERENCE'] as const),
  ...(['CHOSEN_ENDPOINTS', 'NEW_API', 'VLLM', 'SGLANG'] as const),
]);

/**
 * Base URLs that providers with several sites or plans have, the default one first; the editor offers them. A key is valid
 * at one of them only.
 */
const knownBaseUrls: Partial<Readonly<Record<ChannelProvider, readonly string[]>>> = {
  SILICONFLOW: ['https://api.siliconflow.cn', 'https://api.siliconflow.com'],
  KLING: ['https://api.klingai.com', 'https://api-singapore.klingai.com', 'https://api-beijing.klingai.com'],
  VIDU: ['https://api.vidu.cn', 'https://api.vidu.com'],
  VOLCENGINE: [
    'https://ark.cn-beijing.volces.com',
    'https://ark.cn-beijing.volces.com/api/coding/v3',
    'https://ark.ap-southeast.bytepluses.com',
  ],
};

export const knownBaseUrlsOf = (type: ChannelProvider): readonly string[] => knownBaseUrls[type] ?? [];

/** The extra field of some providers, by type; its label is a key of the dictionary. */
const variantFields = {
  AZURE: { label: 'channels.other.apiVersion', example: '2024-12-01-preview' },
  ALI: { label: 'channels.other.plugin', example: '' },
  XUNFEI: { label: 'channels.other.sparkVersion', example: 'v2.1' },
  AI_PROXY_LIBRARY: { label: 'channels.other.library', example: '' },
  CLOUDFLARE: { label: 'channels.other.account', example: 'd6b5da8hk1awo8nap34ube6gh' },
  VERTEX_AI: { label: 'channels.other.region', example: 'us-central1' },
} as const;

/** The type whose extra field is JSON: the endpoints of its provider. */
export const endpointsType = 'CHOSEN_ENDPOINTS' satisfies ChannelProvider;

/** Types for which the extra field is required. */
export const needsVariant: ReadonlySet<ChannelProvider> = new Set(['CLOUDFLARE', 'VERTEX_AI']);

type VariantField = (typeof variantFields)[keyof typeof variantFields];

export const variantFieldOf = (type: ChannelProvider): VariantField | undefined =>
  type in variantFields ? variantFields[type as keyof typeof variantFields] : undefined;

/** Default of the extra field for a type. */
export const variantDefault = (type: ChannelProvider): string => (type === 'XUNFEI' ? 'v2.1' : '');

/** Formats of keys that have several parts, in the providers' own terms; not translated. */
const keyFormats: Partial<Readonly<Record<ChannelProvider, string>>> = {
  BAIDU: 'APIKey|SecretKey',
  ZHIPU: 'id.secret',
  XUNFEI: 'APPID|APISecret|APIKey',
  FASTGPT: 'APIKey-AppId',
  TENCENT: 'AppId|SecretId|SecretKey',
  ZHIPU_4V: 'id.secret',
  AWS: 'AccessKey|SecretKey|Region',
  KLING: 'AccessKey|SecretKey',
  JIMENG: 'AccessKey|SecretKey',
  VERTEX_AI: '{ "type": "service_account", "project_id": "…", "private_key": "…" }',
};

export const keyFormatOf = (type: ChannelProvider): string | undefined => keyFormats[type];

/** Drawing and music channels start with all models of their type. */
const preloaded: ReadonlySet<ChannelProvider> = new Set(['MIDJOURNEY', 'MIDJOURNEY_PLUS', 'SUNO']);

/**
 * The models the editor shows after a change of the type.
 * @param listOf the built-in models of a type
 * @returns null when the chosen models stay
 */
export function modelsAfterType(
  chosen: readonly string[],
  from: ChannelProvider,
  to: ChannelProvider,
  listOf: (type: ChannelProvider) => readonly string[],
): readonly string[] | null {
  const before = preloaded.has(from) ? listOf(from) : [];
  const untouched = chosen.length === before.length && chosen.every((model) => before.includes(model));
  if (!untouched || from === to) return null;
  return preloaded.has(to) ? listOf(to) : before.length > 0 ? [] : null;
}

/** A region in plain text, or a JSON object of model to region. @returns the line at fault, or null */
export const regionProblem = (text: string): number | null =>
  text.trim().startsWith('{') ? (findJsonProblem(text)?.line ?? null) : null;
