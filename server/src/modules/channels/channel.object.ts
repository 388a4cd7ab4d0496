import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import type { TagChange } from './channel-bulk.service.js';
import type { ChannelType } from './channel-catalogue.service.js';
import type { ChannelTestResult } from './channel-test.service.js';
import type { Channel } from './channel.entity.js';
import type { ChannelFields, ChannelFilter } from './channel.service.js';

/** Unix seconds in the row, dates here. */
type Times = 'createdTime' | 'testTime' | 'balanceUpdatedTime' | 'expiredTime';
type ShownChannel = Omit<Channel, 'keySealed' | Times> & Record<Times, Date | null>;

@ObjectType('Channel', { description: 'One credential at a provider with its models, weight and priority.' })
export class ChannelObject implements ShownChannel {
  @Field(() => Int)
  id: number;

  @Field(() => Int, { description: 'Provider number, see `channelTypes`.' })
  type: number;

  @Field(() => String)
  name: string;

  @Field(() => Int, { description: '1 enabled, 2 disabled, 3 disabled automatically.' })
  status: number;

  @Field(() => String)
  openaiOrganization: string;

  @Field(() => String, { description: 'Model of the channel test; empty: the first one.' })
  testModel: string;

  @Field(() => Int)
  weight: number;

  @Field(() => Int, { description: 'Higher is tried first.' })
  priority: number;

  @Field(() => Date, { nullable: true })
  createdTime: Date | null;

  @Field(() => Date, { nullable: true, description: 'Of the last test.' })
  testTime: Date | null;

  @Field(() => Int, { description: 'Milliseconds of the last test, 0 untested.' })
  responseTime: number;

  @Field(() => String, { description: 'Empty: the default of the type.' })
  baseUrl: string;

  @Field(() => String, { description: 'API version, region or plugin, by type.' })
  other: string;

  @Field(() => Float, { description: 'USD at the provider.' })
  balance: number;

  @Field(() => Date, { nullable: true })
  balanceUpdatedTime: Date | null;

  @Field(() => String, { description: 'Between commas.' })
  models: string;

  @Field(() => String, { description: 'Groups between commas.' })
  group: string;

  @Field(() => GraphQLSafeInt)
  usedQuota: number;

  @Field(() => String, { description: 'JSON: requested name to upstream name; empty when unset.' })
  modelMapping: string;

  @Field(() => String, { description: 'JSON; empty when unset.' })
  statusCodeMapping: string;

  @Field(() => Int, { description: '1: may be disabled automatically.' })
  autoBan: number;

  @Field(() => String, { description: 'JSON `{ status_reason, status_time }` after automatic changes.' })
  otherInfo: string;

  @Field(() => String)
  tag: string;

  @Field(() => String, { description: 'JSON; empty when unset.' })
  setting: string;

  @Field(() => String, { description: 'JSON merged into upstream requests; empty when unset.' })
  paramOverride: string;

  @Field(() => String, { description: 'Models are offered as prefix + name.' })
  modelPrefix: string;

  @Field(() => Int)
  maxInputTokens: number;

  @Field(() => Date, { nullable: true })
  expiredTime: Date | null;
}

export function toChannelObject(channel: Channel): ChannelObject {
  const { createdTime, testTime, balanceUpdatedTime, expiredTime, ...rest } = channel;
  return {
    ...rest,
    createdTime: toDate(createdTime),
    testTime: toDate(testTime),
    balanceUpdatedTime: toDate(balanceUpdatedTime),
    expiredTime: toDate(expiredTime),
  };
}

const toDate = (seconds: number): Date | null => (seconds > 0 ? new Date(seconds * 1000) : null);

export const ChannelPage = pageType(ChannelObject, 'ChannelPage');

@InputType('ChannelFilter')
export class ChannelFilterInput implements Nullable<ChannelFilter> {
  @Field(() => String, { nullable: true, description: 'Id, part of the name, or a whole key.' })
  keyword?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => String, { nullable: true, description: 'Part of the list of models.' })
  model?: string | null;

  @Field(() => Int, { nullable: true })
  type?: number | null;

  @Field(() => Int, { nullable: true })
  status?: number | null;

  @Field(() => String, { nullable: true })
  tag?: string | null;
}

