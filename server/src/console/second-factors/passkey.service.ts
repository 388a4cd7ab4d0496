import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isIP } from 'node:net';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Passkey } from './passkey.entity.js';

/** A challenge belongs to one purpose and one holder: a session, a waiting sign-in, or a browser. */
export interface Ceremony {
  readonly purpose: 'register' | 'sign-in' | 'second-factor' | 'confirm';
  /** Id of the session or browser. It never leaves the server. */
  readonly holder: string;
  /** `Origin` of the request, as the browser sent it. */
  readonly origin: string | undefined;
}

/** Loads the library with the first passkey, because it takes as long as a tenth of the server's other code. */
const webAuthn = () => import('@simplewebauthn/server');

const challengeSeconds = 300;
const rejected = (): AppError => new AppError('INVALID_CREDENTIALS', 'The passkey was not accepted');

/** A credential id in base64url; the library checks all other fields. */
const withId = z.looseObject({ id: z.string().min(1).max(1400) });

/** The WebAuthn ceremonies. Challenges are used once and expire after five minutes. */
export class PasskeyService {
  constructor(
    private readonly deps: {
      readonly passkeys: Repository<Passkey>;
      readonly state: SharedState;
      readonly clock: Clock;
    },
  ) {}

  listOf(userId: number): Promise<Passkey[]> {
    return this.deps.passkeys.find({ where: { userId }, order: { id: 'ASC' } });
  }

  /**
   * Returns options for `navigator.credentials.create`.
   * @throws AppError INVALID_INPUT without a domain name
   */
  async beginRegistration(
    user: { readonly id: number; readonly username: string },
    ceremony: Ceremony,
    siteName: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const known = await this.listOf(user.id);
    const { generateRegistrationOptions } = await webAuthn();
    const options = await generateRegistrationOptions({
      rpName: siteName,
      rpID: domainOf(ceremony.origin),
      userName: user.username,
      userID: new Uint8Array(Buffer.from(String(user.id))),
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.keep(ceremony, options.challenge);
    return options;
  }

  /**
   * Checks the response to `beginRegistration`.
   * @returns the new row, not saved
   * @throws AppError INVALID_INPUT, INVALID_CREDENTIALS
   */
  async register(userId: number, name: string, response: unknown, ceremony: Ceremony): Promise<Passkey> {
    const expectedChallenge = await this.take(ceremony);
    const domain = domainOf(ceremony.origin);
    const { verifyRegistrationResponse } = await webAuthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: withId.parse(response) as unknown as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: ceremony.origin ?? '',
      expectedRPID: domain,
      requireUserVerification: true,
    }).catch(() => {
      throw rejected();
    });
    if (!registrationInfo) throw rejected();
    const { credential, credentialBackedUp } = registrationInfo;
    return this.deps.passkeys.create({
      userId,
      name,
      domain,
      isSynced: credentialBackedUp,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      lastUsedAt: null,
    });
  }

  /**
   * Returns options for `navigator.credentials.get`.
   * @param userId null for any passkey of this site, to sign in with it alone
   */
  async begin(userId: number | null, ceremony: Ceremony): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const rpID = domainOf(ceremony.origin);
    const known = userId === null ? [] : await this.listOf(userId);
    const { generateAuthenticationOptions } = await webAuthn();
    const options = await generateAuthenticationOptions({
      rpID,
      userVerification: 'required',
      allowCredentials: known
        .filter(({ domain }) => domain === rpID)
        .map(({ credentialId, transports }) => ({
          id: credentialId,
          transports: transports as AuthenticatorTransport[],
        })),
    });
    await this.keep(ceremony, options.challenge);
    return options;
  }

  /**
   * Checks the response to `begin`.
   * @param userId the required owner; null accepts any
   * @returns the owner's id
   * @throws AppError INVALID_CREDENTIALS
   */
  async check(userId: number | null, given: unknown, ceremony: Ceremony): Promise<number> {
    const expectedChallenge = await this.take(ceremony);
    const response = withId.parse(given);
    const passkey = await this.deps.passkeys.findOneBy({ credentialId: response.id });
    // A page of a subdomain may use the passkeys of its parent domain, so the page's own name is compared.
    const isOwn = passkey && (userId === null || passkey.userId === userId);
    if (!isOwn || domainOf(ceremony.origin) !== passkey.domain) throw rejected();
    const { verifyAuthenticationResponse } = await webAuthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge,
      expectedOrigin: ceremony.origin ?? '',
      expectedRPID: passkey.domain,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }).catch(() => {
      throw rejected();
    });
    if (!verified) throw rejected();
    // The statement compares the counter again: of two parallel responses with one counter value only one is accepted.
    const { affected } = await this.deps.passkeys.update(
      { id: passkey.id, counter: passkey.counter },
      { counter: authenticationInfo.newCounter, lastUsedAt: new Date(this.deps.clock.now()) },
    );
    if (affected !== 1) throw rejected();
    return passkey.userId;
  }

  private keep(ceremony: Ceremony, challenge: string): Promise<void> {
    return this.deps.state.set(keyOf(ceremony), challenge, challengeSeconds);
  }

  /** Consumes the challenge, whether the response is right or not. */
  private async take(ceremony: Ceremony): Promise<string> {
    const challenge = await this.deps.state.take(keyOf(ceremony));
    if (challenge === null) throw rejected();
    return challenge;
  }
}

/**
 * Converts an error.
 * @returns AppError CONFLICT for a passkey that is registered already; else the error itself
 */
export function toPasskeyConflict(error: unknown): unknown {
  if (!isUniqueViolation(error, 'passkeys_credential_id')) return error;
  return new AppError('CONFLICT', 'This passkey is registered already');
}

const keyOf = ({ purpose, holder }: Ceremony): string => `passkey:${purpose}:${holder}`;

/** Whether browsers offer passkeys on a page: it needs a domain name. */
export const canUsePasskeys = (origin: string | undefined): boolean => hostOf(origin) !== null;

/**
 * Returns the host of the page.
 * @throws AppError INVALID_INPUT when passkeys cannot work there
 */
function domainOf(origin: string | undefined): string {
  const host = hostOf(origin);
  if (host !== null) return host;
  throw new InvalidInputError('Passkeys need a domain name: open this site by its name, not by an IP address');
}

function hostOf(origin: string | undefined): string | null {
  const host = origin !== undefined && URL.canParse(origin) ? new URL(origin).hostname : '';
  return host === '' || isIP(host.replace(/^\[|\]$/g, '')) !== 0 ? null : host;
}
