import { Field, InputType } from 'type-graphql';
import { payloadObject } from '../../graphql/payload.js';
import type { Credentials } from '../auth/auth.service.js';
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

export const LoginPayload = payloadObject('LoginPayload', { user: () => UserObject });
export const LogoutPayload = payloadObject(
  'LogoutPayload',
  { wasSignedIn: () => Boolean },
  { wasSignedIn: 'A session ended.' },
);
