import type { SourceDatabase, SourceRow } from '../source.js';
import { nameLeftOut, readTables } from './left-out.js';
import type { Reading } from './reading.js';
import type { Served } from './served.js';
import { ratesOf } from './rates.js';
import { readTeams, teamNames, type Teams } from './teams.js';
import { quotaPerUsd, secondsOf, textOf, textsOf, toQuota } from './values.js';

/** Models that are stored in the database instead of the file. */
const modelTable = 'LiteLLM_ProxyModelTable';

export interface People extends Pick<Teams, 'members' | 'projects'> {
  readonly budgets: SourceRow[];
  readonly users: SourceRow[];
  readonly tokens: SourceRow[];
}

/**
 * Reads users, teams and keys in the order of their creation, so that later ones get higher ids. A team becomes an
 * organisation, which owns its keys.
 */
export async function readPeople(
  keys: SourceDatabase,
  served: Served,
  { newKey, findings, now }: Reading,
): Promise<People> {
  const rows = new Map<string, SourceRow[]>();
  for (const table of [...readTables, modelTable]) {
    if (keys.columns.has(table)) rows.set(table, await keys.all(table));
  }
  const rowsOf = (table: string): SourceRow[] => rows.get(table) ?? [];
  await nameLeftOut(keys, rows, findings);
  const found = byCreation(rowsOf('LiteLLM_UserTable'), 'user_id');
  const budgets = new Map(rowsOf('LiteLLM_BudgetTable').map((row) => [textOf(row['budget_id']), row]));
  const teams = byCreation(rowsOf('LiteLLM_TeamTable'), 'team_id');
  const byTeam = new Map(teams.map((row) => [textOf(row['team_id']), row]));
  const byUser = new Map(found.map((row) => [textOf(row['user_id']), row]));
  // The parameters of these models are encrypted with a key of the proxy, so they are reported instead.
  for (const row of rowsOf(modelTable)) {
    findings.add('setting-unmapped', modelTable, textOf(row['model_name']), 'stored in the database only');
  }
  const virtual = byCreation(rowsOf('LiteLLM_VerificationToken'), 'token');
  const accountOf = (row: SourceRow): string => ownerOf(row, byTeam);
  const names = new Set([
    ...byUser.keys(),
    ...virtual.map(accountOf),
    ...teams.map((row) => teamName(textOf(row['team_id']))),
  ]);
  const ids = new Map([...names].map((name, index) => [name, index + 1]));
  const organisations = new Map(teams.map((row) => [teamName(textOf(row['team_id'])), row]));
  const {
    memberOf,
    projectOf,
    members,
    projects,
    budgets: ofTeams,
  } = readTeams({
    teams,
    users: found,
    keys: virtual,
    memberships: rowsOf('LiteLLM_TeamMembership'),
    projects: byCreation(rowsOf('LiteLLM_ProjectTable'), 'project_id'),
    budgets,
    organisationOf: (id) => ids.get(teamName(id)) ?? 0,
    userOf: (id) => (byUser.has(id) ? ids.get(id) : undefined),
    findings,
    now,
  });
  const tokens = virtual.map((row, index) => {
    const digest = textOf(row['token']);
    const label = textOf(row['key_alias']) || textOf(row['key_name']) || `key ${index + 1}`;
    findings.add('key-hashed', 'LiteLLM_VerificationToken', index + 1, label);
    const team = byTeam.get(textOf(row['team_id']));
    if (!team && textOf(row['team_id']) !== '')
      findings.add('setting-unmapped', 'LiteLLM_VerificationToken', index + 1, `${label}: its team is missing`);
    const budget = budgets.get(textOf(row['budget_id']));
    if (textOf(budget?.['budget_duration']) !== '')
      findings.add('setting-unmapped', 'LiteLLM_VerificationToken', index + 1, `${label}: its budget does not reset`);
    const models = modelsOf(row, team, byUser.get(textOf(row['user_id'])), served);
    for (const model of models ?? []) {
      if (served.names.has(model)) continue;
      findings.add('key-model', 'LiteLLM_VerificationToken', index + 1, `${label}: ${model}`);
    }
    const left = remaining({ ...row, max_budget: row['max_budget'] ?? budget?.['max_budget'] });
    return {
      id: index + 1,
      user_id: ids.get(accountOf(row)),
      member_id: team ? memberOf(row) : 0,
      project_id: team ? projectOf(row) : 0,
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
  const shownNames = teamNames(
    teams,
    [...names].filter((name) => !organisations.has(name)),
  );
  const users = [...ids].map(([name, id]) => {
    const team = organisations.get(name);
    const row = team ?? byUser.get(name) ?? {};
    const own = remaining(row);
    const table = team ? 'LiteLLM_TeamTable' : 'LiteLLM_UserTable';
    // A user or team without a budget gets the budgets of its keys.
    const ofKeys = tokens.filter((one) => one.user_id === id).reduce((sum, one) => sum + one.remain_quota, 0);
    if (own === null) findings.add('setting-unmapped', table, name, 'no budget: the balance is that of the keys');
    if (team && listOf(textsOf(team['models']), served) !== null)
      findings.add('setting-unmapped', table, name, 'models: a limit of its keys, not of those that are made here');
    const shown = team ? shownNames.get(textOf(team['team_id'])) : name;
    return {
      id,
      kind: team ? 'organisation' : 'person',
      username: shown,
      display_name: team ? [...(shown ?? '')].slice(0, 20).join('') : textOf(row['user_alias']),
      email: textOf(row['user_email']),
      role: row['user_role'] === 'proxy_admin' ? 10 : 1,
      status: team?.['blocked'] === true ? 2 : 1,
      group: 'default',
      quota: own ?? ofKeys,
      used_quota: toQuota(row['spend']),
      request_count: 0,
      password: '',
      aff_code: '',
      created_at: secondsOf(row['created_at']) ?? 0,
    };
  });
  const rates = [
    ...[...ids].flatMap(([name, id]) => ratesOf('user', id, organisations.get(name) ?? byUser.get(name))),
    ...virtual.flatMap((row, index) => ratesOf('token', index + 1, row, budgets.get(textOf(row['budget_id'])))),
  ];
  const limits = [...ofTeams, ...rates].map((row, index) => ({ id: index + 1, ...row }));
  return { users, tokens, members, projects, budgets: limits };
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

/** Returns the account that pays for a key: the team of the key, or else its user. */
function ownerOf(row: SourceRow, teams: ReadonlyMap<string, SourceRow>): string {
  const [user, team] = [textOf(row['user_id']), textOf(row['team_id'])];
  return teams.has(team) ? teamName(team) : user || (team === '' ? 'litellm' : teamName(team));
}

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
