import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import { setSignInCookies, signInRequestOf } from '../../platform/http/session-cookie.js';
import type { User } from '../../billing/accounts/index.js';
import type { FactorSignInService } from './factor-sign-in.service.js';
import {
  BeginPasskeySignInPayload,
  PasskeySignInInput,
  SecondFactorChallengeObject,
  SecondFactorInput,
  SignInPayload,
} from './second-factor.object.js';

/** GraphQL of the second step of a sign-in, and of sign-in with a passkey alone. Both run before there is a session. */
@Resolver()
export class FactorSignInResolver {
  constructor(private readonly signIns: FactorSignInService) {}

  @Mutation(() => SecondFactorChallengeObject, {
    description: 'The second step of a sign-in whose `login` returned `needsSecondFactor`.',
  })
  beginSecondFactor(@Ctx() { request }: GraphQLContext): Promise<SecondFactorChallengeObject> {
    return this.signIns.begin(request.cookies[sessionCookie], request.headers.origin);
  }

  @Mutation(() => SignInPayload, { description: 'Ends the second step, opens a session and sets its cookie.' })
  async finishSecondFactor(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => SecondFactorInput, { description: 'The proof of the second factor.' }) input: SecondFactorInput,
  ): Promise<{ user: User }> {
    const signIn = await this.signIns.finish(request.cookies[sessionCookie], input, signInRequestOf(request));
    setSignInCookies(request, reply, signIn);
    return { user: signIn.user };
  }

  @Mutation(() => BeginPasskeySignInPayload, { description: 'Begins a sign-in with a passkey alone.' })
  beginPasskeySignIn(@Ctx() { request }: GraphQLContext): Promise<BeginPasskeySignInPayload> {
    return this.signIns.beginWithPasskey(request.ip, request.headers.origin);
  }

  @Mutation(() => SignInPayload, { description: 'Opens a session for the owner of the passkey and sets its cookie.' })
  async signInWithPasskey(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => PasskeySignInInput, { description: 'The response to `beginPasskeySignIn`.' })
    { attempt, response }: PasskeySignInInput,
  ): Promise<{ user: User }> {
    const signIn = await this.signIns.finishWithPasskey(attempt, response, signInRequestOf(request));
    setSignInCookies(request, reply, signIn);
    return { user: signIn.user };
  }
}
