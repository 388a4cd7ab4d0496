import { Ctx, Query, Resolver, ObjectType } from 'type-graphql';
import { fields, float, text } from '../../platform/graphql/fields.js';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { groupReaders, type GroupService, type UsableGroup } from './group.service.js';

@ObjectType('UsableGroup', { description: 'A group that the caller can choose.' })
class UsableGroupObject
  extends fields({
    name: text('The name to give as `group` of an API key.'),
    description: text('What the operator says about the group.'),
    ratio: float('Factor of every price.'),
  })
  implements UsableGroup {}

@Resolver(() => UsableGroupObject)
export class GroupResolver {
  constructor(private readonly groupService: GroupService) {}

  @Access(groupReaders)
  @Query(() => [String], { description: 'The names of all groups, sorted.' })
  groups(@Ctx() { actor }: GraphQLContext): string[] {
    return this.groupService.list(actor);
  }

  @Access('common')
  @Query(() => [UsableGroupObject], { description: 'Groups that the caller can choose for API keys.' })
  myGroups(@Ctx() { actor }: GraphQLContext): Promise<UsableGroup[]> {
    return this.groupService.listUsable(actor);
  }

  @Access('common')
  @Query(() => [String], { description: 'Models that the caller can call.' })
  myModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.groupService.models(actor);
  }
}
