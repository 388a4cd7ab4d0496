import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.js';
import { isFromThisMachine } from '../../http/loopback.js';
import { SetupInputObject, SetupStatusObject } from './setup.object.js';
import type { SetupService } from './setup.service.js';

@Resolver(() => SetupStatusObject)
export class SetupResolver {
  constructor(private readonly setupService: SetupService) {}

  @Query(() => SetupStatusObject)
  async setup(@Ctx() { request }: GraphQLContext): Promise<SetupStatusObject> {
    return { ...(await this.setupService.status()), codeNeeded: !isFromThisMachine(request) };
  }

  @Mutation(() => Boolean, { description: 'Creates the root user and completes setup. Opens no session.' })
  async completeSetup(
    @Ctx() { request }: GraphQLContext,
    @Arg('input', () => SetupInputObject) input: SetupInputObject,
  ): Promise<boolean> {
    await this.setupService.complete(input, isFromThisMachine(request));
    return true;
  }
}
