import { sendCsv } from '../../platform/http/csv.js';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { listOf, pages } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { BudgetService } from './budget.service.js';
import { budgetFilter, createBody, shownBudget, toFilter, toWire, updateBody } from './budget.wire.js';

const route = routesFor<BudgetService>();

/** `/api/budget` (docs/reference/rest/tokens-and-wallet.md#budgets). */
export const budgetRoutes = [
  route('GET /api/budget', {
    summary: 'Budgets, newest first',
    caller: 'user',
    query: { ...pages, ...budgetFilter },
    data: listOf(shownBudget),
    example: { query: { p: 1, level: 'token' } },
    handle: (budgetService, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toWire, (page) => budgetService.list(actor, toFilter(query), page)),
  }),
  route('GET /api/budget/export', {
    summary: 'Budgets as CSV',
    description: 'The rows of the list, oldest first, with times in UTC. Admins confirm with their second factor.',
    caller: 'user',
    query: budgetFilter,
    media: 'text/csv',
    errors: ['CONFIRMATION_NEEDED'],
    example: {},
    handle: (budgetService, { actor, query, reply }) =>
      sendCsv(reply, 'budgets', budgetService.export(actor, toFilter(query))),
  }),
  route('GET /api/budget/:id', {
    summary: 'One budget',
    description: 'One that the caller may not read is not found.',
    caller: 'user',
    data: shownBudget,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async (budgetService, { actor, id }) => toWire(await budgetService.get(actor, id)),
  }),
  route('POST /api/budget', {
    summary: 'Create a budget',
    description: 'Users may set budgets of their keys, admins all.',
    caller: 'user',
    once: true,
    body: createBody,
    data: shownBudget,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
    example: { body: { level: 'token', subject_id: 1, kind: 'money', amount: 500_000, window: 'day' } },
    handle: async (budgetService, { actor, body, idempotencyKey, reply }) => {
      const { replayed, ...view } = await budgetService.create(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
      return toWire(view);
    },
  }),
  route('PUT /api/budget', {
    summary: 'Change amount, models, or whether a budget counts',
    description: 'Absent fields stay.',
    caller: 'user',
    body: updateBody,
    data: shownBudget,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
    example: { body: { id: 1, amount: 1_000_000 } },
    handle: async (budgetService, { actor, body }) => toWire(await budgetService.update(actor, body.id, body.fields)),
  }),
  route('DELETE /api/budget/:id', {
    summary: 'Delete a budget and what it has counted',
    caller: 'user',
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
    example: { path: { id: 1 } },
    handle: async (budgetService, { actor, id }) => {
      await budgetService.delete(actor, id);
    },
  }),
];
