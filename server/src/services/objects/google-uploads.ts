import type { FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.js';
import { malformed } from '../../dialects/errors/relay-error.js';
import { notFound } from '../../gateway/route/affinity/call-origin.js';
import { parseFields } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { findKey } from '../../gateway/admit/authentication.js';
import type { Hijacked } from '../../gateway/incoming-request.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import type { Secrets } from '../../shared/secrets.js';
import { sendError } from '../client-errors.js';
import type { ObjectAccounts } from './object-accounts.js';
import { answerHeaders, ownerOf, type ObjectCall, type ObjectCalls } from './object-calls.js';
import { announcedLength, StreamedBody, type ObjectExchange } from './object-exchange.js';
import { tooLarge, type KeptObjects, type ReservedRoom } from './kept-objects.js';
import { kindOf, resources } from './resources.js';
import { shownObject } from './shown-object.js';

interface GoogleUploadsDeps {
  readonly calls: ObjectCalls;
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
  readonly objects: KeptObjects;
  readonly secrets: Secrets;
}

/** An upload that was started. The client has it in its URL, sealed, so that every node can continue it. */
interface StartedUpload {
  readonly userId: number;
  /** The key that started it. Google's clients send none with the pieces. */
  readonly key: string;
  readonly channelId: number;
  readonly keyMark: string;
  /** The query of the provider's URL. */
  readonly query: string;
  readonly room: ReservedRoom;
}

const path = '/upload/v1beta/files';
const command = 'x-goog-upload-command';
/** Commands that continue an upload (https://ai.google.dev/api/files, November 2026). */
const continued: ReadonlySet<string> = new Set(['upload', 'upload, finalize', 'finalize', 'query', 'cancel']);

const files = resources.find((resource) => resource.path === '/v1beta/files');

/** Files for Gemini arrive in pieces, by Google's resumable protocol. Each piece is passed on as it arrives. */
export class GoogleUploads {
  constructor(private readonly deps: GoogleUploadsDeps) {}

  /** Serves one command of an upload. Never throws. */
  async serve(hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    const { incoming, client } = hijacked;
    const id = new URLSearchParams(incoming.query).get('upload_id');
    if (id === null) return this.deps.calls.admit(hijacked, request, (call) => this.start(call));
    let started: StartedUpload;
    try {
      started = this.open(id);
    } catch (error) {
      return sendError(request, client, error);
    }
    const { headers, query } = incoming;
    const keyed =
      findKey(headers, path, query) === ''
        ? { client, incoming: { ...incoming, headers: { ...headers, 'x-goog-api-key': started.key } } }
        : hijacked;
    return this.deps.calls.admit(keyed, request, (call) => this.continue(started, call));
  }

  private async start(call: ObjectCall): Promise<void> {
    const { caller, incoming, client, request, grant } = call;
    const { calls, objects, exchange } = this.deps;
    const { headers } = incoming;
    if (!files) throw new Error('files of Google are not served');
    if (headers['x-goog-upload-protocol'] !== 'resumable' || headers[command] !== 'start') {
      throw malformed('files are uploaded with x-goog-upload-protocol: resumable, beginning with the command start');
    }
    await calls.checkMayCreate(files, call);
    const body = await incoming.readBody({ grant, tokenId: caller.token.id });
    if (body.length > 0) parseJsonBody(body);
    const account = await calls.accountOfNew(call, {});
    const owner = ownerOf(caller, account);
    const room = await objects.reserve(owner, kindOf('gemini', files), lengthOf(headers), calls.limits);
    try {
      const sent = { ...uploadHeaders(headers), 'content-type': 'application/json' };
      const { answer, bytes } = await exchange.ask(account, { method: 'POST', path, headers: sent, body }, this.whole);
      const url = textOf(answer, 'x-goog-upload-url');
      if (!URL.canParse(url)) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream returned no upload URL');
      const started = { userId: caller.user.id, key: caller.key, channelId: owner.channelId, keyMark: owner.keyMark };
      const id = this.deps.secrets.seal(JSON.stringify({ ...started, query: new URL(url).search, room }));
      client.send(answer.status, { ...shownHeaders(answer), 'x-goog-upload-url': ownUrl(request, id) }, bytes);
    } catch (error) {
      await objects.drop(room.id);
      throw error;
    }
  }

  private async continue(started: StartedUpload, { caller, incoming, client, request }: ObjectCall): Promise<void> {
    const { accounts, exchange, objects, calls } = this.deps;
    const { headers } = incoming;
    const name = String(headers[command] ?? '').toLowerCase();
    if (!continued.has(name)) throw malformed(`${command} must be one of ${[...continued].join('; ')}`);
    const named = { field: 'upload_id', id: 'upload' };
    if (caller.user.id !== started.userId) throw notFound(named, 'is not known');
    const account = accounts.usable(started, 'gemini', started.userId);
    if (!account) throw notFound(named, 'belongs to an account that cannot serve this call');
    const { room } = started;
    const { maxFileBytes } = calls.limits;
    const left = Math.min(room.maxBytes, maxFileBytes) - Number(headers['x-goog-upload-offset'] ?? 0);
    const refusal = (): AppError => tooLarge(Math.min(room.maxBytes, maxFileBytes));
    const announced = announcedLength(incoming) ?? 0;
    if (!(announced <= left)) throw refusal();
    const body = name.startsWith('upload') ? new StreamedBody(request.raw, left, refusal) : null;
    const length = headers['content-length'];
    const sent = { ...uploadHeaders(headers), ...(body && length !== undefined ? { 'content-length': length } : {}) };
    const at = path + started.query;
    try {
      const { answer, bytes } = await exchange.ask(
        account,
        { method: 'POST', path: at, headers: sent, body },
        this.whole,
      );
      const status = textOf(answer, 'x-goog-upload-status');
      const object = shownObject('gemini', parseFields(bytes.toString('utf8')) ?? {});
      if (object) await objects.keep(ownerOf(caller, account), 'gemini/files', object, room.maxBytes);
      if (object || status === 'cancelled') await objects.drop(room.id);
      client.send(answer.status, shownHeaders(answer), bytes);
    } catch (error) {
      throw body?.failure ?? error;
    }
  }

  private readonly whole = async (answer: Exchange): Promise<{ answer: Exchange; bytes: Buffer }> => ({
    answer,
    bytes: await this.deps.exchange.collect(answer),
  });

  /** @throws RelayError invalid_request */
  private open(id: string): StartedUpload {
    try {
      return JSON.parse(this.deps.secrets.open(id)) as StartedUpload;
    } catch {
      throw malformed('upload_id is not known');
    }
  }
}

/** The length of the whole file, if the client announces it. */
function lengthOf(headers: ObjectCall['incoming']['headers']): number | null {
  const given = headers['x-goog-upload-header-content-length'];
  if (given === undefined) return null;
  const length = Number(given);
  if (!Number.isSafeInteger(length) || length < 0)
    throw malformed('x-goog-upload-header-content-length is not a number');
  return length;
}

const uploadHeaders = (headers: ObjectCall['incoming']['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-goog-upload-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  );

const textOf = ({ headers }: Exchange, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** Google's headers about the upload. Its URLs are secrets of the account. */
const shownHeaders = (answer: Exchange): Record<string, string> => ({
  ...answerHeaders(answer),
  ...Object.fromEntries(
    Object.entries(uploadHeaders(answer.headers)).filter(
      ([name]) => name !== 'x-goog-upload-url' && name !== 'x-goog-upload-control-url',
    ),
  ),
});

/** The URL at which the client continues: at this server, as the client reached it. */
const ownUrl = ({ protocol, host, server }: FastifyRequest, id: string): string =>
  `${protocol}://${host}${server.basePath}${path}?upload_id=${encodeURIComponent(id)}&upload_protocol=resumable`;
