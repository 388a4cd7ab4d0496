import { definitionOf, isOptionKey, optionText, parseOption } from '../../options/option-registry.js';
import { AppError } from '../../shared/errors.js';
import { parseFields } from '../../shared/json.js';
import type { Fields } from '../source/fields.js';
import type { SourceRow } from '../source/source.js';
import type { MapContext, Mapped } from './mapped.js';

const table = 'options';

/** Keys that one-api writes differently. */
const renamed: Readonly<Record<string, string>> = {
  OidcEnabled: 'oidc.enabled',
  OidcClientId: 'oidc.client_id',
  OidcClientSecret: 'oidc.client_secret',
  OidcWellKnown: 'oidc.well_known',
  OidcAuthorizationEndpoint: 'oidc.authorization_endpoint',
  OidcTokenEndpoint: 'oidc.token_endpoint',
  OidcUserinfoEndpoint: 'oidc.user_info_endpoint',
};

/** Options of new-api that change what customers pay, and that have no counterpart. */
const changesPrices =
  /^(CreateCacheRatio|ImageRatio|AudioRatio|AudioCompletionRatio|GroupGroupRatio|billing_setting\.|tool_price_setting\.|task_billing_setting\.|model_ratio_setting\.)/;

/** Saved options. What was never saved has no row, so the values here apply. */
export function mapOption(row: Fields, { findings, decisions, options }: MapContext): Mapped[] {
  const given = row.text('key');
  const newer = newerKey(given);
  if (newer !== null && options.has(newer)) {
    findings.add('option-older', table, given, newer);
    return [];
  }
  const { key, value } = translated(given, row.text('value'));
  if (!isOptionKey(key)) {
    const isPrice = changesPrices.test(key) && !/^(|\{\}|\[\]|null|0|false)$/.test(value.trim());
    const code = isPrice && !decisions.acceptPriceDifferences ? 'price-keys' : 'option-unknown';
    findings.add(code, table, given);
    return [];
  }
  try {
    const parsed = optionText(key, parseOption(key, value));
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
    findings.add('option-refused', table, given, error.message);
    return [];
  }
}

/**
 * In one-api a key has the group of its user. The built-in value here would let every user choose `vip`, which may be cheaper
 * and have other channels.
 */
export function impliedOptions({ family, findings, options }: MapContext): SourceRow[] {
  const key = 'UserUsableGroups';
  if (family !== 'one-api' || options.has(key)) return [];
  findings.add('groups-closed', table, key);
  return [{ key, value: JSON.stringify({ default: 'Default group' }) }];
}

const displayType = 'general_setting.quota_display_type';

/** The key under which newer versions of the old program save the same option, and may have saved it beside this one. */
const newerKey = (key: string): string | null =>
  ({ ...renamed, ChatLink: 'Chats', DisplayInCurrencyEnabled: displayType })[key] ?? null;

function translated(key: string, value: string): { key: string; value: string } {
  if (key === 'ChatLink' && value !== '') return { key: 'Chats', value: JSON.stringify([{ Chat: value }]) };
  if (key === displayType) return { key: 'DisplayInCurrencyEnabled', value: String(value !== 'TOKENS') };
  return { key: renamed[key] ?? key, value };
}

/** The prices that the source has saved, by model. */
export function pricedModels(options: ReadonlyMap<string, string>): ReadonlySet<string> {
  const names = ['ModelRatio', 'ModelPrice'].flatMap((key) => Object.keys(parseFields(options.get(key) ?? '') ?? {}));
  return new Set(names);
}
