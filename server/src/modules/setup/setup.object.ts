import { Field, InputType, ObjectType } from 'type-graphql';
import type { SetupInput, SetupStatus } from './setup.service.js';

@ObjectType('SetupStatus')
export class SetupStatusObject implements SetupStatus {
  @Field(() => Boolean, { description: 'The wizard is done.' })
  status: boolean;

  @Field(() => Boolean, { description: 'A root user exists although the wizard is not done.' })
  rootInit: boolean;

  @Field(() => String, { description: 'Empty once the wizard is done.' })
  databaseType: SetupStatus['databaseType'];

  @Field(() => Boolean, { description: 'This caller, who is not on the machine of the server, needs the set-up code.' })
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
    description: 'The set-up code that the server printed at its start. Needed unless the caller is on its machine.',
  })
  code?: string | null;
}
