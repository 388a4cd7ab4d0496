import type { Example, FindingCode } from '../../findings.js';
import { Fields } from '../fields.js';
import type { SourceDatabase } from '../source.js';
import { toolPricesThere } from './tools.js';

/** Options under their names in this product. */
const renamed: Readonly<Record<string, string>> = {
  LinuxDoOAuthEnabled: 'LinuxDOOAuthEnabled',
  LinuxDoClientId: 'LinuxDOClientId',
  LinuxDoClientSecret: 'LinuxDOClientSecret',
  OIDCAuthEnabled: 'oidc.enabled',
  OIDCClientId: 'oidc.client_id',
  OIDCClientSecret: 'oidc.client_secret',
  PaymentUSDRate: 'Price',
  PaymentMinAmount: 'MinTopUp',
  DisableChannelKeywords: 'AutomaticDisableKeywords',
};

/** Options of one-api that one-hub has replaced by its tables, and keeps in a database that it has taken over. */
const replacedByTables = new Set(['ModelRatio', 'ModelPrice', 'CompletionRatio', 'GroupRatio']);

/** Returns the saved options, with those that one-hub keeps in its table of groups and in its program. */
export async function readOptions(
  source: SourceDatabase,
  notes: Array<Example & { readonly code: FindingCode }>,
): Promise<Map<string, string>> {
  const options = new Map<string, string>();
  for (const row of source.columns.has('options') ? await source.all('options') : []) {
    const fields = new Fields(row);
    const key = fields.text('key');
    if (replacedByTables.has(key)) continue;
    options.set(renamed[key] ?? key, fields.text('value'));
  }
  const issuer = options.get('OIDCIssuer') ?? '';
  if (issuer !== '') {
    options.delete('OIDCIssuer');
    options.set('oidc.well_known', `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  }
  const groups = (await source.all('user_groups')).map((row) => new Fields(row));
  const ratios = groups.map((group) => [group.text('symbol'), group.decimal('ratio')]);
  const offered = groups.filter((group) => group.flag('public') && (!group.has('enable') || group.flag('enable')));
  options.set('GroupRatio', JSON.stringify(Object.fromEntries(ratios)));
  const names = offered.map((group) => [group.text('symbol'), group.text('name') || group.text('symbol')]);
  options.set('UserUsableGroups', JSON.stringify(Object.fromEntries(names)));
  options.set('ToolPrices', JSON.stringify(toolPricesThere));
  // one-hub forwards tools that it has no price for.
  options.set('UnpricedTools', 'free');
  for (const group of groups) {
    const symbol = group.text('symbol');
    const left = (name: string): number =>
      notes.push({ code: 'setting-unmapped', table: 'user_groups', id: symbol, detail: name });
    if (group.whole('api_rate') > 0) left(`api_rate ${group.whole('api_rate')}`);
    if (group.flag('promotion')) left('promotion');
    if (group.has('enable') && !group.flag('enable')) left('the group is disabled there, and serves its users here');
  }
  return options;
}
