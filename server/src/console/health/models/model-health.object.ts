import { Field, Float, Int, ObjectType } from 'type-graphql';
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
export class LastFailureObject implements LastFailure {
  @Field(() => FailureKindEnum, { description: 'Why the call failed.' })
  kind: FailureKind;

  @Field(() => Date, { description: 'When the call failed.' })
  at: Date;
}

@ObjectType('ModelHealth', { description: 'How well a model serves the calls of a group.' })
export class ModelHealthObject implements ModelHealth {
  @Field(() => String, { description: 'As clients request it.' })
  modelName: string;

  @Field(() => String, { description: 'The group whose calls the figures are of.' })
  group: string;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of served calls, 0 to 1, without requests that the provider refused. Null: no calls.',
  })
  successRate: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds to the first data of half of the streams. Null: no streams.',
  })
  firstTokenP50Ms: number | null;

  @Field(() => Int, { nullable: true, description: 'The same of 95 % of the streams.' })
  firstTokenP95Ms: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Completion tokens per second, from the request to the end of the response.',
  })
  tokensPerSecond: number | null;

  @Field(() => LastFailureObject, { nullable: true, description: 'Null: none in this time.' })
  lastFailure: LastFailure | null;

  @Field(() => Int, { nullable: true, description: 'Served and failed calls. Null for users below admin.' })
  calls: number | null;
}

@ObjectType('ModelHealthList', { description: 'The health of the models that the caller can use.' })
export class ModelHealthListObject implements HealthList {
  @Field(() => Date, { description: 'The figures cover the time since then.' })
  from: Date;

  @Field(() => [ModelHealthObject], { description: 'By name and group.' })
  rows: readonly ModelHealth[];
}
