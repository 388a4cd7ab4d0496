import { usernameRule } from '../../../console/users/index.js';
import { budgetWindowAt, type BudgetSpan } from '../../../shared/budget.js';
import { dateOf } from '../../../shared/clock.js';
import { asFieldsList } from '../../../shared/json.js';
import { lastSecond } from '../../../shared/limits.js';
import type { OrganisationRole } from '../../../shared/organisation.js';
import { foldedName } from '../../../shared/username.js';
import type { SourceRow } from '../source.js';
import { ratesOf } from './rates.js';
import type { Notes } from './reading.js';
import { secondsOf, textOf, textsOf, toQuota } from './values.js';

/** Members, projects and budgets of teams, as rows of the tables that the import maps. */
interface TeamRows {
  readonly members: SourceRow[];
  readonly projects: SourceRow[];
  /** Budgets of the teams. They have no id yet. */
  readonly budgets: SourceRow[];
}

export interface Teams extends TeamRows {
  /** Returns the membership of a key; 0 for a key of the team itself. */
  readonly memberOf: (key: SourceRow) => number;
  /** Returns the project of a key; 0 for none. */
  readonly projectOf: (key: SourceRow) => number;
}

export interface TeamSource {
  readonly teams: readonly SourceRow[];
  readonly users: readonly SourceRow[];
  readonly keys: readonly SourceRow[];
  readonly memberships: readonly SourceRow[];
  readonly projects: readonly SourceRow[];
  /** Budgets by their id. */
  readonly budgets: ReadonlyMap<string, SourceRow>;
  /** Returns the id here of the organisation of a team. */
  readonly organisationOf: (teamId: string) => number;
  /** Returns the id here of a user; undefined for one who is not moved. */
  readonly userOf: (userId: string) => number | undefined;
  readonly findings: Notes;
  /** Unix seconds. */
  readonly now: number;
}

const pair = (teamId: unknown, userId: unknown): string => `${textOf(teamId)}\n${textOf(userId)}`;

/** Reads teams as organisations. A team's admins become owners. A user with a key of the team is a member, too. */
export function readTeams(source: TeamSource): Teams {
  const { budgets: byId, findings } = source;
  const members = source.teams.flatMap((team) => membersOf(team, source));
  const ids = new Map(members.map(({ team, user }, index) => [pair(team, user), index + 1]));
  const projects = source.projects.filter((row) => source.teams.some((team) => team['team_id'] === row['team_id']));
  const projectIds = new Map(projects.map((row, index) => [textOf(row['project_id']), index + 1]));
  const limits = [
    ...source.memberships.map((row) => ({
      level: 'member' as const,
      subject: ids.get(pair(row['team_id'], row['user_id'])),
      row,
    })),
    ...projects.map((row, index) => ({ level: 'project' as const, subject: index + 1, row })),
  ];
  const budgets = limits.flatMap(({ level, subject, row }) => {
    const budget = byId.get(textOf(row['budget_id']));
    const max = budget?.['max_budget'];
    if (subject === undefined || max === null || max === undefined) return [];
    const duration = textOf(budget?.['budget_duration']);
    const [span, isSame] = spanOf(duration);
    if (!isSame) findings.add('team-budget', 'LiteLLM_BudgetTable', textOf(row['budget_id']), `${duration}: ${span}`);
    const amounts = { kind: 'money', amount: toQuota(max), used: toQuota(row['spend']) };
    return [{ level, subject_id: subject, ...amounts, ...windowOf(span, source.now) }];
  });
  const rates = limits.flatMap(({ level, subject, row }) =>
    subject === undefined ? [] : ratesOf(level, subject, byId.get(textOf(row['budget_id']))),
  );
  return {
    members: members.map(({ team, user, role, createdAt }, index) => ({
      id: index + 1,
      organisation_id: source.organisationOf(team),
      user_id: source.userOf(user),
      role,
      created_at: createdAt,
    })),
    projects: named(projects).map(({ row, name }, index) => ({
      id: index + 1,
      organisation_id: source.organisationOf(textOf(row['team_id'])),
      name,
      created_at: secondsOf(row['created_at']) ?? 0,
    })),
    budgets: [...budgets, ...rates],
    memberOf: (key) => ids.get(pair(key['team_id'], key['user_id'])) ?? 0,
    projectOf: (key) => projectIds.get(textOf(key['project_id'])) ?? 0,
  };
}

