import { ObjectType } from 'type-graphql';
import { fields, float, int, moment, nullable, of, text } from '../../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { failureKinds, type FailureKind } from '../../../shared/failure-kind.js';
import {
  healthWindows,
  type HealthList,
  type HealthWindow,
  type LastFailure,
  type ModelHealth,
} from './model-health.service.js';

export const HealthWindowEnum = enumType(
  'ModelHealthWindow',
  namesOf(Object.keys(healthWindows) as HealthWindow[]),
  'The running hour, and the hours before it.',
  { HOUR: 'One hour before it.', DAY: '24 hours before it.', WEEK: 'Seven days before it.' },
);

export const FailureKindEnum = enumType('FailureKind', namesOf(failureKinds), 'Why a call failed.', {
  RATE_LIMITED: 'The provider had no capacity left.',
  TIMEOUT: 'The response did not come in time.',
  UNREACHABLE: 'There was no connection.',
  SERVER_ERROR: 'The provider failed.',
  INVALID_RESPONSE: 'The response could not be read.',
  REFUSED: 'The provider refused the account of the site.',
  REQUEST: 'The provider refused the request.',
  OTHER: 'Another failure.',
});

@ObjectType('ModelFailure', { description: 'A failure of a model, without its provider.' })
export class LastFailureObject
  extends fields({
    kind: of<FailureKind>(() => FailureKindEnum, 'Why the call failed.'),
    at: moment('When the call failed.'),
  })
  implements LastFailure {}

@ObjectType('ModelHealth', { description: 'How well a model serves the calls of a group.' })
export class ModelHealthObject
  extends fields({
    modelName: text('As clients request it.'),
    group: text('The group whose calls the figures are of.'),
    successRate: float.orNull(
      'Share of served calls, 0 to 1, without requests that the provider refused. Null: no calls.',
    ),
    firstTokenP50Ms: int.orNull('Milliseconds to the first data of half of the streams. Null: no streams.'),
    firstTokenP95Ms: int.orNull('The same of 95 % of the streams.'),
    tokensPerSecond: float.orNull('Completion tokens per second, from the request to the end of the response.'),
    lastFailure: nullable<LastFailure>(() => LastFailureObject, 'Null: none in this time.'),
    calls: int.orNull('Served and failed calls. Null for users below admin.'),
  })
  implements ModelHealth {}

@ObjectType('ModelHealthList', { description: 'The health of the models that the caller can use.' })
export class ModelHealthListObject
  extends fields({
    from: moment('The figures cover the time since then.'),
    rows: of<readonly ModelHealth[]>(() => [ModelHealthObject], 'By name and group.'),
  })
  implements HealthList {}
