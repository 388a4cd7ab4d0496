import { createHash, randomBytes } from 'node:crypto';
import type { Repository } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { verificationLetter } from '../../platform/mail/letters.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import { AppError, ConflictError, InvalidInputError } from '../../shared/errors.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../../options/option.service.js';
import type { User } from '../../billing/accounts/index.js';

export interface EmailCodeDeps {
  readonly users: Repository<User>;
  readonly state: SharedState;
  readonly mailer: Mailer;
  readonly secrets: Secrets;
  readonly options: { readonly values: OptionValues };
}

const lifetimeSeconds = 600;
const pauseSeconds = 30;
const attempts = 5;

/**
 * Codes that verify an e-mail address: ten minutes, five attempts, one use
 * (docs/reference/rest/accounts.md#e-mail-codes).
 */
export class EmailCodeService {
  constructor(private readonly deps: EmailCodeDeps) {}

  /**
   * Sends a code. It replaces earlier codes of the address.
   * @throws AppError INVALID_INPUT (address, domain rules), CONFLICT (in use), RATE_LIMITED, UPSTREAM_UNREACHABLE
   */
  async send(address: string): Promise<void> {
    const { state, mailer, secrets, options } = this.deps;
    const email = assertAllowedAddress(address, options.values);
    if (await this.isTaken(email)) throw new ConflictError('E-mail address already in use', 'email');
    mailer.assertConfigured();
    const key = keyOf(email);
    if (!(await state.once(`${key}:sent`, pauseSeconds))) {
      const retryAfterSeconds = pauseSeconds;
      throw new AppError('RATE_LIMITED', 'A code was sent just now, wait a moment', { retryAfterSeconds });
    }
    const code = randomBytes(3).toString('hex');
    await state.set(key, secrets.hash(code).toString('base64'), lifetimeSeconds);
    await state.delete(`${key}:tries`);
    try {
      await mailer.send({ to: email, ...verificationLetter(options.values.SystemName, code) });
    } catch (error) {
      await state.delete(`${key}:sent`);
      throw error;
    }
  }

  /**
   * Checks a code without consuming it. Call `consume` in the transaction that relies on it.
   * @returns the normalized address
   * @throws AppError INVALID_INPUT: the same text for a wrong, expired or used code, and after too many attempts
   */
  async verify(address: string, code: string): Promise<string> {
    const email = assertAllowedAddress(address, this.deps.options.values);
    const { state } = this.deps;
    const key = keyOf(email);
    // The attempt is counted before the comparison, so that parallel guesses cannot exceed the limit.
    const tries = await state.incrementBy(`${key}:tries`, 1, lifetimeSeconds);
    if (tries > attempts || !this.matches(await state.get(key), code)) throw wrongCode();
    await state.incrementBy(`${key}:tries`, -1, lifetimeSeconds);
    return email;
  }

  /**
   * Consumes the code; only one of several parallel callers succeeds.
   * @throws AppError INVALID_INPUT
   */
  async consume(email: string, code: string): Promise<void> {
    if (!this.matches(await this.deps.state.take(keyOf(email)), code)) throw wrongCode();
  }

  private matches(held: string | null, code: string): boolean {
    const given = this.deps.secrets.hash(code.trim().toLowerCase()).toString('base64');
    return held !== null && sameSecret(held, given);
  }

  /** Whether a user has the address. Deleted users are included, because they keep their address. */
  private isTaken(email: string): Promise<boolean> {
    return this.deps.users
      .createQueryBuilder('account')
      .withDeleted()
      .where(`account.email <> '' AND lower(account.email) = lower(:email)`, { email })
      .getExists();
  }
}

const keyOf = (email: string): string =>
  `email-code:${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`;

const wrongCode = (): AppError => new InvalidInputError('Verification code wrong or expired', 'verificationCode');

type Rules = Pick<
  OptionValues,
  'EmailDomainRestrictionEnabled' | 'EmailDomainWhitelist' | 'EmailAliasRestrictionEnabled'
>;

const longest = 50;
const address = /^[^\s@<>"(),;:\\[\]\p{Cc}]+@[^\s@<>"(),;:\\[\]\p{Cc}]+\.[^\s@<>"(),;:\\[\]\p{Cc}]+$/u;

/**
 * Checks the form, the domain list (case-insensitive) and aliases, in this order.
 * @returns the trimmed address
 * @throws InvalidInputError
 */
function assertAllowedAddress(given: string, rules: Rules): string {
  const email = given.trim();
  if (email.length > longest || !email.includes('@')) throw new InvalidInputError('Invalid parameter', 'email');
  if (!address.test(email)) throw new InvalidInputError('Invalid e-mail address', 'email');
  const at = email.indexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1).toLowerCase()];
  const allowed = rules.EmailDomainWhitelist.map((one) => one.toLowerCase());
  if (rules.EmailDomainRestrictionEnabled && !allowed.includes(domain)) {
    const why = 'The administrator has enabled the e-mail domain whitelist, and your e-mail address is not allowed';
    throw new InvalidInputError(why, 'email');
  }
  if (rules.EmailAliasRestrictionEnabled && /[+.]/.test(local)) {
    throw new InvalidInputError('Address refused because of alias restriction', 'email');
  }
  return email;
}
