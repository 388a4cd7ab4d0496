import { ObjectType } from 'type-graphql';
import { fields, int, moment, of, text } from '../../platform/graphql/fields.js';
import { Cost } from '../../platform/graphql/access.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import {
  channelKeyStatuses,
  channelCooldownReasons,
  type ChannelKey,
  type ChannelKeyCooldown,
  type ChannelKeyStatus,
  type ChannelCooldownReason,
} from './channel-keys.service.js';

const ChannelKeyStatusEnum = enumType(
  'ChannelKeyStatus',
  namesOf(channelKeyStatuses),
  'How the responding node uses a key.',
  {
    USED: 'In turn with the others.',
    REFUSED: 'Its provider refused it. It is not used until the keys change.',
    PAUSED: 'Its connections failed. It is tried again within a minute.',
  },
);

const ChannelCooldownReasonEnum = enumType(
  'ChannelCooldownReason',
  namesOf(channelCooldownReasons),
  'Why a key gets no calls for a time.',
  {
    RATE_LIMITED: 'Its provider answered 429.',
    FAILING: 'Calls failed. It is used when no other key is left.',
    QUOTA_EXHAUSTED: 'Its account has no quota left.',
    REFUSED: 'Its provider refused it.',
  },
);

@ObjectType('ChannelKeyCooldown', { description: 'A time in which a key gets no calls.' })
class ChannelKeyCooldownObject
  extends fields({
    model: text.orNull('Null: all models.'),
    reason: of<ChannelCooldownReason>(() => ChannelCooldownReasonEnum, 'Why the key gets no calls.'),
    since: moment('When the cooldown began.'),
    until: moment('Then one call tries the key. The year 9999: no call does.'),
  })
  implements ChannelKeyCooldown {}

@ObjectType('ChannelKey', { description: 'One key of a channel. The key itself is not shown.' })
export class ChannelKeyObject
  extends fields({
    position: int('Place among the keys, from 1.'),
    status: of<ChannelKeyStatus>(() => ChannelKeyStatusEnum, 'How the responding node uses the key.'),
    ending: text('Its last four characters. Empty: the key is short, or a document.'),
    cooldowns: of<readonly ChannelKeyCooldown[]>(() => [ChannelKeyCooldownObject], 'Known to all nodes.', Cost(0)),
  })
  implements ChannelKey {}
