import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.js';
import { sessionCookie } from '../../http/authenticate.js';
import { clearSessionCookie, originOf, setSignInCookies } from '../../http/session-cookie.js';
import { challengeOf } from '../../http/visitor.js';
import type { AuthService } from '../auth/auth.service.js';
import { LoginInput, LoginPayload } from './sign-in.object.js';
import { PayloadMutation } from '../../graphql/payload.js';

@Resolver()
export class SignInResolver {
  constructor(private readonly authService: AuthService) {}

  @Mutation(() => LoginPayload, { description: 'Opens a session and sets its cookie.' })
  async login(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => LoginInput) input: LoginInput,
  ): Promise<LoginPayload> {
    const signIn = await this.authService.login(input, originOf(request), challengeOf(request, reply, input.turnstile));
    setSignInCookies(request, reply, signIn);
    const { user, needsSecondFactor } = signIn;
    return { user: needsSecondFactor ? null : user, needsSecondFactor };
  }

  @PayloadMutation({ wasSignedIn: () => Boolean }, 'Ends the session, if there is one.', {
    wasSignedIn: 'A session ended.',
  })
  async logout(@Ctx() { request, reply }: GraphQLContext): Promise<{ wasSignedIn: boolean }> {
    const wasSignedIn = await this.authService.logout(request.cookies[sessionCookie]);
    clearSessionCookie(reply);
    return { wasSignedIn };
  }
}
