import { randomBytes } from 'node:crypto';
import type { Repository } from 'typeorm';
import { AppError } from '../../shared/errors.js';
import type { AuthService, SignIn } from '../sign-in/index.js';
import { notWaiting, type Session, type SessionOrigin, type SessionService } from '../auth/index.js';
import type { User } from '../../billing/accounts/index.js';
import type { FactorKind, FactorProof, FactorProofService } from './factor-proof.service.js';
import type { PasskeyService } from './passkey.service.js';

/** Wrong proofs after which a waiting sign-in ends. */
const maxTries = 5;

/** The request in which a proof arrives. */
export interface SignInRequest extends SessionOrigin {
  /** The header `Origin` of the page. */
  readonly pageOrigin: string | undefined;
}

/** The second step of a sign-in, and sign-in with a passkey alone. */
export class FactorSignInService {
  constructor(
    private readonly deps: {
      readonly users: Repository<User>;
      readonly auth: AuthService;
      readonly sessions: SessionService;
      readonly proofs: FactorProofService;
      readonly passkeys: PasskeyService;
      readonly state: { incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number> };
    },
  ) {}

  /**
   * Returns the proofs that a waiting sign-in accepts, with options for a passkey.
   * @param cookie the session cookie
   * @throws AppError INVALID_INPUT when no sign-in waits
   */
  async begin(
    cookie: string | undefined,
    pageOrigin: string | undefined,
  ): Promise<{ kinds: FactorKind[]; passkeyOptions: unknown }> {
    const { userId, publicId } = await this.waiting(cookie);
    return this.deps.proofs.challenge(userId, { purpose: 'second-factor', holder: publicId, origin: pageOrigin });
  }

  /**
   * Ends the waiting sign-in and opens the session. After five wrong proofs the user has to begin again.
   * @throws AppError INVALID_INPUT (also when no sign-in waits), INVALID_CREDENTIALS, RATE_LIMITED, USER_BANNED
   */
  async finish(cookie: string | undefined, proof: FactorProof, request: SignInRequest): Promise<SignIn> {
    const waiting = await this.waiting(cookie);
    const { userId, publicId } = waiting;
    const tries = await this.deps.state.incrementBy(`second-factor-tries:${publicId}`, 1, 600);
    if (tries > maxTries) {
      await this.deps.sessions.close(cookie ?? '');
      throw notWaiting();
    }
    const ceremony = { purpose: 'second-factor', holder: publicId, origin: request.pageOrigin } as const;
    await this.deps.proofs.check(userId, proof, ceremony, this.deps.auth.proofOrigin(userId, request));
    return this.open(userId, request, publicId);
  }

  /**
   * Begins a sign-in with a passkey alone.
   * @param ip of the caller
   * @returns options for `navigator.credentials.get`, and the id of the attempt
   * @throws AppError RATE_LIMITED, INVALID_INPUT
   */
  async beginWithPasskey(ip: string, pageOrigin: string | undefined): Promise<{ attempt: string; options: unknown }> {
    await this.deps.auth.limitCritical(ip);
    const attempt = randomBytes(16).toString('base64url');
    const ceremony = { purpose: 'sign-in', holder: attempt, origin: pageOrigin } as const;
    return { attempt, options: await this.deps.passkeys.begin(null, ceremony) };
  }

  /** @throws AppError INVALID_CREDENTIALS, USER_BANNED, RATE_LIMITED */
  async finishWithPasskey(attempt: string, response: unknown, request: SignInRequest): Promise<SignIn> {
    await this.deps.auth.limitCritical(request.ip);
    const ceremony = { purpose: 'sign-in', holder: attempt.slice(0, 64), origin: request.pageOrigin } as const;
    return this.open(await this.deps.passkeys.check(null, response, ceremony), request);
  }

  private async open(userId: number, origin: SessionOrigin, replaces?: string): Promise<SignIn> {
    const user = await this.deps.users.findOneBy({ id: userId });
    if (!user) throw new AppError('INVALID_CREDENTIALS', 'Username or password wrong, or user banned');
    return this.deps.auth.openConfirmedSession(user, origin, replaces);
  }

  private async waiting(cookie: string | undefined): Promise<Session> {
    const session = cookie ? await this.deps.sessions.find(cookie) : null;
    if (!session?.awaitsFactor) throw notWaiting();
    return session;
  }
}
