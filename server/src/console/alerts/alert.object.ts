import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { fields, flag, float, inputFields, int, moment, nullable, of, text } from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import {
  filterText,
  ListArgs,
  pageItems,
  PageInterface,
  type PageInfoObject,
} from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import { alertTargets, type AlertTarget } from './alert-targets.js';
import { alertKinds, type Alert, type AlertKind } from './alert.entity.js';
import type { AlertFilter } from './alert.service.js';

const AlertKindEnum = enumType('AlertKind', namesOf(alertKinds), 'What an alert is about.', {
  CHANNEL_DISABLED: 'The gateway disabled a channel.',
  CHANNEL_BALANCE_LOW: 'The account of a channel has less than option `alerts.channel_balance_below`.',
  ERROR_RATE: 'At least option `alerts.error_rate_percent` of a channel’s calls failed within the last 15 minutes.',
  SALE_BELOW_COST: 'Models are sold for less than they cost. One alert of the site.',
  RECONCILE_DRIFT: 'The ledger is inconsistent.',
  WEBHOOK_OFF: 'An endpoint of webhooks failed for days, or is gone, and was switched off. One alert of the site.',
});

export const AlertTargetEnum = enumType('AlertTarget', namesOf(alertTargets), 'Where messages about alerts are sent.', {
  MAIL: 'E-mail to the addresses of the option `alerts.mail`.',
  WEBHOOK: 'A POST request to an address of the operator.',
  TELEGRAM: 'A chat of a Telegram bot.',
  BARK: 'The Bark app of an iPhone.',
});

@ObjectType('FailedAlertMessage', { description: 'A message that could not be sent so far.' })
export class FailedAlertMessageObject extends fields({
  target: of<AlertTarget>(() => AlertTargetEnum, 'Where the message should have gone.'),
  error: text('Why the last attempt failed, as the target or the network reported it.'),
}) {}

@ObjectType('Alert', { description: 'A condition that an operator should know of.' })
export class AlertObject extends fields({
  id: int('Ids grow with time; `markAlertsSeen` takes one.'),
  kind: of<AlertKind>(() => AlertKindEnum, 'The condition, which also says which of the fields below are set.'),
  channelId: int.orNull('Null: it is about the site.'),
  channelName: text.orNull('Name of the channel at that time.'),
  reason: text.orNull('Why the channel was disabled.'),
  balance: float.orNull('What the account of the channel has left.'),
  threshold: float.orNull('The threshold that was crossed: money or percent.'),
  calls: int.orNull('Calls of the channel that were counted. Null unless calls fail.'),
  failedCalls: int.orNull('Those among them that failed. Null unless calls fail.'),
  models: nullable<readonly string[]>(() => [String], 'Models that are sold below cost, ten at most.'),
  endpoints: nullable<readonly string[]>(() => [String], 'Endpoints of webhooks that were switched off, ten at most.'),
  count: int.orNull('All models sold below cost, endpoints that are off, or inconsistent accounts.'),
  openedAt: moment('When the condition began to hold.'),
  endedAt: moment.orNull('Null: the condition still holds.'),
}) {}

export const toAlertObject = ({ id, kind, channelId, facts, openedAt, endedAt }: Alert): AlertObject => ({
  id,
  kind,
  openedAt,
  endedAt,
  channelId,
  channelName: facts.channelName ?? null,
  reason: facts.reason || null,
  balance: facts.balance ?? null,
  threshold: facts.threshold ?? null,
  calls: facts.calls ?? null,
  failedCalls: facts.failedCalls ?? null,
  models: facts.models ?? null,
  endpoints: facts.endpoints ?? null,
  count: facts.count ?? null,
});

@ObjectType('AlertPage', { implements: PageInterface, description: 'A page of alerts.' })
export class AlertPage extends pageItems(AlertObject) implements PageInterface {
  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;

  @Field(() => Int, { description: 'Open alerts that the caller has not seen, whatever the filter.' })
  unseenCount: number;
}

@InputType('AlertFilter', { description: 'All fields must match.' })
export class AlertFilterInput extends inputFields({
  kinds: nullable<AlertKind[]>(() => [AlertKindEnum], 'Only alerts of these kinds.'),
  isOpen: flag.orNull('Whether the condition still holds.'),
  opened: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the condition began.'),
}) {}

/** @throws AppError INVALID_INPUT */
export const toAlertFilter = (input: AlertFilterInput | null | undefined): AlertFilter =>
  toFilter<AlertFilter>(input, ['opened']);

@ArgsType()
export class AlertListArgs extends ListArgs {
  @Field(() => AlertFilterInput, { nullable: true, description: filterText })
  filter?: AlertFilterInput | null;
}
