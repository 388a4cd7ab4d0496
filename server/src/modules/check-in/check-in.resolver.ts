import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { CheckInService } from './check-in.service.js';

@Resolver()
export class CheckInResolver {
  constructor(private readonly checkInService: CheckInService) {}

  @Access('common')
  @Query(() => Boolean, { description: 'The caller has not checked in today (UTC).' })
  canCheckIn(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    return this.checkInService.canCheckIn(actor);
  }

  @Access('common')
  @Mutation(() => GraphQLSafeInt, { description: 'Credits the daily reward and returns its quota.' })
  checkIn(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.checkInService.checkIn(actor);
  }
}
