import type { SourceDatabase, SourceRow } from '../source.js';
import { nameLeftOut, readTables } from './left-out.js';
import type { Reading } from './reading.js';
import type { Served } from './served.js';
import { quotaPerUsd, secondsOf, textOf, textsOf, toQuota } from './values.js';

/** Models that are stored in the database instead of the file. */
const modelTable = 'LiteLLM_ProxyModelTable';

/** Reads users and keys in the order of their creation, so that later ones get higher ids. */
export async function readPeople(
  keys: SourceDatabase,
  served: Served,
  { newKey, findings }: Reading,
): Promise<{ users: SourceRow[]; tokens: SourceRow[] }> {
  const rows = new Map<string, SourceRow[]>();
  for (const table of [...readTables, modelTable]) {
    if (keys.columns.has(table)) rows.set(table, await keys.all(table));
  }
  const rowsOf = (table: string): SourceRow[] => rows.get(table) ?? [];
  await nameLeftOut(keys, rows, findings);
  const found = byCreation(rowsOf('LiteLLM_UserTable'), 'user_id');
  const budgets = new Map(rowsOf('LiteLLM_BudgetTable').map((row) => [textOf(row['budget_id']), row]));
  const teams = new Map(rowsOf('LiteLLM_TeamTable').map((row) => [teamName(textOf(row['team_id'])), row]));
  const byTeam = new Map([...teams.values()].map((row) => [textOf(row['team_id']), row]));
  const byUser = new Map(found.map((row) => [textOf(row['user_id']), row]));
  // The parameters of these models are encrypted with a key of the proxy, so they are reported instead.
  for (const row of rowsOf(modelTable)) {
    findings.add('setting-unmapped', modelTable, textOf(row['model_name']), 'stored in the database only');
  }
  const virtual = byCreation(rowsOf('LiteLLM_VerificationToken'), 'token');
  const names = new Set([...found.map((row) => textOf(row['user_id'])), ...virtual.map(ownerOf)]);
  const ids = new Map([...names].map((name, index) => [name, index + 1]));
  const tokens = virtual.map((row, index) => {
    const digest = textOf(row['token']);
    const label = textOf(row['key_alias']) || textOf(row['key_name']) || `key ${index + 1}`;
    findings.add('key-hashed', 'LiteLLM_VerificationToken', index + 1, label);
    const team = byTeam.get(textOf(row['team_id']));
    if (!team && textOf(row['team_id']) !== '')
      findings.add('setting-unmapped', 'LiteLLM_VerificationToken', index + 1, `${label}: its team is missing`);
    const models = modelsOf(row, team, byUser.get(textOf(row['user_id'])), served);
    for (const model of models ?? []) {
      if (served.names.has(model)) continue;
      findings.add('key-model', 'LiteLLM_VerificationToken', index + 1, `${label}: ${model}`);
    }
    const left = remaining({
      ...row,
      max_budget: row['max_budget'] ?? budgets.get(textOf(row['budget_id']))?.['max_budget'],
    });
    return {
      id: index + 1,
      user_id: ids.get(ownerOf(row)),
      key: newKey(digest),
      name: label,
      status: row['blocked'] === true || team?.['blocked'] === true ? 2 : 1,
      expired_time: secondsOf(row['expires']) ?? -1,
      remain_quota: left ?? 0,
      unlimited_quota: left === null,
      used_quota: toQuota(row['spend']),
      created_time: secondsOf(row['created_at']) ?? 0,
      accessed_time: secondsOf(row['last_active']) ?? 0,
      model_limits: models?.join(',') ?? '',
      model_limits_enabled: models !== null,
    };
  });
  const users = [...ids].map(([name, id]) => {
    // Keys of a team that belong to no user get a new user with the budget of the team.
    const row = byUser.get(name) ?? teams.get(name) ?? {};
    const own = remaining(row);
    // A user without a budget gets the budgets of their keys.
    const ofKeys = tokens.filter((one) => one.user_id === id).reduce((sum, one) => sum + one.remain_quota, 0);
    if (own === null)
      findings.add('setting-unmapped', 'LiteLLM_UserTable', name, 'no budget: the balance is that of the keys');
    return {
      id,
      username: name,
      display_name: textOf(row['user_alias']),
      email: textOf(row['user_email']),
      role: row['user_role'] === 'proxy_admin' ? 10 : 1,
      status: 1,
      group: 'default',
      quota: own ?? ofKeys,
      used_quota: toQuota(row['spend']),
      request_count: 0,
      password: '',
      aff_code: '',
      created_at: secondsOf(row['created_at']) ?? 0,
    };
  });
  return { users, tokens };
}

/** Returns a list of models; null for all. */
const listOf = (names: string[], served: Served): string[] | null =>
  names.length === 0 || names.some((name) => name === 'all-proxy-models' || name === '*')
    ? null
    : names.filter((name) => name !== 'no-default-models').flatMap((name) => served.namedBy(name));

/**
 * Returns the models that a key may use; null for all. Without models of its own a key has those of its team, or else of its
 * user. `all-team-models` is the list of the team, and none when the team is missing. A key never has more than its team.
 */
function modelsOf(
  key: SourceRow,
  team: SourceRow | undefined,
  user: SourceRow | undefined,
  served: Served,
): string[] | null {
  const ofTeam = team ? listOf(textsOf(team['models']), served) : null;
  const given = textsOf(key['models']);
  if (given.length === 0) return team ? ofTeam : listOf(textsOf(user?.['models']), served);
  const own = listOf(given, served);
  if (own === null || (team && ofTeam === null && own.includes('all-team-models'))) return ofTeam;
  const named = own.flatMap((name) => (name === 'all-team-models' ? (ofTeam ?? []) : [name]));
  return ofTeam === null ? named : named.filter((name) => ofTeam.includes(name));
}

const ownerOf = (row: SourceRow): string =>
  textOf(row['user_id']) || (row['team_id'] ? teamName(textOf(row['team_id'])) : 'litellm');

const teamName = (id: string): string => `team-${id}`;

const byCreation = (rows: SourceRow[], key: string): SourceRow[] =>
  rows.toSorted(
    (a, b) =>
      (secondsOf(a['created_at']) ?? 0) - (secondsOf(b['created_at']) ?? 0) ||
      textOf(a[key]).localeCompare(textOf(b[key]), 'en'),
  );

/** Returns the rest of a budget; null if there is no budget. */
const remaining = (row: SourceRow): number | null =>
  row['max_budget'] === null || row['max_budget'] === undefined
    ? null
    : Math.round((Number(row['max_budget']) - Number(row['spend'] ?? 0)) * quotaPerUsd);
