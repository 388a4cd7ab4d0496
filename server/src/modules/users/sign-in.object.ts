import { Field, InputType, ObjectType } from 'type-graphql';
import type { Credentials } from '../auth/auth.service.js';
import type { User } from './user.entity.js';
import { UserObject } from './user.object.js';

@InputType()
export class LoginInput implements Credentials {
  @Field(() => String, { description: 'User name or e-mail address.' })
  username: string;

  @Field(() => String)
  password: string;

  @Field(() => String, { nullable: true, description: 'Token of the Turnstile widget, where the site requires it.' })
  turnstile?: string | null;
}

@ObjectType('LoginPayload')
export class LoginPayload {
  @Field(() => UserObject, { nullable: true, description: 'Null: the second factor is still missing.' })
  user: User | null;

  @Field(() => Boolean, { description: 'Go on with `beginSecondFactor`; until then nothing is granted.' })
  needsSecondFactor: boolean;
}
