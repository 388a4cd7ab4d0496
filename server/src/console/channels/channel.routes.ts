import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { hiddenPages, int, listOf, pages, parameter, text } from '../../platform/http/openapi/operation.js';
import { isOneApi, mayReadEither, wholeList, wireList, type WireList } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { ListQuery } from '../../shared/page.js';
import { catalogueModels, oldModelLists } from './channel-catalogue.js';
import { enabledModelReaders } from './channel-directory.js';
import type { ChannelSortField } from './channel-query.js';
import type { ChannelServices } from './channel-services.js';
import {
  batchTagBody,
  channelShape,
  idsBody,
  modelShape,
  newChannelsBody,
  noMessage,
  tagBody,
  tagEditBody,
  toModelWire,
  toWire,
  updateBody,
  withoutMessage,
} from './channel.wire.js';

const route = routesFor<ChannelServices>();
const reads = { may: 'channels.read' } as const;
const writes = { may: 'channels.write' } as const;
const readsKeys = { may: 'channels.secrets' } as const;

const ordering = {
  id_sort: parameter.choice('Sort by id instead of priority'),
  tag_mode: parameter.choice('A page counts tags and has all channels of these tags'),
};
const count = (what: string): z.ZodInt => int(`Number of channels ${what}`);

/** `/api/channel` (docs/reference/rest/channels.md). */
export const channelRoutes = [
  route('GET /api/channel', {
    summary: 'Channels, highest priority first',
    description: 'The first page is 0. With `tag_mode` channels without a tag are not listed.',
    caller: reads,
    query: { ...pages, ...ordering },
    data: listOf(channelShape),
    example: { query: { p: 0, page_size: 20 } },
    handle: async ({ channels }, { actor, query, request }) => {
      const sort = sortBy(query.id_sort || isOneApi(request));
      const read = ({ page, pageSize }: WireList) => {
        const list = { page, pageSize, after: null, sort };
        return query.tag_mode ? channels.listTagged(actor, list) : channels.list(actor, {}, list);
      };
      let list = wireList(request, query);
      let found = await read(list);
      // all-api-hub reads pages of Veloera from 0, and the next one only after a full page. So page 1 of a list that has one page is
      // the first page of its reader of new-api.
      if (list.page === 1 && mayReadEither(request) && (await found.total()).count < list.pageSize) {
        list = wireList(request, query, { paged: true });
        found = await read(list);
      }
      return list.answer(
        found.items.map((channel) => toWire(channel)),
        found.total,
      );
    },
  }),
  route('GET /api/channel/search', {
    summary: 'Search channels',
    caller: reads,
    query: {
      ...hiddenPages,
      keyword: parameter.words('An id, a part of the name, or a whole key'),
      group: parameter.words('The exact group'),
      model: parameter.words('A part of the model list'),
      ...ordering,
    },
    data: listOf(channelShape),
    example: { query: { keyword: 'primary' } },
    handle: async ({ channels }, { actor, query, request }) => {
      const filter = {
        keyword: query.keyword || undefined,
        modelPart: query.model || undefined,
        groups: query.group && query.group !== 'null' ? [query.group] : undefined,
      };
      const sort = sortBy(query.id_sort || isOneApi(request));
      const found = query.tag_mode
        ? await channels.searchTagged(actor, filter, sort)
        : await channels.search(actor, filter, sort);
      // The readers of all-api-hub take both forms for Veloera, and pages only for new-api.
      return wholeList(
        request,
        query,
        found.map((channel) => toWire(channel)),
        { paged: mayReadEither(request) },
      );
    },
  }),
  route('GET /api/channel/:id', {
    summary: 'One channel with its keys',
    description: 'The audit log records that keys were shown.',
    caller: readsKeys,
    data: channelShape,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async ({ channels }, { actor, id }) => {
      const channel = await channels.get(actor, id);
      return toWire(channel, await channels.revealKey(actor, channel.id));
    },
  }),
  // Consoles of new-api ask for the keys and for copies in this way.
  route('POST /api/channel/:id/key', {
    summary: 'The keys of a channel, separated by commas',
    description: 'The audit log records that keys were shown.',
    caller: readsKeys,
    data: z.object({ key: text('Keys') }),
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async ({ channels }, { actor, id }) => ({ key: await channels.revealKey(actor, id) }),
  }),
  route('POST /api/channel/copy/:id', {
    summary: 'Copy a channel with its keys',
    caller: writes,
    once: true,
    query: { suffix: parameter.words('After the name of the channel') },
    data: z.object({ id: int('Id of the copy') }),
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async ({ channels, copies }, { actor, id, query, idempotencyKey, reply }) => {
      const { name } = await channels.get(actor, id);
      const copy = await copies.copy(actor, id, name + (query.suffix ?? ' copy'), idempotencyKey);
      markReplayed(reply, copy.replayed);
      return { id: copy.channel.id };
    },
  }),
  route('POST /api/channel', {
    summary: 'Create a channel',
    description:
      'Models and groups are trimmed, each once. Clients of new-api wrap the channel: `{ "mode": "batch", "channel": {} }` creates one for each key.',
    caller: writes,
    once: true,
    body: (_query, given) => newChannelsBody(given),
    bodyOf: channelShape,
    example: {
      body: { type: 1, name: 'primary', key: 'sk-upstream', models: 'gpt-4o,gpt-4o-mini', group: 'default' },
    },
    handle: async ({ channels }, { actor, body, idempotencyKey, reply }) => {
      const { replayed } = await channels.createEach(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
    },
  }),
  route('PUT /api/channel', {
    summary: 'Change a channel',
    description: 'Absent fields stay. An empty key keeps the stored one.',
    caller: writes,
    body: updateBody,
    data: channelShape,
    errors: ['NOT_FOUND'],
    example: { body: { id: 1, priority: 10 } },
    handle: async ({ channels }, { actor, body }) => toWire(await channels.update(actor, body.id, body.fields)),
  }),
  route('DELETE /api/channel/:id', {
    summary: 'Remove a channel',
    caller: writes,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async ({ channels }, { actor, id }) => {
      await channels.delete(actor, id);
    },
  }),
  route('DELETE /api/channel/disabled', {
    summary: 'Remove all disabled channels',
    description: 'Those of status 2 and 3.',
    caller: writes,
    data: count('removed'),
    example: {},
    handle: ({ bulk }, { actor }) => bulk.deleteDisabled(actor),
  }),
  route('DELETE /api/channel/:id/cooldowns', {
    summary: 'Let keys of a channel in cooldown serve again',
    caller: writes,
    data: int('Number of cooldowns that ended'),
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: ({ keys }, { actor, id }) => keys.clear(actor, id, null),
  }),
  route('POST /api/channel/batch', {
    summary: 'Remove several channels',
    caller: writes,
    body: idsBody,
    data: count('removed'),
    example: { body: { ids: [999_999] } },
    handle: async ({ bulk }, { actor, body }) => (await bulk.delete(actor, body)).done.length,
  }),
  route('POST /api/channel/batch/tag', {
    summary: 'Set the tag of several channels',
    caller: writes,
    body: batchTagBody,
    data: count('changed'),
    example: { body: { ids: [1], tag: 'europe' } },
    handle: async ({ bulk }, { actor, body }) => (await bulk.setTag(actor, body.ids, body.tag)).done.length,
  }),
  route('POST /api/channel/tag/enabled', {
    summary: 'Enable the channels of a tag',
    caller: writes,
    body: tagBody,
    example: { body: { tag: 'europe' } },
    handle: async ({ bulk }, { actor, body }) => {
      await bulk.setTagStatus(actor, body, true);
    },
  }),
  route('POST /api/channel/tag/disabled', {
    summary: 'Disable the channels of a tag',
    caller: writes,
    body: tagBody,
    example: { body: { tag: 'asia' } },
    handle: async ({ bulk }, { actor, body }) => {
      await bulk.setTagStatus(actor, body, false);
    },
  }),
  // Consoles of new-api fill their form of a tag with them.
  route('GET /api/channel/tag/models', {
    summary: 'The models of the channel of a tag that has most of them',
    caller: reads,
    query: { tag: parameter.words('The tag') },
    data: text('Separated by commas'),
    example: { query: { tag: 'europe' } },
    handle: async ({ channels }, { actor, query }) => {
      if (!query.tag) throw new InvalidInputError('Fill in the tag', 'tag');
      const found = await channels.search(actor, { tags: [query.tag] }, sortBy(true));
      const [longest] = found.map(({ models }) => models).sort((left, right) => right.length - left.length);
      return longest?.join(',') ?? '';
    },
  }),
  route('PUT /api/channel/tag', {
    summary: 'Change all channels of a tag',
    description: 'Absent and null mean no change. An empty `new_tag` removes the tag.',
    caller: writes,
    body: tagEditBody,
    bodyOf: channelShape,
    example: { body: { tag: 'europe', priority: 5 } },
    handle: async ({ bulk }, { actor, body }) => {
      await bulk.editTag(actor, body.tag, body.change);
    },
  }),
  route('POST /api/channel/fix', {
    summary: 'Repair the model and group lists',
    caller: writes,
    data: count('repaired'),
    example: {},
    handle: ({ bulk }, { actor }) => bulk.fix(actor),
  }),
  route('GET /api/channel/models', {
    summary: 'Built-in models',
    description: 'Each id once.',
    caller: reads,
    response: noMessage(z.array(modelShape)),
    example: {},
    handle: async () => withoutMessage(catalogueModels.map(toModelWire)),
  }),
  route('GET /api/channel/models_enabled', {
    summary: 'Models of enabled channels',
    caller: { may: enabledModelReaders },
    response: noMessage(z.array(z.string())),
    example: {},
    handle: async ({ directory }, { actor }) => withoutMessage(await directory.enabledModels(actor)),
  }),
];

/** `/api/models` (docs/reference/rest/public.md#built-in-model-names). */
export const modelCatalogueRoutes = [
  route('GET /api/models', {
    summary: 'Built-in model names by channel type',
    caller: 'user',
    response: noMessage(z.record(z.string(), z.array(z.string()))),
    example: {},
    handle: async () => withoutMessage(oldModelLists),
  }),
];

const sortBy = (isById: boolean): ListQuery<ChannelSortField>['sort'] =>
  isById ? [{ field: 'id', direction: 'DESC' }] : [];
