import { Field, InputType, ObjectType } from 'type-graphql';
import { fields, flag, inputFields, text } from '../../platform/graphql/fields.js';
import type { SetupInput, SetupStatus } from './setup.service.js';

@ObjectType('SetupStatus', { description: 'The wizard of the first start.' })
export class SetupStatusObject extends fields({
  isDone: flag('True: the site is set up, and `completeSetup` is refused.'),
  needsRootUser: flag('`completeSetup` creates the root user.'),
  databaseType: text.orNull('Such as `postgres`. Null: setup is done.'),
  codeNeeded: flag('The caller is not on the machine of the server, and needs the set-up code.'),
}) {}

/**
 * Converts the status.
 * @param isLocal whether the caller is on the machine of the server
 */
export const toSetupStatus = (
  { status, rootInit, databaseType }: SetupStatus,
  isLocal: boolean,
): SetupStatusObject => ({
  isDone: status,
  needsRootUser: !status && !rootInit,
  databaseType: databaseType || null,
  codeNeeded: !isLocal,
});

@InputType('CompleteSetupInput', { description: 'Name and password are not needed when a root user exists.' })
export class CompleteSetupInput extends inputFields({
  username: text.orNull('1 to 12 characters.'),
  password: text.orNull('8 to 72 bytes.'),
  confirmPassword: text.orNull('Refused when it differs from `password`. Absent: not checked.'),
  code: text.orNull('The setup code that the server printed at start. Required unless the caller is on its machine.'),
}) {
  @Field(() => Boolean, { defaultValue: false, description: 'Models without a price can be called.' })
  selfUseModeEnabled: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'The console shows that the site is a demo.' })
  demoSiteEnabled: boolean;
}

export const toSetupInput = ({ username, password, confirmPassword, ...modes }: CompleteSetupInput): SetupInput => ({
  ...modes,
  username: username ?? '',
  password: password ?? '',
  confirmPassword: confirmPassword ?? password ?? '',
});
