import { z } from 'zod';
import { sendCsv } from '../../platform/http/csv.js';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { int, listOf, pages, parameter, quota } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { RedeemService } from './redeem.service.js';
import type { RedemptionService } from './redemption.service.js';
import {
  createBody,
  exportQuery,
  idsBody,
  redeemBody,
  redemptionShape,
  statusBody,
  toFilter,
  toWire,
  updateBody,
} from './redemption.wire.js';

const route = routesFor<RedemptionService>();
const caller = { may: 'codes' } as const;
const name = { name: parameter.required('The exact name of the batch') };

/** `/api/redemption` (docs/reference/rest/tokens-and-wallet.md#redemption-codes). */
export const redemptionRoutes = [
  route('GET /api/redemption', {
    summary: 'All codes, newest first',
    caller,
    query: pages,
    data: listOf(redemptionShape),
    example: { query: { p: 1 } },
    handle: (codes, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toWire, (page) => codes.list(actor, {}, page)),
  }),
  route('GET /api/redemption/search', {
    summary: 'Search codes',
    caller,
    query: { ...pages, keyword: parameter.words('Beginning of the name, an id, or a whole code') },
    data: listOf(redemptionShape),
    example: { query: { keyword: 'spring' } },
    handle: (codes, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toWire, (page) =>
        codes.list(actor, { keyword: query.keyword || undefined }, page),
      ),
  }),
  route('GET /api/redemption/export', {
    summary: 'Codes as CSV, oldest first',
    description: 'With the codes themselves. Times are in UTC. Admins confirm with their second factor.',
    caller,
    query: exportQuery,
    media: 'text/csv',
    errors: ['CONFIRMATION_NEEDED'],
    example: { query: { name: 'spring' } },
    handle: (codes, { actor, query, reply }) => sendCsv(reply, 'codes', codes.export(actor, toFilter(query))),
  }),
  route('GET /api/redemption/:id', {
    summary: 'One code',
    caller,
    data: redemptionShape,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async (codes, { actor, id }) => toWire(await codes.get(actor, id)),
  }),
  route('GET /api/redemption/count-by-name', {
    summary: 'Number of codes of a batch',
    caller,
    query: name,
    data: int('Number of codes'),
    example: { query: { name: 'spring' } },
    handle: (codes, { actor, query }) => codes.countByName(actor, query.name),
  }),
  route('POST /api/redemption', {
    summary: 'Create codes',
    description: 'A `key` creates exactly that one code. The start must be before the end.',
    caller,
    once: true,
    body: createBody,
    bodyOf: redemptionShape,
    data: z.array(z.string()).describe('The codes'),
    example: { body: { name: 'spring', quota: 500_000, count: 2 } },
    handle: async (codes, { actor, body, idempotencyKey, reply }) => {
      const { codes: created, replayed } = await codes.create(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
      return created.map(({ key }) => key);
    },
  }),
  route('PUT /api/redemption', {
    summary: 'Change a code, or only its status',
    description:
      'Absent fields stay. Only an unused code can be edited. With `status_only` the status becomes 1 or 2; a used code stays used.',
    caller,
    query: { status_only: parameter.words('Any text: only `status` is read') },
    body: ({ status_only }) => (status_only ? statusBody : updateBody),
    data: redemptionShape,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { id: 1, name: 'spring', quota: 600_000 } },
    handle: async (codes, { actor, body }) =>
      toWire(
        await ('status' in body
          ? codes.setStatus(actor, body.id, body.status)
          : codes.update(actor, body.id, body.fields)),
      ),
  }),
  route('PUT /api/redemption/batch-disable', {
    summary: 'Disable several codes',
    description: 'Only those of status 1.',
    caller,
    body: idsBody,
    data: int('Number of codes changed'),
    example: { body: { ids: [2] } },
    handle: async (codes, { actor, body }) => (await codes.disable(actor, body)).done.length,
  }),
  route('DELETE /api/redemption/:id', {
    summary: 'Delete a code',
    caller,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: (codes, { actor, id }) => codes.delete(actor, id),
  }),
  route('DELETE /api/redemption/delete-by-name', {
    summary: 'Delete the codes of a batch',
    caller,
    query: name,
    data: int('Number of codes deleted'),
    example: { query: { name: 'autumn' } },
    handle: (codes, { actor, query }) => codes.deleteByName(actor, query.name),
  }),
  route('DELETE /api/redemption/delete-disabled', {
    summary: 'Delete all disabled codes',
    caller,
    data: int('Number of codes deleted'),
    example: {},
    handle: (codes, { actor }) => codes.deleteDisabled(actor),
  }),
];

/** `POST /api/user/topup` (docs/reference/rest/tokens-and-wallet.md#redeeming-a-code). */
export const redeemRoutes = [
  routesFor<RedeemService>()('POST /api/user/topup', {
    summary: 'Redeem a code',
    caller: 'user',
    once: true,
    body: redeemBody,
    data: z.object({
      quota: quota('Credited'),
      is_gift: z.boolean(),
      plan: z.string().optional().describe('Name of the plan that began, if the code gives one'),
    }),
    errors: ['INVALID_INPUT', 'RATE_LIMITED'],
    example: { body: { key: 'unknown' }, fails: 'INVALID_INPUT' },
    handle: async (redeemService, { actor, body, idempotencyKey, reply }) => {
      const { quota, plan, isGift, replayed } = await redeemService.redeem(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
      return { quota, is_gift: isGift, plan: plan ?? undefined };
    },
  }),
];
