import { Field, ObjectType } from 'type-graphql';
import type { CapturedContent } from './capture.service.js';

@ObjectType('CapturedContent', { description: 'Prompt and response of a call whose content is captured.' })
export class CapturedContentObject {
  @Field(() => String)
  requestId: string;

  @Field(() => Date)
  at: Date;

  @Field(() => String, { description: 'The JSON body after redaction, without media; at most 64 KB.' })
  request: string;

  @Field(() => String, { description: 'The text of the response after redaction; at most 64 KB.' })
  response: string;

  @Field(() => Boolean, { description: 'Part of it was too long.' })
  isCut: boolean;
}

export const toCapturedContent = ({ createdAt, ...content }: CapturedContent): CapturedContentObject => ({
  ...content,
  at: new Date(createdAt * 1000),
});
