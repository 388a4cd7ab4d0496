import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { omitNullish } from '../../graphql/nullable.js';
import { toSettingObject, UserSettingInput, UserSettingObject } from './setting.object.js';
import type { SettingInput, SettingService } from './setting.service.js';

@Resolver(() => UserSettingObject)
export class SettingResolver {
  constructor(private readonly settingService: SettingService) {}

  @Access('common')
  @Query(() => UserSettingObject)
  async mySetting(@Ctx() { actor }: GraphQLContext): Promise<UserSettingObject> {
    return toSettingObject(await this.settingService.get(actor));
  }

  @Access('common')
  @Mutation(() => UserSettingObject)
  async updateMySetting(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UserSettingInput) input: UserSettingInput,
  ): Promise<UserSettingObject> {
    return toSettingObject(await this.settingService.replace(actor, omitNullish<SettingInput>(input)));
  }
}
