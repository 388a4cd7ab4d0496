import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { hiddenPages, int, listOf, pages, parameter, text } from '../../platform/http/openapi/operation.js';
import { wholeList, wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { TokenKeyService } from './token-keys.service.js';
import type { TokenRotation } from './token-rotation.js';
import type { TokenService } from './token.service.js';
import { createBody, idsBody, rotateBody, statusBody, tokenShape, toWire, updateBody } from './token.wire.js';

const route = routesFor<{
  readonly tokenService: TokenService;
  readonly tokenKeys: TokenKeyService;
  readonly tokenRotation: TokenRotation;
}>();
const caller = 'keyed';

/** `/api/token`: own API keys (docs/reference/rest/tokens-and-wallet.md#api-keys). */
export const tokenRoutes = [
  route('GET /api/token', {
    summary: 'Own keys',
    description: 'Complete keys. The first page is 0.',
    caller,
    query: pages,
    data: listOf(tokenShape),
    example: { query: { p: 0, page_size: 20 } },
    handle: ({ tokenKeys }, { actor, query, request }) =>
      wirePage(request, query, {}, toWire, (page) => tokenKeys.list(actor, page)),
  }),
  route('GET /api/token/search', {
    summary: 'Search own keys',
    description: 'A leading `sk-` is ignored.',
    caller,
    query: { ...hiddenPages, keyword: parameter.words('Part of the name'), token: parameter.words('Part of the key') },
    data: listOf(tokenShape),
    example: { query: { keyword: 'e' } },
    handle: async ({ tokenKeys }, { actor, query, request }) => {
      const found = await tokenKeys.search(actor, query.keyword ?? '', query.token ?? '');
      return wholeList(request, query, found.map(toWire));
    },
  }),
  route('GET /api/token/:id', {
    summary: 'One key',
    caller,
    data: tokenShape,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async ({ tokenKeys }, { actor, id }) => toWire(await tokenKeys.get(actor, id)),
  }),
  route('POST /api/token', {
    summary: 'Create a key',
    description:
      '`project_id` and `is_shared` are for callers who act for an organisation. Refused: an empty name, an expiry in the past, a negative quota, a group that the owner may not use, an invalid entry in `allow_ips`, more than 1,000 keys. The status is always 1. `budgets` has at most 20 budgets of the key, which are created with it, or neither.',
    caller,
    once: true,
    body: createBody,
    data: tokenShape,
    errors: ['GROUP_NOT_ALLOWED'],
    example: { body: { name: 'ci', unlimited_quota: true, expired_time: -1 } },
    handle: async ({ tokenService }, { actor, body: { fields, budgets, place }, idempotencyKey, reply }) => {
      const created = await tokenService.create(actor, fields, budgets, idempotencyKey, place);
      markReplayed(reply, created.replayed);
      return toWire(created);
    },
  }),
  route('PUT /api/token', {
    summary: 'Replace the fields of a key, or only its status',
    description:
      'An absent field counts as zero, except for those that older clients do not know, which stay. A key that had expired or was exhausted and is extended becomes enabled. With `status_only` the status becomes 1 or 2; enabling is refused while the key is still expired or exhausted.',
    caller,
    query: { status_only: parameter.words('Any text: only `status` is read') },
    body: ({ status_only }) => (status_only ? statusBody : updateBody),
    data: tokenShape,
    errors: ['NOT_FOUND', 'TOKEN_EXPIRED', 'TOKEN_QUOTA_EXHAUSTED'],
    example: { body: { id: 1, name: 'ci', unlimited_quota: true, expired_time: -1 } },
    handle: async ({ tokenService, tokenKeys }, { actor, body }) => {
      if ('status' in body) await tokenService.setStatus(actor, body.id, body.status);
      else await tokenService.update(actor, body.id, body.fields, body.mustEnable);
      return toWire(await tokenKeys.get(actor, body.id));
    },
  }),
  // Consoles of new-api list keys masked, and ask for the text of each.
  route('POST /api/token/:id/key', {
    summary: 'The text of a key',
    description: 'For clients of new-api, whose lists show keys masked.',
    caller,
    data: z.object({ key: text('The key without `sk-`') }),
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async ({ tokenKeys }, { actor, id }) => ({ key: await tokenKeys.reveal(actor, id) }),
  }),
  route('POST /api/token/batch/keys', {
    summary: 'The texts of several keys',
    caller,
    body: idsBody,
    data: z.object({ keys: z.record(z.string(), z.string()).describe('Keys without `sk-`, by id') }),
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { body: { ids: [1] } },
    handle: async ({ tokenKeys }, { actor, body }) => ({
      keys: Object.fromEntries(await tokenKeys.revealMany(actor, body.ids)),
    }),
  }),
  route('POST /api/token/batch', {
    summary: 'Delete several keys',
    description: "Other users' keys stay. The response has the number of deleted keys.",
    caller,
    body: idsBody,
    data: int('Deleted keys'),
    example: { body: { ids: [999_999] } },
    handle: ({ tokenService }, { actor, body }) => tokenService.deleteOwn(actor, body.ids),
  }),
  route('POST /api/token/:id/rotate', {
    summary: 'Give a key new text',
    description:
      'The old text works until `overlap_until` (Unix seconds, at most 366 days from now); 0 or absent ends it at once. Limits, budgets and usage stay.',
    caller,
    once: true,
    body: rotateBody,
    data: tokenShape,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 }, body: { overlap_until: 0 } },
    handle: async ({ tokenKeys, tokenRotation }, { actor, id, body, idempotencyKey, reply }) => {
      const { key, replayed } = await tokenRotation.rotate(actor, id, body.overlapUntil, idempotencyKey);
      markReplayed(reply, replayed);
      return toWire({ ...(await tokenKeys.get(actor, id)), key });
    },
  }),
  route('DELETE /api/token/:id/previous', {
    summary: 'End the old text of a rotated key now',
    caller,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async ({ tokenRotation }, { actor, id }) => {
      await tokenRotation.endPrevious(actor, id);
    },
  }),
  route('DELETE /api/token/:id', {
    summary: 'Delete a key',
    caller,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async ({ tokenService }, { actor, id }) => {
      await tokenService.delete(actor, id);
    },
  }),
];
