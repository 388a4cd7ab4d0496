import { Fields } from '../fields.js';
import type { SourceDatabase, SourceRow } from '../source.js';
import type { Notes } from './reading.js';

/** Columns of each table that are read, or say nothing that a site needs. */
const readColumns: Readonly<Record<string, Set<string>>> = {
  LiteLLM_UserTable: new Set([
    ...['user_id', 'user_alias', 'user_email', 'user_role', 'spend', 'max_budget', 'models', 'teams', 'team_id'],
    ...['created_at', 'updated_at', 'model_spend', 'tpm_limit', 'rpm_limit'],
  ]),
  LiteLLM_TeamTable: new Set([
    ...['team_id', 'team_alias', 'spend', 'max_budget', 'models', 'blocked', 'admins', 'members', 'members_with_roles'],
    ...['created_at', 'updated_at', 'model_spend', 'tpm_limit', 'rpm_limit'],
  ]),
  LiteLLM_BudgetTable: new Set([
    ...['budget_id', 'max_budget', 'budget_duration', 'budget_reset_at', 'tpm_limit', 'rpm_limit'],
    ...['created_at', 'created_by', 'updated_at', 'updated_by'],
  ]),
  LiteLLM_TeamMembership: new Set(['user_id', 'team_id', 'spend', 'budget_id']),
  LiteLLM_ProjectTable: new Set([
    ...['project_id', 'project_alias', 'team_id', 'budget_id', 'spend', 'model_spend'],
    ...['created_at', 'created_by', 'updated_at', 'updated_by'],
  ]),
  LiteLLM_VerificationToken: new Set([
    ...['token', 'key_name', 'key_alias', 'spend', 'expires', 'models', 'user_id', 'team_id', 'project_id'],
    ...['budget_id', 'max_budget', 'soft_budget_cooldown', 'tpm_limit', 'rpm_limit'],
    ...['blocked', 'created_at', 'created_by', 'updated_at', 'updated_by', 'last_active', 'model_spend'],
  ]),
};

/** The tables of users, teams, members, projects, budgets and keys. */
export const readTables: readonly string[] = Object.keys(readColumns);

/** Tables that a site does not miss: state of jobs, sums of spend, and migrations. The models are reported one by one. */
const withoutContent =
  /^(LiteLLM_(Daily\w+|CronJob|ErrorLogs|HealthCheckTable|UserNotifications|Deleted\w+|ProxyModelTable)|_prisma_migrations)$/;

/**
 * Names columns and tables with content that has no place here, such as limits of parallel calls.
 * @param rows those of `readTables`
 */
export async function nameLeftOut(
  keys: SourceDatabase,
  rows: ReadonlyMap<string, readonly SourceRow[]>,
  findings: Notes,
): Promise<void> {
  for (const table of keys.columns.keys()) {
    const read = readColumns[table];
    if (read) {
      const counts = new Map<string, number>();
      for (const row of rows.get(table) ?? []) {
        for (const name of new Fields(row, read).unread()) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      for (const [name, count] of counts) findings.add('column-left-out', table, name, `${count} rows`);
    } else if (!withoutContent.test(table)) {
      const count = Number((await keys.one(table, 'COUNT(*) AS n'))['n'] ?? 0);
      if (count > 0) findings.add('table-left-out', table, '', `${count} rows`);
    }
  }
}
