import { Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { UsableGroupObject } from './group.object.js';
import type { GroupService, UsableGroup } from './group.service.js';

@Resolver(() => UsableGroupObject)
export class GroupResolver {
  constructor(private readonly groupService: GroupService) {}

  @Access('admin')
  @Query(() => [String], { description: 'All groups.' })
  groups(@Ctx() { actor }: GraphQLContext): string[] {
    return this.groupService.list(actor);
  }

  @Access('common')
  @Query(() => [UsableGroupObject], { description: 'Groups the caller may choose for a token.' })
  myGroups(@Ctx() { actor }: GraphQLContext): UsableGroup[] {
    return this.groupService.listUsable(actor);
  }

  @Access('common')
  @Query(() => [String], { description: 'Models the caller can call.' })
  myModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.groupService.models(actor);
  }
}
