import { Field, InputType } from 'type-graphql';
import type { Credentials } from '../auth/auth.service.js';

@InputType()
export class LoginInput implements Credentials {
  @Field(() => String, { description: 'User name or e-mail address.' })
  username: string;

  @Field(() => String)
  password: string;

  @Field(() => String, { nullable: true, description: 'Response of the Turnstile widget.' })
  turnstile?: string | null;
}
