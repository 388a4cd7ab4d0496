import { Field, Float, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { Nullable } from '../../graphql/nullable.js';
import type { SettingInput, UserSetting } from './setting.service.js';

export const NotifyType = { EMAIL: 'email', WEBHOOK: 'webhook' } as const;
registerEnumType(NotifyType, { name: 'NotifyType' });

@ObjectType('UserSetting', { description: 'How the caller wants to be notified.' })
export class UserSettingObject implements Omit<UserSetting, 'webhookSecret'> {
  @Field(() => NotifyType)
  notifyType: UserSetting['notifyType'];

  @Field(() => Float, { nullable: true, description: 'Null: as the site has it.' })
  quotaWarningThreshold: number | null;

  @Field(() => String)
  webhookUrl: string;

  @Field(() => Boolean, { description: 'Webhooks are signed: there is a word to sign them with.' })
  webhookSigned: boolean;

  @Field(() => String, { description: 'Empty: the account’s own address.' })
  notificationEmail: string;

  @Field(() => Boolean, { description: 'Calls to models without a price of their own are accepted.' })
  acceptUnsetModelRatioModel: boolean;
}

@InputType('UserSettingInput')
export class UserSettingInput implements Nullable<SettingInput> {
  @Field(() => NotifyType)
  notifyType: UserSetting['notifyType'];

  @Field(() => Float, { description: 'A warning is sent when the balance falls below it.' })
  quotaWarningThreshold: number;

  @Field(() => String, { nullable: true, description: 'https only.' })
  webhookUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Signs webhooks. Absent keeps the one there is, empty removes it.',
  })
  webhookSecret?: string | null;

  @Field(() => String, { nullable: true })
  notificationEmail?: string | null;

  @Field(() => Boolean, { nullable: true })
  acceptUnsetModelRatioModel?: boolean | null;
}

export const toSettingObject = ({ webhookSecret, ...same }: UserSetting): UserSettingObject => ({
  ...same,
  webhookSigned: webhookSecret !== '',
});
