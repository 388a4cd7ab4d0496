import type { FastifyPluginAsync } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { wireList } from '../../platform/http/paging.js';
import { queryId } from '../../platform/http/query.js';
import type { RestContext, RestHandlers } from '../../platform/http/rest.js';
import type { Actor } from '../../shared/actor.js';
import type { RedeemService } from './redeem.service.js';
import type { RedemptionFilter } from './redemption-query.js';
import type { RedemptionService } from './redemption.service.js';
import { createBody, idsBody, redeemBody, statusBody, toWire, updateBody } from './redemption.wire.js';

/** `/api/redemption` (docs/reference/rest/tokens-and-wallet.md#redemption-codes). */
export const redemptionRoutes =
  (redemptionService: RedemptionService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const list = async ({ actor, query, request }: RestContext<Actor>, filter: RedemptionFilter): Promise<unknown> => {
      const { page, pageSize, answer } = wireList(request, query, { paged: true });
      const found = await redemptionService.list(actor, filter, { page, pageSize, after: null, sort: [] });
      return answer(found.items.map(toWire), found.total);
    };

    app.get(
      '/',
      rest.may('codes', (context) => list(context, {})),
    );
    app.get(
      '/search',
      rest.may('codes', (context) => list(context, { keyword: context.query.keyword || undefined })),
    );
    app.get(
      '/count-by-name',
      rest.may('codes', ({ actor, query }) => redemptionService.countByName(actor, query.name ?? '')),
    );
    app.get(
      '/:id',
      rest.may('codes', async ({ actor, params }) => toWire(await redemptionService.get(actor, queryId(params.id)))),
    );

    app.post(
      '/',
      rest.may('codes', async ({ actor, body, request, reply }) => {
        const key = idempotencyKeyOf(request);
        const { codes, replayed } = await redemptionService.create(actor, createBody.parse(body), key);
        markReplayed(reply, replayed);
        return codes.map(({ key }) => key);
      }),
    );

    app.put(
      '/',
      rest.may('codes', async ({ actor, query, body }) => {
        if (query.status_only) {
          const { id, status } = statusBody.parse(body);
          return toWire(await redemptionService.setStatus(actor, id, status));
        }
        const { id, fields } = updateBody.parse(body);
        return toWire(await redemptionService.update(actor, id, fields));
      }),
    );
    app.put(
      '/batch-disable',
      rest.may(
        'codes',
        async ({ actor, body }) => (await redemptionService.disable(actor, idsBody.parse(body))).done.length,
      ),
    );

    app.delete(
      '/delete-by-name',
      rest.may('codes', ({ actor, query }) => redemptionService.deleteByName(actor, query.name ?? '')),
    );
    app.delete(
      '/delete-disabled',
      rest.may('codes', ({ actor }) => redemptionService.deleteDisabled(actor)),
    );
    app.delete(
      '/:id',
      rest.may('codes', async ({ actor, params }) => {
        await redemptionService.delete(actor, queryId(params.id));
      }),
    );
  };

/** `POST /api/user/topup` (docs/reference/rest/tokens-and-wallet.md#redeeming-a-code). */
export const redeemRoutes =
  (redeemService: RedeemService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.post(
      '/topup',
      rest.user(async ({ actor, body, request, reply }) => {
        const key = idempotencyKeyOf(request);
        const { quota, isGift, replayed } = await redeemService.redeem(actor, redeemBody.parse(body), key);
        markReplayed(reply, replayed);
        return { quota, is_gift: isGift };
      }),
    );
  };
