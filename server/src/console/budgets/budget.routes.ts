import type { FastifyPluginAsync } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { wireList } from '../../platform/http/paging.js';
import { queryId } from '../../platform/http/query.js';
import { sendCsv } from '../../platform/http/csv.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import type { BudgetService } from './budget.service.js';
import { createBody, toFilter, toWire, updateBody } from './budget.wire.js';

/** `/api/budget` (docs/reference/rest/tokens-and-wallet.md#budgets). */
export const budgetRoutes =
  (budgetService: BudgetService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user(async ({ actor, query, request }) => {
        const { page, pageSize, answer } = wireList(request, query, { paged: true });
        const found = await budgetService.list(actor, toFilter(query), { page, pageSize, after: null, sort: [] });
        return answer(found.items.map(toWire), found.total);
      }),
    );
    app.get(
      '/export',
      rest.user(async ({ actor, query, reply }) =>
        sendCsv(reply, 'budgets', budgetService.export(actor, toFilter(query))),
      ),
    );
    app.get(
      '/:id',
      rest.user(async ({ actor, params }) => toWire(await budgetService.get(actor, queryId(params.id)))),
    );
    app.post(
      '/',
      rest.user(async ({ actor, body, request, reply }) => {
        const key = idempotencyKeyOf(request);
        const { replayed, ...view } = await budgetService.create(actor, createBody.parse(body), key);
        markReplayed(reply, replayed);
        return toWire(view);
      }),
    );
    app.put(
      '/',
      rest.user(async ({ actor, body }) => {
        const { id, fields } = updateBody.parse(body);
        return toWire(await budgetService.update(actor, id, fields));
      }),
    );
    app.delete(
      '/:id',
      rest.user(async ({ actor, params }) => {
        await budgetService.delete(actor, queryId(params.id));
      }),
    );
  };
