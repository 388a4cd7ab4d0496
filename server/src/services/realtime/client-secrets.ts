import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { malformed, RelayError } from '../../dialects/errors/relay-error.js';
import { asFields, someText, without, type Fields } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { findKey } from '../../gateway/admit/authentication.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import { eventBounds, readEvent } from './session-events.js';
import { limitIn } from './session-settings.js';
import type { Frame } from './socket-pair.js';
import { transcribersIn } from './transcripts.js';

/** The prefix of client secrets. OpenAI's SDK accepts keys with it in a browser. */
const mark = 'ek_';
/** Follows the prefix within the sealed text, so that no other sealed text is a client secret. */
const purpose = 'realtime:';
/** Limits of a lifetime in seconds, as at OpenAI (https://platform.openai.com/docs/api-reference/realtime-sessions, November 2026). */
const lifetime = { least: 10, usual: 600, most: 7200 } as const;
/** Characters. Servers and proxies read a header of 8 KB, which has to hold the secret as a subprotocol. */
const maxLength = 7000;
/** Fields that do not configure a session. A provider refuses an update that names the model. */
const notInUpdate: ReadonlySet<string> = new Set(['model', 'type']);
/** Bytes of the body of a request for a secret. */
export const maxSecretBytes = 128 * 1024;

/** The two versions of the API: `POST /v1/realtime/client_secrets`, and the older `POST /v1/realtime/sessions`. */
export type SecretVersion = 'current' | 'beta';

/** A session that a client secret opens. */
export interface BoundSession {
  /** Settings in the form of a `session.update`, without the model of a session that responds. */
  readonly settings: Fields;
  /** The model; null when every model of the key may be used. */
  readonly model: string | null;
  readonly isTranscription: boolean;
  readonly version: SecretVersion;
}

/** The content of a client secret. */
interface Sealed extends BoundSession {
  /** The key as it was presented. */
  readonly key: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** A request for a client secret. */
export interface SecretRequest extends BoundSession {
  /** Seconds. */
  readonly lasts: number;
}

/**
 * Short-lived keys for browsers. The client keeps the content, sealed, so that every node can read it and none stores it. A secret
 * stands for the key that made it, which is checked again whenever the secret is used.
 */
export class ClientSecrets {
  constructor(private readonly deps: { readonly secrets: Pick<Secrets, 'seal' | 'open'>; readonly clock: Clock }) {}

  /**
   * Returns the response to a request for a secret.
   * @throws RelayError session_too_large
   */
  create(incoming: IncomingRequest, { lasts, ...bound }: SecretRequest): Fields {
    const expiresAt = seconds(this.deps.clock) + lasts;
    const { headers, path, query } = incoming;
    const value = this.seal({ ...bound, key: findKey(headers, path, query), expiresAt });
    if (value.length > maxLength) {
      throw new RelayError(
        'INVALID_INPUT',
        'The session is too large for a client secret: send long instructions and tools in a session.update',
        'session_too_large',
      );
    }
    const { settings, model, isTranscription, version } = bound;
    const session = {
      ...settings,
      ...(isTranscription || model === null ? {} : { model }),
      object: isTranscription ? 'realtime.transcription_session' : 'realtime.session',
      id: `sess_${randomAlphanumeric(24)}`,
    };
    return version === 'current'
      ? { value, expires_at: expiresAt, session }
      : { ...session, client_secret: { value, expires_at: expiresAt } };
  }

  /**
   * Reads the secret of a call.
   * @returns the call with the key that made the secret, and its session; the same call if its key is an ordinary one
   * @throws AppError INVALID_API_KEY, TOKEN_EXPIRED
   */
  open(call: IncomingRequest): { readonly call: IncomingRequest; readonly bound?: BoundSession } {
    const { headers, path, query } = call;
    const presented = findKey(headers, path, query);
    if (!presented.startsWith(mark)) return { call };
    const { key, expiresAt, ...bound } = this.unseal(presented.slice(mark.length));
    if (expiresAt <= seconds(this.deps.clock)) throw new AppError('TOKEN_EXPIRED', 'Client secret expired');
    const beta = bound.version === 'beta' ? { 'openai-beta': 'realtime=v1' } : {};
    return { call: { ...call, headers: { ...headers, ...beta, authorization: `Bearer ${key}` } }, bound };
  }

