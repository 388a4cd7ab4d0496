import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { startScriptedServer, type ScriptedServer } from './scripted-server.js';

/** Faults of a wrong or hostile provider. */
export type OidcFault =
  | 'alg none'
  | 'a foreign key'
  | 'another issuer'
  | 'another audience'
  | 'another nonce'
  | 'an expired token'
  | 'no id token';

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly person: Readonly<Record<string, unknown>>;
}

/**
 * An OpenID provider and an OAuth 2 provider in one server, as strict as Google's and Discord's (OpenID Connect Core 1.0 3.1.3, RFC 7636 4.6,
 * read 2026-11): a code is valid once, for the client, the redirect address and the PKCE verifier with which it was requested.
 */
export class StrictOidc {
  fault: OidcFault | null = null;
  private readonly grants = new Map<string, Grant>();
  private readonly accessTokens = new Map<string, Grant['person']>();
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });

  private constructor(
    readonly server: ScriptedServer,
    readonly client: { readonly id: string; readonly secret: string },
  ) {
    server.answer = (call) => this.answer(call);
  }

  static async start(client: { readonly id: string; readonly secret: string }): Promise<StrictOidc> {
    return new StrictOidc(await startScriptedServer(() => ({ status: 404 })), client);
  }

  get issuer(): string {
    return this.server.url;
  }

  /** The person agrees at the provider. @returns the query with which the browser returns */
  agree(authorizationUrl: string, person: Grant['person']): string {
    const asked = new URL(authorizationUrl).searchParams;
    if (asked.get('client_id') !== this.client.id || asked.get('response_type') !== 'code')
      throw new Error('bad request');
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('PKCE is required');
    const code = randomUUID();
    this.grants.set(code, {
      redirectUri: asked.get('redirect_uri') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      nonce: asked.get('nonce') ?? '',
      person,
    });
    return `?${new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()}`;
  }

  private answer({
    url,
    headers,
    body,
  }: Parameters<ScriptedServer['answer']>[0]): ReturnType<ScriptedServer['answer']> {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return {
          body: {
            issuer: this.fault === 'another issuer' ? `${this.issuer}/evil` : this.issuer,
            authorization_endpoint: `${this.issuer}/authorize`,
            token_endpoint: `${this.issuer}/token`,
            jwks_uri: `${this.issuer}/jwks`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            token_endpoint_auth_methods_supported: ['client_secret_post'],
          },
        };
      case '/jwks':
        return {
          body: { keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
        };
      case '/token':
        return this.exchange(new URLSearchParams(body));
      case '/users/@me': {
        const person = this.accessTokens.get((headers.authorization ?? '').replace('Bearer ', ''));
        return person ? { body: person } : { status: 401, body: {} };
      }
      default:
        return { status: 404 };
    }
  }

  private exchange(form: URLSearchParams): ReturnType<ScriptedServer['answer']> {
    const refused = { status: 400, body: { error: 'invalid_grant' } };
    const grant = this.grants.get(form.get('code') ?? '');
    this.grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === this.client.id && form.get('client_secret') === this.client.secret;
    if (!grant || !isClient || form.get('grant_type') !== 'authorization_code') return refused;
    if (grant.redirectUri !== form.get('redirect_uri') || grant.challenge !== challenge) return refused;
    const accessToken = randomUUID();
    this.accessTokens.set(accessToken, grant.person);
    const idToken = grant.nonce === '' || this.fault === 'no id token' ? {} : { id_token: this.idToken(grant) };
    return { body: { access_token: accessToken, token_type: 'Bearer', ...idToken } };
  }

  private idToken({ nonce, person }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...person,
      iss: this.issuer,
      aud: this.fault === 'another audience' ? 'other client' : this.client.id,
      iat: now - 7200,
      exp: this.fault === 'an expired token' ? now - 3600 : now + 3600,
      nonce: this.fault === 'another nonce' ? 'other' : nonce,
    };
    if (this.fault === 'alg none') return `${part({ alg: 'none' })}.${part(claims)}.`;
    return signed(claims, this.fault === 'a foreign key' ? this.foreign.privateKey : this.keys.privateKey);
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, key: KeyObject): string {
  const text = `${part({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
