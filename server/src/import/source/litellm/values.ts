import { asList } from '../../../shared/json.js';

/** Quota of one USD. LiteLLM has no setting for it. */
export const quotaPerUsd = 500_000;

export const toQuota = (usd: unknown): number => Math.max(0, Math.round(Number(usd ?? 0) * quotaPerUsd) || 0);

export const secondsOf = (value: unknown): number | null =>
  value instanceof Date ? Math.floor(value.getTime() / 1000) : null;

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

export const textsOf = (value: unknown): string[] => asList(value).map(textOf).filter(Boolean);
