import type { TokenRowFragment } from '../screens/tokens/tokens.generated.js';

/** A token of the lists: enabled, with half of its dollar used, for every model and without an end. */
export const tokenRow = (id: number, name: string, more: Partial<TokenRowFragment> = {}) => ({
  __typename: 'Token' as const,
  id,
  name,
  maskedKey: 'sk-Jx4T****wxyz',
  status: 1,
  createdTime: '2025-06-02T10:11:00.000Z',
  expiredTime: null,
  remainQuota: 500_000,
  usedQuota: 500_000,
  unlimitedQuota: false,
  modelLimitsEnabled: false,
  modelLimits: '',
  allowIps: '',
  group: '',
  rateLimitEnabled: false,
  rateLimitPeriod: 60,
  rateLimitCount: 1000,
  rateLimitSuccess: 10,
  ...more,
});
