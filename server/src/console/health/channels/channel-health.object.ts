import { ObjectType } from 'type-graphql';
import { fields, float, int, moment, of, safeInt, text } from '../../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import type { FailureKind } from '../../../shared/failure-kind.js';
import { FailureKindEnum } from '../models/model-health.object.js';
import type { ChannelFailure } from './channel-health-counts.js';
import { channelHealthWindows, type ChannelHealth, type ChannelHealthList } from './channel-health.service.js';

export const ChannelHealthWindowEnum = enumType(
  'ChannelHealthWindow',
  namesOf(channelHealthWindows),
  'The time until now.',
  { HOUR: 'The last 60 to 65 minutes.', DAY: 'The running hour, and the 24 hours before it.' },
);

@ObjectType('ChannelFailure', { description: 'Failed attempts of one kind at a channel.' })
class ChannelFailureObject
  extends fields({
    kind: of<FailureKind>(() => FailureKindEnum, 'Why the attempts failed.'),
    attempts: safeInt('Failed attempts of this kind. A call may try a channel several times.'),
    lastAt: moment('The last of them.'),
    lastModel: text('The model of the last one.'),
    lastError: text(
      'Message of the last one, without addresses and keys. A refused request: status and code only, unless errors are logged.',
    ),
  })
  implements ChannelFailure {}

@ObjectType('ChannelHealth', { description: 'How well a channel served calls.' })
export class ChannelHealthObject
  extends fields({
    channelId: int('`Channel.id`. Deleted channels are not listed.'),
    channelName: text('The name of the channel now.'),
    calls: safeInt('Calls that it served.'),
    failedAttempts: safeInt('Without requests that the provider refused as such (kind REQUEST).'),
    failureRate: float.orNull('Share of failed attempts among these and the served calls, 0 to 1. Null: none of both.'),
    rescuedAttempts: safeInt('Failed attempts whose calls another channel served.'),
    p50Ms: int.orNull('Milliseconds that half of the served calls took at most, interpolated. Null: none.'),
    p95Ms: int.orNull('The same of 95 % of the calls.'),
    failures: of<readonly ChannelFailure[]>(() => [ChannelFailureObject], 'By kind, the latest first.'),
  })
  implements ChannelHealth {}

@ObjectType('ChannelHealthList', { description: 'How well channels served calls.' })
export class ChannelHealthListObject
  extends fields({
    from: moment('The figures cover the time since then.'),
    rows: of<readonly ChannelHealth[]>(() => [ChannelHealthObject], 'The most failed attempts first.'),
  })
  implements ChannelHealthList {}
