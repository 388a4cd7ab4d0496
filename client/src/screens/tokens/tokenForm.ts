import { toTokenBudget, type BudgetValues } from '../../nouns/budgets/budgetForm.js';
import { fromLocalTime, toLocalTime } from '../../lib/localTime.js';
import type { CreateTokenInput, TokenRowFragment, UpdateTokenInput } from './tokens.generated.js';

/** The editor's fields; amounts in USD as typed, times in local time as `YYYY-MM-DDTHH:mm`. */
export interface TokenValues {
  name: string;
  /** The expiry; empty for none. */
  expires: string;
  amount: string;
  unlimited: boolean;
  count: number;
  group: string;
  /** Tried after `group`, in this order. */
  fallbackGroups: string[];
  fallbackModels: string[];
  limitModels: boolean;
  models: string[];
  allowIps: string;
  limitRate: boolean;
  /** Numbers as typed; the period in seconds. */
  ratePeriod: string;
  rateCount: string;
  rateSuccess: string;
  canRelay: boolean;
  canReadUsage: boolean;
  canManageKeys: boolean;
  /** Budgets of a new token. Budgets of an existing one are saved separately. */
  budgets: BudgetValues[];
}

export const batchCounts = [1, 10, 20, 30, 100] as const;

/** Dollars. */
export const amountPresets = [1, 10, 50, 100, 500, 1000] as const;

const hour = 3_600_000;
export const expiryShortcuts = [
  { label: 'tokens.never', milliseconds: null },
  { label: 'tokens.oneHour', milliseconds: hour },
  { label: 'tokens.oneDay', milliseconds: 24 * hour },
  { label: 'tokens.oneMonth', milliseconds: 30 * 24 * hour },
] as const;

const plain = (value: number): string => String(Number(value.toFixed(6)));

export const newToken: TokenValues = {
  name: '',
  expires: '',
  amount: '1',
  unlimited: false,
  count: 1,
  group: '',
  fallbackGroups: [],
  fallbackModels: [],
  limitModels: false,
  models: [],
  allowIps: '',
  limitRate: false,
  ratePeriod: '60',
  rateCount: '1000',
  rateSuccess: '10',
  canRelay: true,
  canReadUsage: true,
  canManageKeys: false,
  budgets: [],
};

export const toTokenValues = (token: TokenRowFragment, quotaPerUnit: number): TokenValues => ({
  name: token.name,
  expires: token.expiresAt ? toLocalTime(token.expiresAt) : '',
  amount: plain((token.quota.remaining ?? 0) / quotaPerUnit),
  unlimited: token.quota.remaining === null || token.quota.remaining === undefined,
  count: 1,
  group: token.group ?? '',
  fallbackGroups: token.fallbackGroups,
  fallbackModels: token.fallbackModels,
  limitModels: Boolean(token.modelLimits),
  models: token.modelLimits ?? [],
  allowIps: token.allowIps.join('\n'),
  limitRate: Boolean(token.rateLimit),
  ratePeriod: token.rateLimit ? String(token.rateLimit.periodSeconds) : newToken.ratePeriod,
  rateCount: token.rateLimit ? String(token.rateLimit.calls ?? 0) : newToken.rateCount,
  rateSuccess: token.rateLimit ? String(token.rateLimit.successes ?? 0) : newToken.rateSuccess,
  canRelay: token.scopes.includes('RELAY'),
  canReadUsage: token.scopes.includes('USAGE'),
  canManageKeys: token.scopes.includes('KEYS'),
  budgets: [],
});

type InputPart = (values: TokenValues, quotaPerUnit: number) => Partial<CreateTokenInput>;

const quota: InputPart = (values, quotaPerUnit) => ({
  quota: values.unlimited ? null : Math.round(Number(values.amount) * quotaPerUnit),
});
const modelLimits: InputPart = ({ limitModels, models }) => ({
  modelLimits: limitModels && models.length > 0 ? models : null,
});
const rateLimit: InputPart = (values) => ({
  rateLimit: values.limitRate
    ? {
        periodSeconds: Number(values.ratePeriod),
        calls: Number(values.rateCount) || null,
        successes: Number(values.rateSuccess) || null,
      }
    : null,
});

const scopes: InputPart = ({ canRelay, canReadUsage, canManageKeys }) => ({
  scopes: [
    ...(canRelay ? (['RELAY'] as const) : []),
    ...(canReadUsage ? (['USAGE'] as const) : []),
    ...(canManageKeys ? (['KEYS'] as const) : []),
  ],
});

/** The parts of the input by form field. */
export const inputParts: Record<Exclude<keyof TokenValues, 'count' | 'budgets'>, InputPart> = {
  name: (values) => ({ name: values.name.trim() }),
  expires: (values) => ({ expiresAt: values.expires === '' ? null : fromLocalTime(values.expires).toISOString() }),
  amount: quota,
  unlimited: quota,
  group: (values) => ({ group: values.group || null }),
  fallbackGroups: ({ fallbackGroups }) => ({ fallbackGroups }),
  fallbackModels: ({ fallbackModels }) => ({ fallbackModels }),
  limitModels: modelLimits,
  models: modelLimits,
  allowIps: (values) => ({ allowIps: values.allowIps.split('\n').flatMap((line) => line.trim() || []) }),
  limitRate: rateLimit,
  ratePeriod: rateLimit,
  rateCount: rateLimit,
  rateSuccess: rateLimit,
  canRelay: scopes,
  canReadUsage: scopes,
  canManageKeys: scopes,
};

export const toTokenInput = (values: TokenValues, quotaPerUnit: number): CreateTokenInput =>
  Object.assign(
    { name: values.name.trim() },
    ...Object.values(inputParts).map((part) => part(values, quotaPerUnit)),
    values.budgets.length > 0 ? { budgets: values.budgets.map((one) => toTokenBudget(one, quotaPerUnit)) } : {},
  ) as CreateTokenInput;

/**
 * Returns the parts of the changed fields. A changed amount is sent as a change of the granted amount, so that quota
 * that the token has spent since the form was opened stays spent. Null: nothing was changed.
 */
export function toTokenUpdate(
  token: TokenRowFragment,
  changed: readonly string[],
  values: TokenValues,
  quotaPerUnit: number,
): UpdateTokenInput | null {
  const names = changed.filter((name): name is keyof typeof inputParts => name in inputParts);
  if (names.length === 0) return null;
  const { quota: amount, ...parts } = Object.assign(
    {},
    ...names.map((name) => inputParts[name](values, quotaPerUnit)),
  ) as Partial<CreateTokenInput>;
  const { id, grantedQuota } = token;
  const { remaining } = token.quota;
  if (amount === undefined) return { id, ...parts };
  if (amount === null || remaining == null || grantedQuota == null) return { id, ...parts, quota: amount };
  return { id, ...parts, grantedQuota: grantedQuota + amount - remaining };
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns names of a batch: the first as typed, the others with a random suffix of six characters. */
export function batchNames(name: string, count: number): string[] {
  const suffix = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]).join('');
  return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name.slice(0, 23)}-${suffix()}`));
}

/** @returns true for an IPv4 or IPv6 address or a CIDR range of either; the server checks again */
export function isAddress(line: string): boolean {
  const [address = '', bits, extra] = line.split('/');
  if (extra !== undefined) return false;
  const v4 = /^(\d{1,3}\.){3}\d{1,3}$/.test(address) && address.split('.').every((part) => Number(part) <= 255);
  const v6 = address.includes(':') && /^[0-9a-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`);
  if (!v4 && !v6) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (v4 ? 32 : 128));
}
