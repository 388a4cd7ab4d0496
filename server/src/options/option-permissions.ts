import type { Permission } from '../shared/permission.js';
import { definitionOf, type OptionKey } from './option-registry.js';

/** Settings that decide how much a call costs. */
export const priceOptions: readonly OptionKey[] = [
  ...(['QuotaPerUnit', 'ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio', 'PriceCards'] as const),
  ...(['GroupRatio', 'UserUsableGroups', 'ToolPrices', 'UnpricedTools'] as const),
];

/** Settings that give users quota: they are worth as much as a grant. */
const gifts: readonly OptionKey[] = [
  ...(['QuotaForNewUser', 'QuotaForInviter', 'QuotaForInvitee', 'RebateEnabled', 'RebatePercentage'] as const),
  ...(['CheckInEnabled', 'CheckInQuota', 'CheckInMaxQuota'] as const),
];

const priceSync: readonly OptionKey[] = [
  ...(['PriceSyncSources', 'PriceSyncHours', 'PriceSyncThreshold', 'PriceSyncMarkup', 'PriceSyncApply'] as const),
];

/** Payment settings (docs/reference/rest/options.md). `ServerAddress` is root's: links of password mails contain it. */
const payments: readonly OptionKey[] = [
  ...(['PayAddress', 'EpayId', 'EpayKey', 'Price', 'MinTopUp', 'CustomCallbackAddress'] as const),
  ...(['StripeSecretKey', 'StripeSigningSecret', 'StripeCurrency', 'StripePrice', 'StripeMinTopUp'] as const),
  ...(['TopupGroupRatio', 'TopUpLink'] as const),
  ...(['statements.time_zone', 'statements.seller_name', 'statements.seller_address'] as const),
  ...(['statements.seller_tax_id', 'statements.note'] as const),
];

const contents: readonly OptionKey[] = ['LogChatContentEnabled'];

const needed = new Map<OptionKey, readonly Permission[]>([
  ...priceOptions.map((key) => [key, ['prices']] as const),
  ...gifts.map((key) => [key, ['options', 'users.quota']] as const),
  ...priceSync.map((key) => [key, ['prices.sync']] as const),
  ...payments.map((key) => [key, ['payments.settings']] as const),
  ...contents.map((key) => [key, ['options', 'logs.content']] as const),
]);

/** Permissions of which a caller needs one to read and change settings; which settings depends on the permission. */
export const optionPermissions: readonly Permission[] = ['options', 'prices', 'payments.settings'];

/**
 * Returns all the permissions that changing a setting requires.
 * @returns null for settings that only root changes: sign-in, mail, addresses that the server calls
 */
export const permissionsToWrite = (key: OptionKey): readonly Permission[] | null =>
  needed.get(key) ?? (definitionOf(key).writer === 'root' ? null : ['options']);
