import { Arg, Ctx, Mutation, Resolver, InputType, ObjectType } from 'type-graphql';
import { fields, flag, inputFields, nullable, text } from '../../platform/graphql/fields.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import { clearSessionCookie, originOf, setSignInCookies } from '../../platform/http/session-cookie.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { AuthService, Credentials } from './auth.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import type { User } from '../../billing/accounts/index.js';
import { UserObject } from '../users/user.object.js';

@InputType({ description: 'Name and password of a user.' })
class LoginInput
  extends inputFields({
    username: text('User name or e-mail address.'),
    password: text('The password of the user.'),
    turnstile: text.orNull('Token of the Turnstile widget, where the site requires it.'),
  })
  implements Credentials {}

@ObjectType('LoginPayload', { description: 'The result of `login`.' })
class LoginPayload extends fields({
  user: nullable<User>(() => UserObject, 'Null: the second factor is still missing.'),
  needsSecondFactor: flag('Go on with `beginSecondFactor`; until then nothing is granted.'),
}) {}

@Resolver()
export class SignInResolver {
  constructor(private readonly authService: AuthService) {}

  @Mutation(() => LoginPayload, { description: 'Opens a session and sets its cookie.' })
  async login(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => LoginInput, { description: 'Name and password.' }) input: LoginInput,
  ): Promise<LoginPayload> {
    const signIn = await this.authService.login(input, originOf(request), challengeOf(request, reply, input.turnstile));
    setSignInCookies(request, reply, signIn);
    const { user, needsSecondFactor } = signIn;
    return { user: needsSecondFactor ? null : user, needsSecondFactor };
  }

  @PayloadMutation({ wasSignedIn: [() => Boolean, 'A session ended.'] }, 'Ends the session, if there is one.')
  async logout(@Ctx() { request, reply }: GraphQLContext): Promise<{ wasSignedIn: boolean }> {
    const wasSignedIn = await this.authService.logout(request.cookies[sessionCookie]);
    clearSessionCookie(reply);
    return { wasSignedIn };
  }
}
