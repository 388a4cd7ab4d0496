import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { CapturedContentObject, toCapturedContent } from './capture.object.js';
import type { CaptureService } from './capture.service.js';

@Resolver(() => CapturedContentObject)
export class CaptureResolver {
  constructor(private readonly captureService: CaptureService) {}

  @Access('logs.captures')
  @Query(() => CapturedContentObject, {
    nullable: true,
    description: 'Content of a call by its request id. Null: not captured, or deleted after its retention.',
  })
  async capturedContent(
    @Ctx() { actor }: GraphQLContext,
    @Arg('requestId', () => String) requestId: string,
  ): Promise<CapturedContentObject | null> {
    const found = await this.captureService.read(actor, requestId);
    return found && toCapturedContent(found);
  }
}
