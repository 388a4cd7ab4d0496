import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.js';
import { sessionCookie } from '../../http/authenticate.js';
import { clearSessionCookie, originOf, setSignInCookies } from '../../http/session-cookie.js';
import { challengeOf } from '../../http/visitor.js';
import type { AuthService } from '../auth/auth.service.js';
import { LoginInput } from './sign-in.object.js';
import type { User } from './user.entity.js';
import { UserObject } from './user.object.js';

@Resolver()
export class SignInResolver {
  constructor(private readonly authService: AuthService) {}

  @Mutation(() => UserObject, { description: 'Opens a session and sets its cookie.' })
  async login(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => LoginInput) input: LoginInput,
  ): Promise<User> {
    const signIn = await this.authService.login(input, originOf(request), challengeOf(request, reply, input.turnstile));
    setSignInCookies(request, reply, signIn);
    return signIn.user;
  }

  @Mutation(() => Boolean, { description: 'Ends the session, if any.' })
  async logout(@Ctx() { request, reply }: GraphQLContext): Promise<boolean> {
    await this.authService.logout(request.cookies[sessionCookie]);
    clearSessionCookie(reply);
    return true;
  }
}
