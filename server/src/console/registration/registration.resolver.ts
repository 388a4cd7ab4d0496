import { Arg, Ctx, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { challengeOf } from '../../platform/http/visitor.js';
import type { PasswordResetService } from './password-reset.service.js';
import {
  RegisterInput,
  RequestPasswordResetInput,
  ResetPasswordInput,
  SendEmailCodeInput,
} from './registration.object.js';
import type { RegistrationInput, RegistrationService } from './registration.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

type Optional = Pick<RegistrationInput, 'email' | 'verificationCode' | 'affCode'>;

@Resolver()
export class RegistrationResolver {
  constructor(
    private readonly registrationService: RegistrationService,
    private readonly passwordResetService: PasswordResetService,
  ) {}

  @PayloadMutation(
    { email: [() => String, 'The address, as it was given.'] },
    'Sends a code that proves an e-mail address, for `register` and `bindEmail`.',
  )
  async sendEmailCode(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => SendEmailCodeInput, { description: 'The address.' }) { email, turnstile }: SendEmailCodeInput,
  ): Promise<{ email: string }> {
    await this.registrationService.sendCode(email, challengeOf(request, reply, turnstile));
    return { email };
  }

  @PayloadMutation(
    { username: [() => String, 'The name to sign in with.'] },
    'Creates an account. It opens no session.',
  )
  async register(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => RegisterInput, { description: 'Name, password, and what the site requires beside them.' })
    { turnstile, username, password, email, verificationCode, inviteCode }: RegisterInput,
  ): Promise<{ username: string }> {
    await this.registrationService.admit(challengeOf(request, reply, turnstile));
    const optional = omitNullish<Optional>({ email, verificationCode, affCode: inviteCode });
    const user = await this.registrationService.register({ username, password, ...optional });
    return { username: user.username };
  }

  @PayloadMutation(
    { email: [() => String, 'The address, as it was given.'] },
    'Sends a reset link to the user with this address. The response is the same when there is none.',
  )
  async requestPasswordReset(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => RequestPasswordResetInput, { description: 'The address of the account.' })
    { email, turnstile }: RequestPasswordResetInput,
  ): Promise<{ email: string }> {
    await this.passwordResetService.request(email, challengeOf(request, reply, turnstile));
    return { email };
  }

  @PayloadMutation(
    { password: [() => String, 'The new password. It is shown only here.'] },
    'Sets a new random password.',
  )
  async resetPassword(
    @Ctx() { request }: GraphQLContext,
    @Arg('input', () => ResetPasswordInput, { description: 'Address and token of the link.' })
    { email, token }: ResetPasswordInput,
  ): Promise<{ password: string }> {
    return { password: await this.passwordResetService.reset(email.slice(0, 200), token.slice(0, 200), request.ip) };
  }
}
