import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { toSettingObject, toSettingPatch, UpdateMySettingInput, UserSettingObject } from './setting.object.js';
import type { SettingService } from './setting.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => UserSettingObject)
export class SettingResolver {
  constructor(private readonly settingService: SettingService) {}

  @Access('common')
  @Query(() => UserSettingObject, { description: 'How the caller wants to be notified, and sees amounts and times.' })
  async mySetting(@Ctx() { actor }: GraphQLContext): Promise<UserSettingObject> {
    return toSettingObject(await this.settingService.get(actor));
  }

  @Access('common')
  @PayloadMutation(
    { setting: [() => UserSettingObject, 'The settings after the change.'] },
    'Changes how the caller is notified, and sees amounts and times.',
  )
  async updateMySetting(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateMySettingInput, { description: 'What changes.' }) input: UpdateMySettingInput,
  ): Promise<{ setting: UserSettingObject }> {
    return { setting: toSettingObject(await this.settingService.update(actor, toSettingPatch(input))) };
  }
}
