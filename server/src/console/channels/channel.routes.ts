import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { isOneApi, wholeList, wireList } from '../../platform/http/paging.js';
import { queryFlag, queryId } from '../../platform/http/query.js';
import { RestAnswer, withoutHead, type RestHandlers } from '../../platform/http/rest.js';
import { secondsIn } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { ListQuery } from '../../shared/page.js';
import { enabledModelReaders } from './channel-directory.js';
import { catalogueModels } from './channel-catalogue.js';
import type { ChannelSortField } from './channel-query.js';
import type { ChannelServices } from './channel-services.js';
import {
  batchTagBody,
  channelsOf,
  createBody,
  discoverBody,
  idsBody,
  tagBody,
  tagEditBody,
  toModelWire,
  toWire,
  updateBody,
} from './channel.wire.js';

/** `/api/channel` (docs/reference/rest/channels.md). */
export const channelRoutes =
  (services: ChannelServices, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const { channels, copies, bulk, keys, directory, discovery, tests, balances, schedules } = services;
    const { may } = rest;

    app.get(
      '/',
      may('channels.read', async ({ actor, query, request }) => {
        const { page, pageSize, answer } = wireList(request, query);
        const list = { page, pageSize, after: null, sort: sortOf(request, query) };
        const { items, total } = queryFlag(query.tag_mode)
          ? await channels.listTagged(actor, list)
          : await channels.list(actor, {}, list);
        return answer(
          items.map((channel) => toWire(channel)),
          total,
        );
      }),
    );

    app.get(
      '/search',
      may('channels.read', async ({ actor, query, request }) => {
        const filter = {
          keyword: query.keyword || undefined,
          modelPart: query.model || undefined,
          groups: query.group && query.group !== 'null' ? [query.group] : undefined,
        };
        const sort = sortOf(request, query);
        const found = queryFlag(query.tag_mode)
          ? await channels.searchTagged(actor, filter, sort)
          : await channels.search(actor, filter, sort);
        return wholeList(
          request,
          query,
          found.map((channel) => toWire(channel)),
        );
      }),
    );

    app.get(
      '/models',
      may('channels.read', async () => withoutMessage(catalogueModels.map(toModelWire))),
    );
    app.get(
      '/models_enabled',
      may(enabledModelReaders, async ({ actor }) => withoutMessage(await directory.enabledModels(actor))),
    );

    app.get(
      '/fetch_models/:id',
      withoutHead,
      may('channels.write', ({ actor, params }) => discovery.ofChannel(actor, queryId(params.id))),
    );

    app.post(
      '/fetch_models',
      may('channels.write', async ({ actor, body }) => {
        const form = discoverBody.safeParse(body);
        if (!form.success) return new RestAnswer({ success: false, message: 'Invalid request' }, 400);
        return withoutMessage(await discovery.ofForm(actor, form.data));
      }),
    );

    app.get(
      '/test',
      withoutHead,
      may('channels.write', async ({ actor }) => {
        await schedules.startTests(actor);
      }),
    );

    app.get(
      '/update_balance',
      withoutHead,
      may('channels.write', async ({ actor }) => {
        await schedules.startBalances(actor);
      }),
    );

    app.get(
      '/update_balance/:id',
      withoutHead,
      may('channels.write', async ({ actor, params }) => {
        const balance = await balances.update(actor, queryId(params.id));
        return new RestAnswer({ success: true, message: '', balance });
      }),
    );

    app.get(
      '/test/:id',
      withoutHead,
      may('channels.write', async ({ actor, params, query }) => {
        const { success, message, milliseconds } = await tests
          .test(actor, queryId(params.id), query.model)
          .catch(asFailedTest);
        return new RestAnswer({ success, message, time: secondsIn(milliseconds) });
      }),
    );

    app.get(
      '/:id',
      may('channels.secrets', async ({ actor, params }) => {
        const channel = await channels.get(actor, queryId(params.id));
        return toWire(channel, await channels.revealKey(actor, channel.id));
      }),
    );

    app.post(
      '/',
      may('channels.write', async ({ actor, body, request, reply }) => {
        const given = channelsOf(body).map((each) => createBody.parse(each));
        const { replayed } = await channels.createEach(actor, given, idempotencyKeyOf(request));
        markReplayed(reply, replayed);
      }),
    );

    app.put(
      '/',
      may('channels.write', async ({ actor, body }) => {
        const { id, fields } = updateBody.parse(body);
        return toWire(await channels.update(actor, id, fields));
      }),
    );

    app.delete(
      '/disabled',
      may('channels.write', ({ actor }) => bulk.deleteDisabled(actor)),
    );

    app.delete(
      '/:id',
      may('channels.write', async ({ actor, params }) => {
        await channels.delete(actor, queryId(params.id));
      }),
    );

    app.delete(
      '/:id/cooldowns',
      may('channels.write', ({ actor, params }) => keys.clear(actor, queryId(params.id), null)),
    );

    app.post(
      '/batch',
      may('channels.write', async ({ actor, body }) => (await bulk.delete(actor, idsBody.parse(body))).done.length),
    );

    app.post(
      '/batch/tag',
      may('channels.write', async ({ actor, body }) => {
        const { ids, tag } = batchTagBody.parse(body);
        return (await bulk.setTag(actor, ids, tag)).done.length;
      }),
    );

    app.post(
      '/tag/enabled',
      may('channels.write', async ({ actor, body }) => {
        await bulk.setTagStatus(actor, tagBody.parse(body), true);
      }),
    );

    app.post(
      '/tag/disabled',
      may('channels.write', async ({ actor, body }) => {
        await bulk.setTagStatus(actor, tagBody.parse(body), false);
      }),
    );

    app.put(
      '/tag',
      may('channels.write', async ({ actor, body }) => {
        const { tag, change } = tagEditBody.parse(body);
        await bulk.editTag(actor, tag, change);
      }),
    );

    // As consoles of new-api ask for them.
    app.post(
      '/:id/key',
      may('channels.secrets', async ({ actor, params }) => ({
        key: await channels.revealKey(actor, queryId(params.id)),
      })),
    );
    app.post(
      '/copy/:id',
      may('channels.write', async ({ actor, params, query, request, reply }) => {
        const { id, name } = await channels.get(actor, queryId(params.id));
        const copy = await copies.copy(actor, id, name + (query['suffix'] ?? ' copy'), idempotencyKeyOf(request));
        markReplayed(reply, copy.replayed);
        return { id: copy.channel.id };
      }),
    );

    app.post(
      '/fix',
      may('channels.write', ({ actor }) => bulk.fix(actor)),
    );
  };

const sortOf = (
  request: FastifyRequest,
  query: Record<string, string | undefined>,
): ListQuery<ChannelSortField>['sort'] =>
  queryFlag(query['id_sort']) || isOneApi(request) ? [{ field: 'id', direction: 'DESC' }] : [];

/** Returns a response without `message`, as a few of these endpoints have it. */
const withoutMessage = (data: unknown): RestAnswer => new RestAnswer({ success: true, data });

/** Returns a test that could not be run in the shape of a failed test. */
function asFailedTest(error: unknown): { success: false; message: string; milliseconds: number } {
  if (!isAppError(error) || error.code === 'INTERNAL_ERROR') throw error;
  return { success: false, message: error.message, milliseconds: 0 };
}
