import type { FastifyPluginAsync } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { wireList } from '../../platform/http/paging.js';
import { queryId } from '../../platform/http/query.js';
import type { RestContext, RestHandlers } from '../../platform/http/rest.js';
import type { Actor } from '../../shared/actor.js';
import type { UserFilter } from './user-list.js';
import type { UserService } from './user.service.js';
import type { User } from './user.entity.js';
import { createBody, manageBody, toAdminWire, toManagedWire, topUpBody, updateBody } from './user.wire.js';

/** `/api/user`: user administration (docs/reference/rest/accounts.md#user-administration). */
export const userRoutes =
  (userService: UserService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const toWires = async (actor: Actor, users: readonly User[]): Promise<unknown[]> => {
      const ids = users.map(({ id }) => id);
      const granted = await userService.granted(actor, ids);
      return users.map((user) => toAdminWire(user, granted.get(user.id) ?? 0));
    };

    const list = async ({ actor, query, request }: RestContext<Actor>, filter: UserFilter): Promise<unknown> => {
      const { page, pageSize, answer } = wireList(request, query, { paged: true });
      const { items, total } = await userService.list(actor, filter, { page, pageSize, after: null, sort: [] });
      return answer(await toWires(actor, items), total);
    };

    app.get(
      '/',
      rest.may('users.read', (context) => list(context, {})),
    );

    app.get(
      '/search',
      rest.may('users.read', (context) => {
        const { keyword, group } = context.query;
        return list(context, { ...(keyword && { keyword }), ...(group && { groups: [group] }) });
      }),
    );

    app.get(
      '/:id',
      rest.may('users.read', async ({ actor, params }) => {
        const user = await userService.get(actor, queryId(params.id));
        return (await toWires(actor, [user]))[0];
      }),
    );

    app.post(
      '/',
      rest.may('users.write', async ({ actor, body }) => {
        await userService.create(actor, createBody.parse(body));
      }),
    );

    app.put(
      '/',
      rest.may(['users.write', 'users.quota'], async ({ actor, body, request, reply }) => {
        const { id, patch } = updateBody.parse(body);
        const { replayed } = await userService.update(actor, id, patch, idempotencyKeyOf(request));
        markReplayed(reply, replayed);
      }),
    );

    app.delete(
      '/:id',
      rest.may('users.write', async ({ actor, params }) => {
        await userService.remove(actor, queryId(params.id));
      }),
    );

    app.post(
      '/manage',
      rest.may('users.write', async ({ actor, body }) => {
        const { id, username, action } = manageBody.parse(body);
        const target = id ?? (await userService.idOf(actor, username ?? ''));
        return toManagedWire(await userService.manage(actor, target, action));
      }),
    );
  };

/** `POST /api/topup` of one-api, with which billing programs credit a user. */
export const topUpRoutes =
  (userService: UserService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.post(
      '/topup',
      rest.may('users.quota', async ({ actor, body, request, reply }) => {
        const { userId, quota, note } = topUpBody.parse(body);
        const idempotencyKey = idempotencyKeyOf(request);
        const { replayed } = await userService.grantQuota(actor, userId, quota, { note, idempotencyKey });
        markReplayed(reply, replayed);
      }),
    );
  };
