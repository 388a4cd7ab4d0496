import type { FastifyPluginAsync } from 'fastify';
import { wholeList, wireList } from '../../http/paging.js';
import { queryId } from '../../http/query.js';
import type { RestHandlers } from '../../http/rest.js';
import type { TokenService } from './token.service.js';
import { createBody, statusBody, toWire, updateBody } from './token.wire.js';

/** `/api/token`: own API keys (docs/reference/rest/tokens-and-wallet.md#api-keys). */
export const tokenRoutes =
  (tokenService: TokenService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user(async ({ actor, query, request }) => {
        const list = wireList(request, query);
        const { items, total } = await tokenService.listOwnKeys(actor, list);
        return list.answer(items.map(toWire), total);
      }),
    );

    app.get(
      '/search',
      rest.user(async ({ actor, query, request }) => {
        const found = await tokenService.searchOwnKeys(actor, query.keyword ?? '', query.token ?? '');
        return wholeList(request, query, found.map(toWire));
      }),
    );

    app.get(
      '/:id',
      rest.user(async ({ actor, params }) => toWire(await tokenService.getOwnKey(actor, queryId(params.id)))),
    );

    app.post(
      '/',
      rest.user(async ({ actor, body }) => toWire(await tokenService.create(actor, createBody.parse(body)))),
    );

    app.put(
      '/',
      rest.user(async ({ actor, query, body }) => {
        if (query.status_only) {
          const { id, status } = statusBody.parse(body);
          await tokenService.setStatus(actor, id, status);
          return toWire(await tokenService.getOwnKey(actor, id));
        }
        const { id, fields, mustEnable } = updateBody.parse(body);
        await tokenService.update(actor, id, fields, mustEnable);
        return toWire(await tokenService.getOwnKey(actor, id));
      }),
    );

    app.delete(
      '/:id',
      rest.user(async ({ actor, params }) => {
        await tokenService.delete(actor, queryId(params.id));
      }),
    );
  };