@ArgsType()
export class ChannelListArgs extends PageArgs {
  @Field(() => ChannelFilterInput, { nullable: true })
  filter?: ChannelFilterInput | null;
}

@InputType('ChannelPatch', { description: 'Absent fields stay as they are.' })
export class ChannelPatchInput implements Nullable<ChannelFields> {
  @Field(() => Int, { nullable: true })
  type?: number | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Several between commas or on lines; empty keeps the old ones.' })
  key?: string | null;

  @Field(() => Int, { nullable: true, description: '1 enabled, 2 disabled.' })
  status?: number | null;

  @Field(() => String, { nullable: true })
  openaiOrganization?: string | null;

  @Field(() => String, { nullable: true })
  testModel?: string | null;

  @Field(() => Int, { nullable: true })
  weight?: number | null;

  @Field(() => Int, { nullable: true })
  priority?: number | null;

  @Field(() => String, { nullable: true })
  baseUrl?: string | null;

  @Field(() => String, { nullable: true })
  other?: string | null;

  @Field(() => String, { nullable: true })
  models?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => String, { nullable: true })
  modelMapping?: string | null;

  @Field(() => String, { nullable: true })
  statusCodeMapping?: string | null;

  @Field(() => Int, { nullable: true })
  autoBan?: number | null;

  @Field(() => String, { nullable: true })
  tag?: string | null;

  @Field(() => String, { nullable: true })
  setting?: string | null;

  @Field(() => String, { nullable: true })
  paramOverride?: string | null;

  @Field(() => String, { nullable: true })
  modelPrefix?: string | null;

  @Field(() => Int, { nullable: true })
  maxInputTokens?: number | null;
}

@InputType('ChannelInput')
export class ChannelInputObject extends ChannelPatchInput {
  @Field(() => String)
  declare name: string;

  @Field(() => String, { description: 'Several between commas or on lines.' })
  declare key: string;

  @Field(() => String, { description: 'Between commas.' })
  declare models: string;
}

export const toFields = (input: Nullable<ChannelFields>): Partial<ChannelFields> => omitNullish(input);
export const toTagChange = (input: Nullable<TagChange>): TagChange => omitNullish(input);
export const toFilter = (input: Nullable<ChannelFilter>): ChannelFilter => omitNullish(input);

@InputType('ChannelTagPatch', { description: 'Absent fields stay as they are.' })
export class ChannelTagPatchInput implements Nullable<TagChange> {
  @Field(() => String, { nullable: true, description: 'Empty takes the tag away.' })
  newTag?: string | null;

  @Field(() => Int, { nullable: true })
  priority?: number | null;

  @Field(() => Int, { nullable: true })
  weight?: number | null;

  @Field(() => String, { nullable: true })
  modelMapping?: string | null;

  @Field(() => String, { nullable: true })
  models?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;
}

@ObjectType('ChannelType', { description: 'A kind of provider.' })
export class ChannelTypeObject implements ChannelType {
  @Field(() => Int)
  id: number;

  @Field(() => String)
  label: string;

  @Field(() => String, { description: 'Empty: a channel of this type must name its own.' })
  defaultBaseUrl: string;

  @Field(() => [String], { description: 'Built-in model names.' })
  models: readonly string[];
}

@ObjectType('ChannelTestResult')
export class ChannelTestResultObject implements Omit<ChannelTestResult, 'refused' | 'unreachable'> {
  @Field(() => Boolean)
  success: boolean;

  @Field(() => String, { description: 'Why not; empty on success.' })
  message: string;

  @Field(() => Float)
  seconds: number;
}

@InputType({ description: 'A stored channel by its id, or what stands in a form; never both.' })
export class FetchModelsInput {
  @Field(() => Int, { nullable: true })
  id?: number | null;

  @Field(() => Int, { nullable: true })
  type?: number | null;

  @Field(() => String, { nullable: true })
  baseUrl?: string | null;

  @Field(() => String, { nullable: true })
  key?: string | null;
}
