import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { isFromThisMachine } from '../../platform/http/loopback.js';
import { CompleteSetupInput, SetupStatusObject, toSetupInput, toSetupStatus } from './setup.object.js';
import type { SetupService } from './setup.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => SetupStatusObject)
export class SetupResolver {
  constructor(private readonly setupService: SetupService) {}

  @Query(() => SetupStatusObject, { description: 'How far the first start is.' })
  async setup(@Ctx() { request }: GraphQLContext): Promise<SetupStatusObject> {
    return toSetupStatus(await this.setupService.status(), isFromThisMachine(request));
  }

  @PayloadMutation(
    { setup: [() => SetupStatusObject, 'The setup after the change.'] },
    'Creates the root user and ends the setup. It opens no session.',
  )
  async completeSetup(
    @Ctx() { request }: GraphQLContext,
    @Arg('input', () => CompleteSetupInput, { description: 'The root user and the mode of the site.' })
    input: CompleteSetupInput,
  ): Promise<{ setup: SetupStatusObject }> {
    const isLocal = isFromThisMachine(request);
    await this.setupService.complete(toSetupInput(input), isLocal);
    return { setup: toSetupStatus(await this.setupService.status(), isLocal) };
  }
}
