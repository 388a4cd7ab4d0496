import { Field, Float, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { Nullable } from '../../graphql/nullable.js';
import type { SettingInput, UserSetting } from './setting.service.js';

export const NotifyType = { EMAIL: 'email', WEBHOOK: 'webhook' } as const;
registerEnumType(NotifyType, { name: 'NotifyType' });

@ObjectType('UserSetting', { description: 'How the caller wants to be notified.' })
export class UserSettingObject implements Omit<UserSetting, 'webhookSecret'> {
  @Field(() => NotifyType)
  notifyType: UserSetting['notifyType'];

  @Field(() => Float, { nullable: true, description: 'Null: the site’s default.' })
  quotaWarningThreshold: number | null;

  @Field(() => String)
  webhookUrl: string;

  @Field(() => Boolean, { description: 'Whether webhooks are signed, that is, whether a secret is stored.' })
  webhookSigned: boolean;

  @Field(() => String, { description: 'Empty: the account’s own address.' })
  notificationEmail: string;

  @Field(() => Boolean, { description: 'Whether calls to models without a price are accepted.' })
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
    description: 'Secret that signs webhooks. Absent keeps the stored one, empty removes it.',
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
