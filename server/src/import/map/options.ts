import { definitionOf, isOptionKey, optionText, parseOption } from '../../options/option-registry.js';
import { AppError } from '../../shared/errors.js';
import { parseFields } from '../../shared/json.js';
import { toolQuantities } from '../../shared/price-card.js';
import type { Fields } from '../source/fields.js';
import type { SourceRow } from '../source/source.js';
import { isPaidTable, paidNumbers } from '../prices/price-plan.js';
import { priceTables } from '../prices/site-prices.js';
import { toolPriceOption } from '../prices/tool-fees.js';
import type { MapContext, Mapped } from './mapped.js';

const table = 'options';

interface SavedOption {
  readonly key: string;
  readonly value: string;
}

/** Keys that one-api and new-api name differently. */
const renamed: Readonly<Record<string, string>> = {
  OidcEnabled: 'oidc.enabled',
  OidcClientId: 'oidc.client_id',
  OidcClientSecret: 'oidc.client_secret',
  OidcWellKnown: 'oidc.well_known',
  OidcAuthorizationEndpoint: 'oidc.authorization_endpoint',
  OidcTokenEndpoint: 'oidc.token_endpoint',
  OidcUserinfoEndpoint: 'oidc.user_info_endpoint',
  'checkin_setting.enabled': 'CheckInEnabled',
  'checkin_setting.min_quota': 'CheckInQuota',
  'checkin_setting.max_quota': 'CheckInMaxQuota',
};

/** Options of new-api that change customers' prices and have no counterpart. */
const changesPrices =
  /^(GroupGroupRatio|billing_setting\.|tool_price_setting\.|task_billing_setting\.|model_ratio_setting\.)/;

/** Tables of new-api that have no counterpart as a whole. The models that are served get the resulting prices. */
const movedAsPrices = new Set(['CreateCacheRatio', 'ImageRatio', 'AudioRatio', 'AudioCompletionRatio']);

/** Maps a saved option. An option that was never saved has no row, so this product's default applies. */
export function mapOption(row: Fields, context: MapContext): Mapped[] {
  const { findings, options } = context;
  const given = row.text('key');
  const newer = newerKey(given);
  if (newer !== null && options.has(newer)) {
    findings.add('option-older', table, given, newer);
    return [];
  }
  return translated(given, row.text('value')).flatMap((option) => mapTranslated(given, option, context));
}

/** @param given the key in the source */
function mapTranslated(
  given: string,
  { key, value }: SavedOption,
  { findings, decisions, prices }: MapContext,
): Mapped[] {
  if (!isOptionKey(key)) {
    // Tool fees are moved with the prices, even where they are the same here.
    const areFees = key === toolPriceOption && prices?.generation === 'new-api 2026';
    const isMoved = prices && (movedAsPrices.has(key) || areFees);
    const isPrice = !isMoved && changesPrices.test(key) && !/^(|\{\}|\[\]|null|0|false)$/.test(value.trim());
    if (isPrice) findings.addDecision(decisions, 'price-keys', table, given);
    else if (!isMoved) findings.add('option-unknown', table, given);
    return [];
  }
  if (prices && isPaidTable(key) && !prices.options.has(key)) return [];
  try {
    const parsed = prices?.options.get(key) ?? optionText(key, parseOption(key, value));
    const { secret, defaultValue } = definitionOf(key);
    if (parsed !== optionText(key, defaultValue)) findings.add('option-set', table, key);
    const isSealed = secret && parsed !== '';
    return [
      {
        key,
        values: { key, ...(isSealed ? {} : { value: parsed }) },
        ...(isSealed ? { sealed: { value: parsed } } : {}),
      },
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (paidNumbers.has(key)) findings.addDecision(decisions, 'price-refused', table, given, error.message);
    else findings.add('option-refused', table, given, error.message);
    return [];
  }
}

/**
 * Returns options that the source has not saved, but without which calls would be charged or routed differently here.
 */
export function impliedOptions({ family, findings, options, prices }: MapContext): SourceRow[] {
  const implied = [...(prices?.options ?? [])].map(([key, value]) => ({ key, value }));
  // In one-api a key has the group of its user. The default here would let every user choose `vip`, which may be
  // cheaper and have other channels.
  if (family === 'one-api' && !options.has('UserUsableGroups')) {
    findings.add('groups-closed', table, 'UserUsableGroups');
    implied.push({ key: 'UserUsableGroups', value: JSON.stringify({ default: 'Default group' }) });
  }
  // one-api forwards provider tools and does not charge for them.
  if (family === 'one-api') {
    const free = Object.fromEntries(toolQuantities.map((tool) => [tool, 0]));
    implied.push({ key: 'ToolPrices', value: JSON.stringify({ '*': free }) }, { key: 'UnpricedTools', value: 'free' });
  }
  return implied.filter(({ key }) => !options.has(key));
}

/** Returns options with prices of an earlier run, which the source has changed since so that none are needed any more. */
export function needlessPrices({ family, options, prices }: MapContext): Mapped[] {
  const tools = family === 'one-api' ? [] : ['ToolPrices', 'UnpricedTools'];
  return [...priceTables, 'PriceCards', ...tools]
    .filter((key) => !options.has(key) && !prices?.options.has(key))
    .map((key) => ({ key, values: { key }, isGone: true }));
}

const displayType = 'general_setting.quota_display_type';

/** Returns the key under which newer versions of the source program save the same option. Both keys may be saved. */
const newerKey = (key: string): string | null =>
  ({ ...renamed, ChatLink: 'Chats', DisplayInCurrencyEnabled: displayType })[key] ?? null;

function translated(key: string, value: string): SavedOption[] {
  if (key === 'ChatLink' && value !== '') return [{ key: 'Chats', value: JSON.stringify([{ Chat: value }]) }];
  if (key === displayType) {
    const inCurrency = { key: 'DisplayInCurrencyEnabled', value: String(value !== 'TOKENS') };
    return value === 'TOKENS' ? [inCurrency] : [inCurrency, { key, value }];
  }
  return [{ key: renamed[key] ?? key, value }];
}

/** Returns the prices that the source has saved, by model. */
export function pricedModels(options: ReadonlyMap<string, string>): ReadonlySet<string> {
  const names = ['ModelRatio', 'ModelPrice', 'PriceCards'].flatMap((key) =>
    Object.keys(parseFields(options.get(key) ?? '') ?? {}),
  );
  return new Set(names);
}
