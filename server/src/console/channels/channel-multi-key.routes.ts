import { z } from 'zod';
import { int, text } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { unixSeconds } from '../../shared/clock.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { ChannelKey } from './channel-keys.service.js';
import type { ChannelServices } from './channel-services.js';

const actions = [
  ...(['get_key_status', 'enable_key', 'disable_key', 'delete_key'] as const),
  ...(['enable_all_keys', 'disable_all_keys', 'delete_disabled_keys'] as const),
] as const;

const body = z.object({
  channel_id: z.int(),
  action: z.enum(actions),
  /** The position of the key, from 0. */
  key_index: z.int().min(0).optional(),
  page: z.int().optional(),
  page_size: z.int().optional(),
  status: z.int().nullish(),
});

const enabled = 1;
const autoDisabled = 3;
const usualPageSize = 50;

const keyStatus = z.object({
  index: int('From 0'),
  status: int('1 in use, 3 not used for now'),
  disabled_time: int('Unix seconds').optional(),
  reason: text('Why it is not used').optional(),
  key_preview: text('The last characters of the key'),
});

/** The keys of one channel, as consoles of new-api manage them. */
export const channelMultiKeyRoutes = [
  routesFor<ChannelServices>()('POST /api/channel/multi_key/manage', {
    summary: 'The keys of a channel with their states',
    description:
      'Actions: `get_key_status`; `enable_key` and `enable_all_keys` end cooldowns; `delete_key`; `delete_disabled_keys` removes keys that their provider refused. Keys cannot be disabled one by one.',
    caller: { may: 'channels.write' },
    body,
    data: z.union([
      int('Number of keys that were removed, or of cooldowns that ended'),
      z.object({
        keys: z.array(keyStatus),
        total: int('Number of keys with the status'),
        page: int('From 1'),
        page_size: int('Keys of a page'),
        total_pages: int('Number of pages'),
        enabled_count: int('Keys in use'),
        manual_disabled_count: int('Always 0'),
        auto_disabled_count: int('Keys that are not used for now'),
      }),
    ]),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { channel_id: 1, action: 'get_key_status' } },
    handle: async ({ keys }, { actor, body: asked }) => {
      const { channel_id: id, action, key_index: index } = asked;
      const own = (await keys.of(actor, [id])).get(id);
      if (!own) throw new NotFoundError('Channel', id);
      const remove = ({ position, ending }: ChannelKey): Promise<void> => keys.remove(actor, id, position, ending);
      const named = (): ChannelKey => {
        const key = own[index ?? -1];
        if (!key) throw new InvalidInputError('key_index names no key of the channel', 'key_index');
        return key;
      };
      switch (action) {
        case 'get_key_status':
          return pageOf(own, asked);
        case 'enable_key':
          return keys.clear(actor, id, named().position);
        case 'enable_all_keys':
          return keys.clear(actor, id, null);
        case 'delete_key':
          await remove(named());
          return 1;
        case 'delete_disabled_keys': {
          // The last key is removed first, so that the positions of the other keys stay.
          const refused = own.filter(({ status }) => status === 'REFUSED').reverse();
          for (const key of refused) await remove(key);
          return refused.length;
        }
        default:
          throw new InvalidInputError(
            'Keys are not disabled one by one. Remove the key, or disable the channel',
            'action',
          );
      }
    },
  }),
];

function pageOf(keys: readonly ChannelKey[], asked: z.infer<typeof body>) {
  const all = keys.map((key) => stateOf(key));
  const wanted = all.filter(({ status }) => asked.status == null || status === asked.status);
  const page = Math.max(1, asked.page ?? 1);
  const size = asked.page_size && asked.page_size > 0 ? asked.page_size : usualPageSize;
  const used = all.filter(({ status }) => status === enabled).length;
  return {
    keys: wanted.slice((page - 1) * size, page * size),
    total: wanted.length,
    page,
    page_size: size,
    total_pages: Math.ceil(wanted.length / size),
    enabled_count: used,
    manual_disabled_count: 0,
    auto_disabled_count: all.length - used,
  };
}

function stateOf({ position, status, ending, cooldowns }: ChannelKey): z.infer<typeof keyStatus> {
  const shown = { index: position - 1, key_preview: `…${ending}` };
  const cooldown = cooldowns.find(({ model }) => model === null);
  if (cooldown) {
    return { ...shown, status: autoDisabled, disabled_time: unixSeconds(cooldown.since), reason: cooldown.reason };
  }
  return status === 'USED' ? { ...shown, status: enabled } : { ...shown, status: autoDisabled, reason: status };
}
