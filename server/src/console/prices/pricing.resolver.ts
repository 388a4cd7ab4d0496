import { Ctx, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { PricingObject, toPricingObject } from './pricing.object.js';
import type { PricingService } from './pricing.service.js';

@Resolver(() => PricingObject)
export class PricingResolver {
  constructor(private readonly pricingService: PricingService) {}

  @Query(() => PricingObject, { description: 'The price list.' })
  async pricing(@Ctx() { actor }: GraphQLContext): Promise<PricingObject> {
    return toPricingObject(await this.pricingService.list(actor));
  }
}
