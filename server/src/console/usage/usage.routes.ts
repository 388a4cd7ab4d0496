import { z } from 'zod';
import { sendCsv } from '../../platform/http/csv.js';
import { int, parameter, quota, timeRange } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { requirePermission } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { HourlyModelsService } from './hourly-models.service.js';
import type { UsageQuestion } from './usage-question.js';
import type { UsageService } from './usage.service.js';
import { exportQuery, toQuestion, toRange, toWire, usageShape } from './usage.wire.js';

const route = routesFor<{ readonly usageService: UsageService; readonly hourlyModels: HourlyModelsService }>();
const reader = { may: 'usage.read' } as const;
const example = { query: { start_timestamp: 1_700_000_000, end_timestamp: 1_700_086_400 } };
const csv = { media: 'text/csv', example: {} } as const;

const total = z.object({
  quota: quota('Charged'),
  calls: int('Charged calls'),
  prompt_tokens: int('Tokens of prompts'),
  completion_tokens: int('Tokens of answers'),
});
const onlyTotals = { latency: false, firstToken: false, cost: false, activeUsers: false, cache: false } as const;

/** `/api/data`: hourly sums for the old dashboards (docs/reference/rest/logs-and-usage.md#usage-data). */
export const usageRoutes = [
  route('GET /api/data', {
    summary: 'Usage by hour and model',
    caller: reader,
    query: { ...timeRange, username: parameter.words('Only this user') },
    data: z.array(usageShape),
    example,
    handle: async ({ hourlyModels }, { actor, query }) => {
      const name = query.username || undefined;
      const { userId, rows } = await hourlyModels.list(actor, toRange(query), name);
      return toWire(rows, name === undefined ? undefined : { id: userId, name });
    },
  }),
  route('GET /api/usage/total', {
    summary: 'Usage of a user or of a key in a range of time',
    description: 'Either `user_id` or `token_id`. Hours are whole: usage is counted by hour. Needs `users.read` too.',
    caller: reader,
    scope: 'USAGE_READ',
    query: { ...timeRange, user_id: parameter.id('The user'), token_id: parameter.id('The key') },
    data: total,
    errors: ['INVALID_INPUT'],
    example: { query: { ...example.query, user_id: 2 } },
    handle: async ({ usageService }, { actor, query }) => {
      requirePermission(actor, 'users.read');
      const { user_id: userId, token_id: tokenId } = query;
      if ((userId === 0) === (tokenId === 0)) throw new InvalidInputError('Send either user_id or token_id', 'user_id');
      const { range, timeZone } = toQuestion({ ...query, channel: 0 }, usageService.now);
      const [dimension, id] = userId === 0 ? (['TOKEN', tokenId] as const) : (['USER', userId] as const);
      const sums = await usageService.sumsOf(actor, dimension, [id], { range, timeZone }, onlyTotals);
      const used = sums.get(id) ?? usageService.nothing;
      return {
        quota: used.quota,
        calls: used.calls,
        prompt_tokens: used.promptTokens,
        completion_tokens: used.completionTokens,
      };
    },
  }),
  route('GET /api/data/self', {
    summary: 'Own usage by hour and model',
    description: 'At most 30 days.',
    caller: 'user',
    query: timeRange,
    data: z.array(usageShape),
    errors: ['INVALID_INPUT'],
    example,
    handle: async ({ hourlyModels }, { actor, query }) => {
      const rows = await hourlyModels.listOwn(actor, toRange(query));
      return toWire(rows, { id: actor.id, name: actor.username });
    },
  }),
  route('GET /api/data/export', {
    ...csv,
    summary: 'Usage of all users as CSV',
    caller: reader,
    query: exportQuery,
    errors: ['INVALID_INPUT', 'CONFIRMATION_NEEDED'],
    handle: async ({ usageService }, { actor, query, reply }) =>
      sendCsv(reply, 'usage', usageService.exportAll(actor, toQuestion(query, usageService.now))),
  }),
  route('GET /api/data/self/export', {
    ...csv,
    summary: 'Own usage as CSV',
    caller: 'user',
    query: exportQuery,
    errors: ['INVALID_INPUT'],
    handle: async ({ usageService }, { actor, query, reply }) =>
      sendCsv(reply, 'usage', await usageService.exportOwn(actor, ownQuestion(toQuestion(query, usageService.now)))),
  }),
];

/** Returns the query of an export of own usage, which ignores filters for the whole site, as in older consoles. */
const ownQuestion = (question: UsageQuestion): UsageQuestion => {
  const { tokenIds, models, groups } = question.filter;
  return {
    ...question,
    filter: { ...(tokenIds && { tokenIds }), ...(models && { models }), ...(groups && { groups }) },
  };
};
