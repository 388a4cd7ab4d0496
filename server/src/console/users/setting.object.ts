import { Field, InputType, ObjectType } from 'type-graphql';
import { NotInPanels } from '../../platform/graphql/access.js';
import { fields, flag, float, inputFields, nullable, of, text } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { patchOf } from '../../platform/graphql/patch.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { SettingInput } from './setting.service.js';
import type { UserSetting } from '../../billing/accounts/index.js';

const NotifyTypeEnum = enumType('NotifyType', { EMAIL: 'email', WEBHOOK: 'webhook' }, 'How a user is notified.', {
  EMAIL: 'By e-mail.',
  WEBHOOK: 'By a POST request to an address of the user.',
});

const DisplayCurrencyEnum = enumType(
  'DisplayCurrency',
  { USD: 'usd', LOCAL: 'local' },
  'The currency in which the console shows amounts. Amounts of the API stay in quota or USD.',
  {
    USD: 'US dollars.',
    LOCAL: 'The local currency of the site, at `Status.price` units for 1 USD.',
  },
);

@ObjectType('UserSetting', { description: 'How a user wants to be notified, and sees amounts and times.' })
export class UserSettingObject extends fields({
  notifyType: of<UserSetting['notifyType']>(() => NotifyTypeEnum, 'How warnings reach the user.'),
  quotaWarningThreshold: float.orNull(
    'In quota. A warning is sent when the balance falls below it. Null: as the site has it.',
  ),
  hasWebhookSecret: flag('Webhooks are signed with a secret.'),
  notificationEmail: text.orNull('Null: the address of the account.'),
  acceptsUnpricedModels: flag('Calls to models without a price of their own are accepted.'),
  recordsAddresses: flag('Log rows of calls have the address of the client, until the rows are deleted.'),
  timeZone: text.orNull('IANA name. Null: the time zone of the browser.'),
  webhookUrl: text.orNull('Null: none.', NotInPanels()),
}) {
  @Field(() => DisplayCurrencyEnum, { nullable: true, description: 'Null: as the site shows amounts.' })
  displayCurrency: UserSetting['displayCurrency'];
}

@InputType('UpdateMySettingInput', {
  description:
    'Absent fields stay as they are; null clears a field. The address of the type that is not chosen is forgotten.',
})
export class UpdateMySettingInput extends inputFields({
  notifyType: nullable<UserSetting['notifyType']>(
    () => NotifyTypeEnum,
    'How warnings reach the caller. WEBHOOK needs `webhookUrl`.',
  ),
  quotaWarningThreshold: float.orNull('In quota, above 0. Null: as the site has it.'),
  webhookUrl: text.orNull('https only. Needed for WEBHOOK.'),
  webhookSecret: text.orNull('Signs webhooks. Null: they are not signed.'),
  notificationEmail: text.orNull('Null: the address of the account.'),
  acceptsUnpricedModels: flag.orNull('Calls to models without a price of their own are accepted.'),
  recordsAddresses: flag.orNull('Log rows of calls have the address of the client, until the rows are deleted.'),
  timeZone: text.orNull('IANA name. Null: the time zone of the browser.'),
}) {
  @Field(() => DisplayCurrencyEnum, { nullable: true, description: 'Null: as the site shows amounts.' })
  displayCurrency?: UserSetting['displayCurrency'];
}

export const toSettingObject = (setting: UserSetting): UserSettingObject => ({
  notifyType: setting.notifyType,
  quotaWarningThreshold: setting.quotaWarningThreshold,
  webhookUrl: setting.webhookUrl || null,
  hasWebhookSecret: setting.webhookSecret !== '',
  notificationEmail: setting.notificationEmail || null,
  acceptsUnpricedModels: setting.acceptUnsetModelRatioModel,
  recordsAddresses: setting.recordIpLog,
  displayCurrency: setting.displayCurrency,
  timeZone: setting.timeZone,
});

/** @throws InvalidInputError for null in a field that cannot be cleared */
export function toSettingPatch(input: UpdateMySettingInput): SettingInput {
  const cleared = {
    quotaWarningThreshold: null,
    webhookUrl: '',
    webhookSecret: '',
    notificationEmail: '',
    displayCurrency: null,
    timeZone: null,
  };
  const { acceptsUnpricedModels, recordsAddresses, ...patch } = patchOf<SettingPatch>(input, cleared);
  return omitUndefined({
    ...patch,
    acceptUnsetModelRatioModel: acceptsUnpricedModels,
    recordIpLog: recordsAddresses,
  });
}

type SettingPatch = Omit<SettingInput, 'acceptUnsetModelRatioModel' | 'recordIpLog'> & {
  readonly acceptsUnpricedModels?: boolean;
  readonly recordsAddresses?: boolean;
};
