import { Arg, Ctx, Query, Resolver, ObjectType } from 'type-graphql';
import { fields, flag, moment, text } from '../../platform/graphql/fields.js';
import { Access, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { CaptureService, CapturedContent } from './capture.service.js';

@ObjectType('CapturedContent', { description: 'Prompt and response of a call whose content is captured.' })
class CapturedContentObject extends fields({
  requestId: text('Of the call, as in `Log.requestId`.'),
  at: moment('When the content was captured, to the second.'),
  request: text('The JSON body after redaction, without media; at most 64 KB.'),
  response: text('The text of the response after redaction; at most 64 KB.'),
  isCut: flag('Part of it was too long.'),
}) {}

const toCapturedContent = ({ createdAt, ...content }: CapturedContent): CapturedContentObject => ({
  ...content,
  at: createdAt,
});

@Resolver(() => CapturedContentObject)
export class CaptureResolver {
  constructor(private readonly captureService: CaptureService) {}

  @Access('logs.captures')
  @NotInPanels()
  @Query(() => CapturedContentObject, {
    nullable: true,
    description: 'Content of a call by its request id. Null: not captured, or deleted after its retention.',
  })
  async capturedContent(
    @Ctx() { actor }: GraphQLContext,
    @Arg('requestId', () => String, { description: '`Log.requestId` of a row whose `isCaptured` is true.' })
    requestId: string,
  ): Promise<CapturedContentObject | null> {
    const found = await this.captureService.read(actor, requestId);
    return found && toCapturedContent(found);
  }
}
