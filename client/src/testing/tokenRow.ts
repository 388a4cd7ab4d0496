import type { TokenRowFragment } from '../screens/tokens/tokens.generated.js';

/** A token of the lists: enabled, with half of its dollar used, for every model and without an end. */
export const tokenRow = (id: number, name: string, more: Partial<TokenRowFragment> = {}) => ({
  __typename: 'Token' as const,
  id,
  name,
  maskedKey: 'sk-Jx4T****wxyz',
  status: 'ENABLED' as const,
  createdAt: '2025-06-02T10:11:00.000Z',
  expiresAt: null,
  quota: { __typename: 'TokenQuota' as const, remaining: 500_000, used: 500_000 },
  grantedQuota: 1_000_000,
  modelLimits: null,
  allowIps: [],
  group: null,
  fallbackGroups: [],
  fallbackModels: [],
  usedUpBudgets: [],
  rateLimit: null,
  scopes: ['RELAY' as const, 'USAGE' as const],
  previousKeyUntil: null,
  lastUse: null,
  ...more,
});
