import { Field, InputType, ObjectType } from 'type-graphql';
import type { SetupInput, SetupStatus } from './setup.service.js';

@ObjectType('SetupStatus')
export class SetupStatusObject implements SetupStatus {
  @Field(() => Boolean, { description: 'Setup is complete.' })
  status: boolean;

  @Field(() => Boolean, { description: 'A root user exists although setup is not complete.' })
  rootInit: boolean;

  @Field(() => String, { description: 'Empty once setup is complete.' })
  databaseType: SetupStatus['databaseType'];

  @Field(() => Boolean, {
    description: 'True when the caller is not on the server’s machine and therefore needs the setup code.',
  })
  codeNeeded: boolean;
}

@InputType('SetupInput')
export class SetupInputObject implements SetupInput {
  @Field(() => String, { defaultValue: '', description: 'Not needed when a root user exists. At most 12 characters.' })
  username: string;

  @Field(() => String, { defaultValue: '', description: '8 to 72 bytes.' })
  password: string;

  @Field(() => String, { defaultValue: '' })
  confirmPassword: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Models without a price may be called.' })
  selfUseModeEnabled: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Shows a badge.' })
  demoSiteEnabled: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The setup code that the server printed at start. Required unless the caller is on its machine.',
  })
  code?: string | null;
}
