import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.js';
import { omitNullish } from '../../graphql/nullable.js';
import { challengeOf } from '../../http/visitor.js';
import type { PasswordResetService } from './password-reset.service.js';
import { RegisterInput } from './registration.object.js';
import type { RegistrationInput, RegistrationService } from './registration.service.js';

type Optional = Omit<RegistrationInput, 'username' | 'password'>;

@Resolver()
export class RegistrationResolver {
  constructor(
    private readonly registrationService: RegistrationService,
    private readonly passwordResetService: PasswordResetService,
  ) {}

  @Mutation(() => Boolean, {
    description: 'Sends a verification code to an address, for registration and for binding.',
  })
  async sendEmailCode(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('email', () => String) email: string,
    @Arg('turnstile', () => String, { nullable: true }) turnstile?: string | null,
  ): Promise<boolean> {
    await this.registrationService.sendCode(email, challengeOf(request, reply, turnstile));
    return true;
  }

  @Mutation(() => Boolean, { description: 'Creates an account without signing in.' })
  async register(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('input', () => RegisterInput) { turnstile, username, password, ...rest }: RegisterInput,
  ): Promise<boolean> {
    await this.registrationService.admit(challengeOf(request, reply, turnstile));
    await this.registrationService.register({ username, password, ...omitNullish<Optional>(rest) });
    return true;
  }

  @Mutation(() => Boolean, {
    description: 'Mails a reset link if an account has this address. The response does not reveal whether one does.',
  })
  async requestPasswordReset(
    @Ctx() { request, reply }: GraphQLContext,
    @Arg('email', () => String) email: string,
    @Arg('turnstile', () => String, { nullable: true }) turnstile?: string | null,
  ): Promise<boolean> {
    await this.passwordResetService.request(email, challengeOf(request, reply, turnstile));
    return true;
  }

  @Mutation(() => String, { description: 'The new password, shown once.' })
  resetPassword(
    @Ctx() { request }: GraphQLContext,
    @Arg('email', () => String) email: string,
    @Arg('token', () => String) token: string,
  ): Promise<string> {
    return this.passwordResetService.reset(email.slice(0, 200), token.slice(0, 200), request.ip);
  }
}
