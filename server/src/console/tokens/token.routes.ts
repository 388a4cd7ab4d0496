import type { FastifyPluginAsync } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { wholeList, wireList } from '../../platform/http/paging.js';
import { queryId } from '../../platform/http/query.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import type { TokenKeyService } from './token-keys.service.js';
import type { TokenRotation } from './token-rotation.js';
import type { TokenService } from './token.service.js';
import { createBody, idsBody, rotateBody, statusBody, toWire, updateBody } from './token.wire.js';

interface TokenServices {
  readonly tokenService: TokenService;
  readonly tokenKeys: TokenKeyService;
  readonly tokenRotation: TokenRotation;
}

/** `/api/token`: own API keys (docs/reference/rest/tokens-and-wallet.md#api-keys). */
export const tokenRoutes =
  ({ tokenService, tokenKeys, tokenRotation }: TokenServices, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const { keyed } = rest;

    app.get(
      '/',
      keyed(async ({ actor, query, request }) => {
        const list = wireList(request, query);
        const { items, total } = await tokenKeys.list(actor, list);
        return list.answer(items.map(toWire), total);
      }),
    );

    app.get(
      '/search',
      keyed(async ({ actor, query, request }) => {
        const found = await tokenKeys.search(actor, query.keyword ?? '', query.token ?? '');
        return wholeList(request, query, found.map(toWire));
      }),
    );

    app.get(
      '/:id',
      keyed(async ({ actor, params }) => toWire(await tokenKeys.get(actor, queryId(params.id)))),
    );

    app.post(
      '/',
      keyed(async ({ actor, body, request, reply }) => {
        const { fields, budgets } = createBody.parse(body);
        const created = await tokenService.create(actor, fields, budgets, idempotencyKeyOf(request));
        markReplayed(reply, created.replayed);
        return toWire(created);
      }),
    );

    app.put(
      '/',
      keyed(async ({ actor, query, body }) => {
        if (query.status_only) {
          const { id, status } = statusBody.parse(body);
          await tokenService.setStatus(actor, id, status);
          return toWire(await tokenKeys.get(actor, id));
        }
        const { id, fields, mustEnable } = updateBody.parse(body);
        await tokenService.update(actor, id, fields, mustEnable);
        return toWire(await tokenKeys.get(actor, id));
      }),
    );

    // Consoles of new-api list keys masked, and ask for the text of each.
    app.post(
      '/:id/key',
      keyed(async ({ actor, params }) => ({ key: await tokenKeys.reveal(actor, queryId(params.id)) })),
    );
    app.post(
      '/batch/keys',
      keyed(async ({ actor, body }) => {
        const { ids } = idsBody.parse(body);
        return { keys: Object.fromEntries(await tokenKeys.revealMany(actor, ids)) };
      }),
    );
    app.post(
      '/batch',
      keyed(async ({ actor, body }) => {
        const { ids } = idsBody.parse(body);
        return tokenService.deleteOwn(actor, ids);
      }),
    );

    app.post(
      '/:id/rotate',
      keyed(async ({ actor, params, body, request, reply }) => {
        const id = queryId(params.id);
        const { overlapUntil } = rotateBody.parse(body);
        const { key, replayed } = await tokenRotation.rotate(actor, id, overlapUntil, idempotencyKeyOf(request));
        markReplayed(reply, replayed);
        return toWire({ ...(await tokenKeys.get(actor, id)), key });
      }),
    );
    app.delete(
      '/:id/previous',
      keyed(async ({ actor, params }) => {
        await tokenRotation.endPrevious(actor, queryId(params.id));
      }),
    );

    app.delete(
      '/:id',
      keyed(async ({ actor, params }) => {
        await tokenService.delete(actor, queryId(params.id));
      }),
    );
  };
