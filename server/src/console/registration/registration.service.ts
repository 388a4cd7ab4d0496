import type { EntityManager, Repository } from 'typeorm';
import { z } from 'zod';
import type { Actor } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { AuthService, Challenge } from '../sign-in/index.js';
import type { PasswordService } from '../auth/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { TokenService } from '../tokens/index.js';
import type { User } from '../../billing/accounts/index.js';
import { parsed, toConflict, usernameRule, withFreshAffiliateCode } from '../users/index.js';
import type { EmailCodeService } from './email-code.service.js';
import type { Enrolment } from './enrolment.js';

export interface RegistrationInput {
  readonly username: string;
  readonly password: string;
  readonly email?: string;
  readonly verificationCode?: string;
  /** The inviter's code. */
  readonly affCode?: string;
}

export interface RegistrationDeps {
  readonly users: Repository<User>;
  readonly auth: AuthService;
  readonly passwords: PasswordService;
  readonly codes: EmailCodeService;
  readonly enrolment: Enrolment;
  readonly tokens: TokenService;
  readonly options: { readonly values: OptionValues };
  readonly generateDefaultToken: boolean;
}

/** Registration with a password (docs/reference/rest/accounts.md#sign-in-and-registration). */
export class RegistrationService {
  constructor(private readonly deps: RegistrationDeps) {}

  /** @throws AppError RATE_LIMITED, INVALID_INPUT, CONFLICT, UPSTREAM_UNREACHABLE */
  async sendCode(email: string, challenge: Challenge): Promise<void> {
    await this.deps.auth.admit(challenge);
    await this.deps.codes.send(email);
  }

  /**
   * Runs the checks that precede validation of the body: limits, bot check, whether registration is open.
   * @throws AppError RATE_LIMITED, INVALID_INPUT
   */
  async admit(challenge: Challenge): Promise<void> {
    await this.deps.auth.admit(challenge);
    const { RegisterEnabled, PasswordRegisterEnabled } = this.deps.options.values;
    if (!RegisterEnabled) throw new InvalidInputError('New user registration is closed');
    if (!PasswordRegisterEnabled) {
      throw new InvalidInputError('Password registration is closed, use third-party sign-in');
    }
  }

  /**
   * Registers a user in one transaction. A code is consumed only by the account that it verified.
   * @throws AppError INVALID_INPUT, CONFLICT
   */
  async register(given: RegistrationInput): Promise<User> {
    const { username, password, affCode, verificationCode: code = '' } = parsed(registrationRules, given);
    const email = await this.verifiedEmail(given.email ?? '', code);
    const passwordHash = await this.deps.passwords.hash(password);
    const newcomer = { username, displayName: username, passwordHash, email, inviterCode: affCode };
    try {
      return await withFreshAffiliateCode(() =>
        this.deps.users.manager.transaction(async (manager) => {
          const user = await this.deps.enrolment.enrol(manager, newcomer);
          if (this.deps.generateDefaultToken) await this.addToken(manager, user);
          // The code is consumed last, so that a taken name does not consume it.
          if (email !== '') await this.deps.codes.consume(email, code);
          return user;
        }),
      );
    } catch (error) {
      throw toConflict(error);
    }
  }

  /** Returns the verified address, or '' when verification is off. */
  private async verifiedEmail(email: string, code: string): Promise<string> {
    if (!this.deps.options.values.EmailVerificationEnabled) return '';
    if (email.trim() === '' || code.trim() === '') {
      throw new InvalidInputError('E-mail verification is on: enter the address and the code', 'email');
    }
    return this.deps.codes.verify(email, code);
  }

  private async addToken(manager: EntityManager, user: User): Promise<void> {
    const { id, username, role, status, group } = user;
    const owner: Actor = { id, username, role, status, group };
    await this.deps.tokens.createIn(manager, owner, {
      name: `${username}'s initial token`,
      remainQuota: 500_000,
      unlimitedQuota: true,
    });
  }
}

/** The rules of registration. They are stricter than elsewhere, because old clients expect that. */
const registrationRules = z.object({
  username: usernameRule.refine((name) => [...name].length <= 12, 'username must have at most 12 characters'),
  password: z
    .string()
    .min(8, 'password must have at least 8 characters')
    .max(20, 'password must have at most 20 characters'),
  email: z.string().max(50, 'email must have at most 50 characters').optional(),
  verificationCode: z.string().max(50, 'verification code is too long').optional(),
  affCode: z.string().max(64, 'invite code is too long').optional(),
});