interface Member {
  readonly team: string;
  readonly user: string;
  readonly role: OrganisationRole;
  readonly createdAt: number;
}

function membersOf(team: SourceRow, { users, keys, findings, userOf }: TeamSource): Member[] {
  const id = textOf(team['team_id']);
  const byEmail = new Map(users.map((row) => [textOf(row['user_email']).toLowerCase(), textOf(row['user_id'])]));
  const roles = new Map<string, OrganisationRole>();
  const add = (user: string, role: OrganisationRole, label = user): void => {
    if (userOf(user) === undefined) findings.add('team-member', 'LiteLLM_TeamTable', id, label);
    else if (roles.get(user) !== 'owner') roles.set(user, role);
  };
  for (const member of asFieldsList(team['members_with_roles'])) {
    const email = textOf(member['user_email']);
    const user = textOf(member['user_id']) || byEmail.get(email.toLowerCase()) || '';
    add(user, member['role'] === 'admin' ? 'owner' : 'member', user || email);
  }
  for (const user of textsOf(team['members'])) add(user, 'member');
  for (const user of textsOf(team['admins'])) add(user, 'owner');
  for (const key of keys) {
    const user = textOf(key['user_id']);
    if (key['team_id'] !== team['team_id'] || user === '' || roles.has(user)) continue;
    findings.add('team-key', 'LiteLLM_TeamTable', id, user);
    add(user, 'member');
  }
  if (![...roles.values()].includes('owner')) findings.add('team-owner', 'LiteLLM_TeamTable', id);
  const createdAt = secondsOf(team['created_at']) ?? 0;
  return [...roles].map(([user, role]) => ({ team: id, user, role, createdAt }));
}

/** Names projects by their alias, and a second one of the same name in its team by its id. */
function named(projects: readonly SourceRow[]): Array<{ readonly row: SourceRow; readonly name: string }> {
  const taken = new Set<string>();
  return projects.map((row) => {
    const id = textOf(row['project_id']);
    const alias = textOf(row['project_alias']).trim() || id;
    const isTaken = taken.has(pair(row['team_id'], alias.toLowerCase()));
    const name = isTaken ? `${alias} ${id}` : alias;
    taken.add(pair(row['team_id'], name.toLowerCase()));
    return { row, name };
  });
}

/**
 * Returns the names of organisations by team: the alias of the team, or `team-<id>` where another user or team has it, or
 * where it is no name here.
 */
export function teamNames(teams: readonly SourceRow[], users: Iterable<string>): Map<string, string> {
  const taken = new Set([...users].map(foldedName));
  return new Map(
    teams.map((team) => {
      const [id, alias] = [textOf(team['team_id']), textOf(team['team_alias']).trim()];
      const isFree = usernameRule.safeParse(alias).success && !taken.has(foldedName(alias));
      const name = isFree ? alias : `team-${id}`;
      taken.add(foldedName(name));
      return [id, name];
    }),
  );
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, mo: 2_592_000 };
/** The longest time of resets that becomes a span, in seconds. */
const spans: ReadonlyArray<readonly [BudgetSpan, number]> = [
  ['5h', 18_000],
  ['day', 86_400],
  ['week', 604_800],
  ['month', 31 * 86_400],
];
const sameSpans = new Set(['5h', '24h', '1d', '7d', '1w', '30d', '1mo']);

/**
 * Returns the span of a budget, and whether it is that of the source. Of two spans the longer one is taken, so that no more
 * is spent than before. A budget without resets is one for all time.
 */
function spanOf(duration: string): readonly [BudgetSpan, boolean] {
  const [, count, unit = ''] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  if (count === undefined) return ['fixed', duration === ''];
  const length = Number(count) * (seconds[unit] ?? 0);
  return [spans.find(([, longest]) => length <= longest)?.[0] ?? 'fixed', sameSpans.has(duration)];
}

function windowOf(span: BudgetSpan, now: number): Record<string, unknown> {
  const endsAt = span === 'fixed' ? dateOf(lastSecond) : null;
  const window = budgetWindowAt({ span, isRolling: false, timeZone: 'UTC', startsAt: null, endsAt }, now * 1000);
  return { span, ends_at: endsAt === null ? 0 : lastSecond, started_at: window?.start ?? 0 };
}