  private seal(content: Sealed): string {
    const packed = deflateRawSync(JSON.stringify(content)).toString('base64url');
    return mark + this.deps.secrets.seal(purpose + packed);
  }

  private unseal(sealed: string): Sealed {
    try {
      const text = this.deps.secrets.open(sealed);
      if (!text.startsWith(purpose)) throw new Error('the sealed text has another purpose');
      return JSON.parse(
        inflateRawSync(Buffer.from(text.slice(purpose.length), 'base64url')).toString('utf8'),
      ) as Sealed;
    } catch {
      throw new AppError('INVALID_API_KEY', 'Invalid client secret');
    }
  }
}

/**
 * Reads a request for a client secret. Its settings are checked as an event of a session is.
 * @throws RelayError invalid_request
 */
export function readSecretRequest(bytes: Buffer, version: SecretVersion): SecretRequest {
  const body = bytes.length === 0 ? {} : parseJsonBody(bytes, eventBounds);
  const session =
    version === 'current' ? objectIn(body, 'session') : without(body, new Set(['client_secret', 'expires_after']));
  const isTranscription = version === 'current' && session['type'] === 'transcription';
  const type = isTranscription ? 'transcription' : 'realtime';
  if (session['type'] !== undefined && session['type'] !== type) {
    throw malformed(`session.type must be realtime${version === 'current' ? ' or transcription' : ''}`);
  }
  if (isTranscription && (session['model'] ?? null) !== null) {
    throw malformed(
      'session.model is not a field of a transcription session, which names its model in audio.input.transcription',
    );
  }
  const given = session['model'] ?? undefined;
  if (given !== undefined && !someText(given)) throw malformed('session.model must be text');
  const settings = without(session, notInUpdate);
  const typed = version === 'current' ? { type, ...settings } : settings;
  readEvent(updateOf({ settings: typed }));
  limitIn(typed, 'session');
  const model = isTranscription ? transcribersIn(typed)[0] : someText(given);
  return { settings: typed, model: model ?? null, isTranscription, version, lasts: lifetimeIn(body, version) };
}

/** Returns an object of a body; empty if it is absent. */
function objectIn(body: Fields, name: string): Fields {
  const fields = asFields(body[name] ?? {});
  if (!fields) throw malformed(`${name} must be an object`);
  return fields;
}

function lifetimeIn(body: Fields, version: SecretVersion): number {
  const holder = version === 'current' || body['client_secret'] === undefined ? body : objectIn(body, 'client_secret');
  const after = objectIn(holder, 'expires_after');
  if (after['anchor'] !== undefined && after['anchor'] !== 'created_at') {
    throw malformed('expires_after.anchor must be created_at');
  }
  const lasts = after['seconds'] ?? lifetime.usual;
  if (typeof lasts !== 'number' || !Number.isInteger(lasts) || lasts < lifetime.least || lasts > lifetime.most) {
    throw malformed(`expires_after.seconds must be a whole number from ${lifetime.least} to ${lifetime.most}`);
  }
  return lasts;
}

/** Returns the event that applies the settings of a secret. The model of a session that responds stands in its address. */
const updateOf = ({ settings }: Pick<BoundSession, 'settings'>): Frame => ({
  data: Buffer.from(JSON.stringify({ type: 'session.update', session: settings })),
  isBinary: false,
});

/** Returns the frames that a session begins with. */
export const framesOf = (bound: BoundSession | undefined): readonly Frame[] =>
  bound && Object.keys(without(bound.settings, notInUpdate)).length > 0 ? [updateOf(bound)] : [];

/**
 * Returns the model of a session: that of its address, or of its secret.
 * @param asked the model of the address, empty if it has none
 * @throws AppError MODEL_NOT_ALLOWED when the secret is for another session
 */
export function modelFor(asked: string, bound: BoundSession | undefined): string {
  if (!bound) return asked;
  const { model, isTranscription } = bound;
  if (isTranscription) {
    if (asked === '') return '';
    throw new AppError('MODEL_NOT_ALLOWED', 'This client secret is for a session with intent=transcription');
  }
  if (model === null || asked === '' || asked === model) return model ?? asked;
  throw new AppError('MODEL_NOT_ALLOWED', `This client secret may not use model ${asked}`);
}
