import { Field, InputType, ObjectType } from 'type-graphql';
import type { SetupInput, SetupStatus } from './setup.service.js';

@ObjectType('SetupStatus', { description: 'The wizard of the first start.' })
export class SetupStatusObject {
  @Field(() => Boolean, { description: 'True: the site is set up, and `completeSetup` is refused.' })
  isDone: boolean;

  @Field(() => Boolean, { description: '`completeSetup` creates the root user.' })
  needsRootUser: boolean;

  @Field(() => String, { nullable: true, description: 'Such as `postgres`. Null: setup is done.' })
  databaseType: string | null;

  @Field(() => Boolean, { description: 'The caller is not on the machine of the server, and needs the set-up code.' })
  codeNeeded: boolean;
}

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
export class CompleteSetupInput {
  @Field(() => String, { nullable: true, description: '1 to 12 characters.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: '8 to 72 bytes.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'Refused when it differs from `password`. Absent: not checked.' })
  confirmPassword?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Models without a price can be called.' })
  selfUseModeEnabled: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'The console shows that the site is a demo.' })
  demoSiteEnabled: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The setup code that the server printed at start. Required unless the caller is on its machine.',
  })
  code?: string | null;
}

export const toSetupInput = ({ username, password, confirmPassword, ...modes }: CompleteSetupInput): SetupInput => ({
  ...modes,
  username: username ?? '',
  password: password ?? '',
  confirmPassword: confirmPassword ?? password ?? '',
});
