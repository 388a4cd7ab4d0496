import { z } from 'zod';
import {
  flag,
  int,
  listOf,
  named,
  pages,
  parameter,
  seconds,
  text,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';
import { createBody, updateBody } from './budget.wire.js';

const budgetShape = named('Budget', 'A limit of what may be used within a window, with its use now.', {
  id: int('Id'),
  level: text('`token`, `user`, `group`, `channel` or `site`'),
  subject_id: int('The key, user or channel; 0 for a group and the site'),
  group: text('Group; empty at other levels'),
  subject: text('Name of the key, user, group or channel'),
  kind: text('`money` (quota), `tokens` or `requests`'),
  amount: int('Quota, tokens or requests in each window'),
  window: text('`minute`, `5h`, `day`, `week`, `month` or `fixed`'),
  rolling: flag('The last hours or days, and not a period of the calendar'),
  time_zone: text('Of the calendar'),
  starts_at: seconds('Start of a fixed range, or 0'),
  ends_at: seconds('End of a fixed range, or 0'),
  models: z.array(z.string()).describe('Names, or patterns with `*`; empty for all'),
  enabled: flag('It counts'),
  by_admin: flag('Set by an admin: the owner of the key cannot change it'),
  created_time: seconds('Created'),
  window_start: seconds('Start of the window; 0 outside a fixed range'),
  resets_at: seconds('End of the window; 0 for rolling ones, limits per minute and outside a fixed range'),
  used: int('Used in the window'),
  held: int('Taken by calls that run'),
});

const filter = {
  level: parameter.words('Only this level'),
  subject_id: parameter.whole('Only this key, user or channel'),
  group: parameter.words('Only this group'),
  user_id: parameter.whole('Only those of this user and of the keys of this user'),
};

/** Budgets of keys, users, groups, channels and the site. */
export const budgetSection: ApiSection = {
  name: 'Budgets',
  description:
    'Limits of what may be used within a window. Users see those of their keys and of themselves, admins all.',
  operations: {
    'GET /api/budget': {
      summary: 'Budgets, newest first',
      role: 'common',
      query: { ...pages, ...filter },
      data: listOf(budgetShape),
      example: { query: { p: 1, level: 'token' } },
    },
    'GET /api/budget/export': {
      summary: 'Budgets as CSV',
      description: 'The rows of the list, oldest first, with times in UTC. Admins confirm with their second factor.',
      role: 'common',
      query: filter,
      media: 'text/csv',
      errors: ['CONFIRMATION_NEEDED'],
      example: {},
    },
    'GET /api/budget/:id': {
      summary: 'One budget',
      description: 'One that the caller may not read is not found.',
      role: 'common',
      data: budgetShape,
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
    'POST /api/budget': {
      summary: 'Create a budget',
      description: 'Users may set budgets of their keys, admins all.',
      role: 'common',
      once: true,
      body: createBody,
      data: budgetShape,
      errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
      example: { body: { level: 'token', subject_id: 1, kind: 'money', amount: 500_000, window: 'day' } },
    },
    'PUT /api/budget': {
      summary: 'Change amount, models, or whether a budget counts',
      description: 'Absent fields stay.',
      role: 'common',
      body: updateBody,
      data: budgetShape,
      errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
      example: { body: { id: 1, amount: 1_000_000 } },
    },
    'DELETE /api/budget/:id': {
      summary: 'Delete a budget and what it has counted',
      role: 'common',
      errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
      example: { path: { id: 1 } },
    },
  },
};
