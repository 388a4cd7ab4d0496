import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { HealthWindowEnum, ModelHealthListObject } from './model-health.object.js';
import type { HealthWindow, ModelHealthService } from './model-health.service.js';

@Resolver(() => ModelHealthListObject)
export class ModelHealthResolver {
  constructor(private readonly modelHealthService: ModelHealthService) {}

  @Query(() => ModelHealthListObject, {
    nullable: true,
    description: 'The health of models. Null: option `model_health.access` does not show it to the caller.',
  })
  async modelHealth(
    @Ctx() { actor }: GraphQLContext,
    @Arg('window', () => HealthWindowEnum, {
      defaultValue: 'DAY',
      description: 'The time until now that the figures cover.',
    })
    window: HealthWindow,
  ): Promise<ModelHealthListObject | null> {
    return this.modelHealthService.isShownTo(actor) ? this.modelHealthService.list(actor, window) : null;
  }
}
