import { Arg, Mutation, Query, Resolver } from 'type-graphql';
import { SetupInputObject, SetupStatusObject } from './setup.object.js';
import type { SetupService, SetupStatus } from './setup.service.js';

@Resolver(() => SetupStatusObject)
export class SetupResolver {
  constructor(private readonly setupService: SetupService) {}

  @Query(() => SetupStatusObject)
  setup(): Promise<SetupStatus> {
    return this.setupService.status();
  }

  @Mutation(() => Boolean, { description: 'Makes the root user and closes the wizard. Opens no session.' })
  async completeSetup(@Arg('input', () => SetupInputObject) input: SetupInputObject): Promise<boolean> {
    await this.setupService.complete(input);
    return true;
  }
}
