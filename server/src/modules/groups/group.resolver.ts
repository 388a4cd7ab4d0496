import { Ctx, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.js';
import { UsableGroupObject } from './group.object.js';
import type { GroupService, UsableGroup } from './group.service.js';

@Resolver(() => UsableGroupObject)
export class GroupResolver {
  constructor(private readonly groupService: GroupService) {}

  @Query(() => [String], { description: 'Every group there is.' })
  groups(@Ctx() { actor }: GraphQLContext): string[] {
    return this.groupService.list(actor);
  }

  @Query(() => [UsableGroupObject], { description: 'Groups the caller may pick for a token.' })
  myGroups(@Ctx() { actor }: GraphQLContext): UsableGroup[] {
    return this.groupService.listUsable(actor);
  }

  @Query(() => [String], { description: 'Models the caller can reach.' })
  myModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.groupService.models(actor);
  }
}
