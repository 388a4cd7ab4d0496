import type { Mapper } from './mapped.js';

const created = (seconds: string | null): string => seconds ?? new Date(0).toISOString();

/** Maps a member of a team of LiteLLM. */
export const mapMember: Mapper = (row) => [
  {
    key: String(row.id),
    values: {
      id: row.id,
      organisation_id: row.whole('organisation_id'),
      user_id: row.whole('user_id'),
      role: row.text('role'),
      created_at: created(row.moment('created_at')),
      left_at: null,
    },
  },
];

/** Maps a project of a team of LiteLLM. */
export const mapProject: Mapper = (row) => [
  {
    key: String(row.id),
    values: {
      id: row.id,
      organisation_id: row.whole('organisation_id'),
      name: row.text('name'),
      created_at: created(row.moment('created_at')),
      archived_at: null,
    },
  },
];

/** Maps a budget or a limit per minute of LiteLLM. What was spent of a budget is kept. */
export const mapTeamBudget: Mapper = (row) => [
  {
    key: String(row.id),
    values: {
      id: row.id,
      level: row.text('level'),
      subject_id: row.whole('subject_id'),
      kind: row.text('kind'),
      amount: row.whole('amount'),
      span: row.text('span'),
      ends_at: row.moment('ends_at'),
      created_by: 0,
      by_admin: true,
    },
    ...(row.text('span') !== 'minute' && {
      alongside: { id: row.id, started_at: row.whole('started_at'), used: row.whole('used') },
    }),
  },
];
