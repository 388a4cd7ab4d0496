import { Field, InputType } from 'type-graphql';
import type { Nullable } from '../../graphql/nullable.js';
import type { RegistrationInput } from './registration.service.js';

@InputType()
export class RegisterInput implements Nullable<RegistrationInput> {
  @Field(() => String, { description: 'At most 12 characters, without an @.' })
  username: string;

  @Field(() => String, { description: '8 to 20 characters.' })
  password: string;

  @Field(() => String, { nullable: true, description: 'Required with its code if the site verifies addresses.' })
  email?: string | null;

  @Field(() => String, { nullable: true })
  verificationCode?: string | null;

  @Field(() => String, { nullable: true, description: 'The inviter’s code.' })
  affCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Response of the Turnstile widget.' })
  turnstile?: string | null;
}
