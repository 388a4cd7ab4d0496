import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { Nullable } from '../../graphql/nullable.js';
import type { ChannelMargin } from './margin.service.js';

@ObjectType('ChannelMargin', { description: 'Of the calls of which the provider says what it charged.' })
export class ChannelMarginObject implements ChannelMargin {
  @Field(() => Int)
  channelId: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls whose cost is known.' })
  calls: number;

  @Field(() => Float, { description: 'What users were charged for them.' })
  usd: number;

  @Field(() => Float, { description: 'What the provider charged for them.' })
  upstreamUsd: number;

  @Field(() => Float)
  marginUsd: number;
}

@InputType('MarginFilter')
export class MarginFilterInput implements Nullable<{ from: Date; to: Date }> {
  @Field(() => Date, { nullable: true, description: 'The hour it lies in counts; 30 days before `to` when absent.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'The hour it lies in counts; now when absent.' })
  to?: Date | null;
}
