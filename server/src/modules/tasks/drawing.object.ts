import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { Drawing } from './drawing.entity.js';
import type { DrawingFilter } from './drawing.service.js';

@ObjectType('Drawing', { description: 'A picture ordered at a Midjourney proxy.' })
export class DrawingObject {
  @Field(() => Int)
  id: number;

  @Field(() => Int, { description: 'What the order was answered: 1 taken, 21 waiting, 22 queued, 0 not submitted.' })
  code: number;

  @Field(() => Int)
  userId: number;

  @Field(() => Int, { nullable: true, description: 'For admins.' })
  channelId: number | null;

  @Field(() => String, { description: 'IMAGINE, UPSCALE, VARIATION …' })
  action: string;

  @Field(() => String, { description: 'The provider’s name of it; empty until it was taken.' })
  mjId: string;

  @Field(() => String)
  prompt: string;

  @Field(() => String)
  promptEn: string;

  @Field(() => String)
  description: string;

  @Field(() => Date)
  submitTime: Date;

  @Field(() => Date, { nullable: true })
  startTime: Date | null;

  @Field(() => Date, { nullable: true })
  finishTime: Date | null;

  @Field(() => String, { description: 'Empty while there is none.' })
  imageUrl: string;

  @Field(() => String, { description: 'NOT_START, SUBMITTED, IN_PROGRESS, MODAL, SUCCESS, FAILURE or empty.' })
  status: string;

  @Field(() => String, { description: '0% to 100%, which is final.' })
  progress: string;

  @Field(() => String)
  failReason: string;

  @Field(() => GraphQLSafeInt, { description: 'What was charged; given back when it fails.' })
  quota: number;
}

const toDate = (milliseconds: number): Date | null => (milliseconds === 0 ? null : new Date(milliseconds));

export const toDrawingObject = (drawing: Drawing): DrawingObject => ({
  id: drawing.id,
  code: drawing.code,
  userId: drawing.userId,
  channelId: drawing.channelId,
  action: drawing.action,
  mjId: drawing.mjId,
  prompt: drawing.prompt,
  promptEn: drawing.promptEn,
  description: drawing.description,
  submitTime: new Date(drawing.submitTime),
  startTime: toDate(drawing.startTime),
  finishTime: toDate(drawing.finishTime),
  imageUrl: drawing.imageUrl,
  status: drawing.status,
  progress: drawing.progress,
  failReason: drawing.failReason,
  quota: drawing.quota,
});

export const toOwnDrawingObject = (drawing: Drawing): DrawingObject => ({
  ...toDrawingObject(drawing),
  channelId: null,
});

export const DrawingPage = pageType(DrawingObject, 'DrawingPage');

type Asked = Omit<DrawingFilter, 'from' | 'to'> & { readonly from: Date; readonly to: Date };

@InputType('DrawingFilter')
export class DrawingFilterInput implements Nullable<Asked> {
  @Field(() => Int, { nullable: true, description: 'For admins.' })
  channelId?: number | null;

  @Field(() => Int, { nullable: true, description: 'For admins.' })
  userId?: number | null;

  @Field(() => String, { nullable: true })
  mjId?: string | null;

  @Field(() => String, { nullable: true })
  action?: string | null;

  @Field(() => String, { nullable: true })
  status?: string | null;

  @Field(() => Date, { nullable: true, description: 'Submitted then or later.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Submitted then or earlier.' })
  to?: Date | null;
}

@ArgsType()
export class DrawingListArgs extends PageArgs {
  @Field(() => DrawingFilterInput, { nullable: true })
  filter?: DrawingFilterInput | null;
}

export function toDrawingFilterOf({ from, to, ...rest }: DrawingFilterInput): DrawingFilter {
  return {
    ...omitNullish<Omit<DrawingFilter, 'from' | 'to'>>(rest),
    ...omitUndefined({ from: from?.getTime(), to: to?.getTime() }),
  };
}
