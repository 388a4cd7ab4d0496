import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { AppError } from '../shared/errors.js';
import { free } from '../shared/held-bytes.js';
import { requestIdHeader } from '../shared/ids.js';
import type { BodyGrant } from './admit/body-budget.js';
import { malformed, RelayError } from '../dialects/errors/relay-error.js';
import { largeBody, minRemembered, parseAhead, rememberTurns } from '../dialects/wire/forms/json-body.js';
import { unzstd } from '../dialects/wire/forms/zstd.js';
import { ClientResponse, type ResponseSink } from './deliver/client-response.js';
import type { BodyAllowance, IncomingRequest } from './request.js';

/** An incoming call with the response to write. */
export interface Hijacked {
  readonly incoming: IncomingRequest;
  readonly client: ClientResponse;
}

/** A request and its response, before any of the body is read. */
interface Received {
  readonly request: IncomingMessage;
  readonly response: ResponseSink;
  readonly id: string;
  /** Path and query. */
  readonly url: string;
  /** The client's address. */
  readonly address: string;
  /** Headers of the response that hooks have set. */
  readonly hooked?: OutgoingHttpHeaders;
}

/**
 * Takes over the response from Fastify; headers set by earlier hooks are kept.
 * @param sinkOf returns the writer of the response; absent: Node's own
 */
export function hijack(
  request: FastifyRequest,
  reply: FastifyReply,
  maxBodyBytes: number,
  sinkOf: (response: ServerResponse) => ResponseSink = (response) => response,
): Hijacked {
  reply.hijack();
  request.taken = true;
  const { id, url, ip: address, raw } = request;
  const hooked = reply.getHeaders() as OutgoingHttpHeaders;
  return takeOver({ request: raw, response: sinkOf(reply.raw), id, url, address, hooked }, maxBodyBytes);
}

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Disables Fastify's body parsers: the routes read bodies after they have authenticated the caller. */
export function leaveBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    // Fastify refuses malformed content types before it calls a parser. The relay reads every body as JSON, so a
    // malformed type is removed.
    if (type !== undefined && !mediaType.test(type)) request.headers['content-type'] = 'application/json';
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Builds an incoming call from a request. */
export function takeOver({ request, response, id, url, address, hooked }: Received, maxBodyBytes: number): Hijacked {
  const { headers } = request;
  const mark = url.indexOf('?');
  const incoming: IncomingRequest = {
    requestId: id,
    headers,
    path: withoutAlias(mark < 0 ? url : url.slice(0, mark)),
    query: mark < 0 ? '' : url.slice(mark + 1),
    address,
    startedAt: performance.now(),
    readBody: (allowance) => {
      if (isForm(headers)) return readRequestBody(request, Math.round(maxBodyBytes * formFactor), allowance);
      const reading = readRequestBody(request, maxBodyBytes, allowance);
      if (isSmall(headers)) return reading;
      return reading.then((bytes) => {
        const { conversations, tokenId, grant } = allowance ?? {};
        if (conversations && tokenId !== undefined) {
          rememberTurns(bytes, conversations.of(tokenId));
          grant?.holdBody(bytes);
        }
        return bytes.length <= largeBody ? bytes : parsedAhead(bytes, grant);
      });
    },
  };
  return { incoming, client: new ClientResponse(response, responseHeaders(id, hooked)) };
}

/** Headers of the request id. SDKs show the last two in their errors. */
const responseHeaders = (id: string, hooked?: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
  ...hooked,
  [requestIdHeader]: id,
  'x-request-id': id,
  'request-id': id,
});

/**
 * Returns the bytes of a body once a large one is parsed, in slices between which other calls run.
 * @throws RelayError as `parseJsonBody`; AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function parsedAhead(bytes: Buffer, grant: BodyGrant | undefined): Promise<Buffer> {
  const isDoubled = grant?.growByText(bytes) ?? true;
  await parseAhead(bytes, isDoubled ? undefined : (copied) => grant?.grow(copied));
  return bytes;
}

/** Whether the body is certainly too small to be remembered. */
const isSmall = (headers: IncomingHttpHeaders): boolean =>
  headers['content-encoding'] === undefined && Number(headers['content-length'] ?? Infinity) < minRemembered;

/**
 * A form contains files, so its limit is larger by this factor (docs/reference/relay/guarantees.md#memory-and-streams).
 */
const formFactor = 100 / 64;

const isForm = (headers: IncomingHttpHeaders): boolean => headers['content-type']?.startsWith('multipart/') === true;

/**
 * Matches prefixes that are aliases of the own paths. Google's list of models is excluded, because its form differs by
 * path. The deployment in Azure's paths is read elsewhere.
 */
const aliases = /^\/(?:hf\/v1|anthropic\/v1|v1beta\/openai(?!\/models)|openai(?:\/v1|\/deployments\/[^/]+)?)(?=\/)/;

function withoutAlias(path: string): string {
  if (path.startsWith('/v1/') && !path.endsWith('/')) return path;
  const plain = path.replace(aliases, '/v1');
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/**
 * Refuses a path or query that a provider could read differently than the gateway: segments that leave the channel's
 * base path once they are joined, and parameters that are named twice.
 * @throws RelayError invalid_request
 */
export function checkTarget({ path, query }: { readonly path: string; readonly query: string }): void {
  // Most paths have neither, so this test is cheap.
  if (path.includes('.') || path.includes('%') || path.includes('\\')) {
    for (const segment of decodedTwice(path).split(/[/\\]/)) {
      // Google's paths end in a method: `models/..:generateContent`.
      const [name] = segment.split(':', 1);
      if (name === '.' || name === '..') throw malformed('the path is not normalized');
    }
  }
  if (!query.includes('&')) return;
  const names = [...new URLSearchParams(query).keys()].map((name) => name.toLowerCase());
  if (new Set(names).size !== names.length) throw malformed('a query parameter is named twice');
}

/** Decodes a path twice. Percent signs that encode nothing are kept. */
function decodedTwice(path: string): string {
  let text = path;
  for (let round = 0; round < 2; round++) {
    text = text.replace(/%(2e|2f|5c|25)/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return text;
}

/** A body that grows by more than this factor when it is decompressed is refused as a decompression bomb. */
const maxRatio = 100;
/** Bytes below which the ratio is not checked: tiny bodies compress better than any limit. */
const ratioFloor = 64 * 1024;

/** Decompressors by `Content-Encoding`. */
const unpackers: Readonly<Record<string, (bytes: Buffer) => AsyncIterable<Buffer>>> = {
  gzip: (bytes) => Readable.from([bytes]).pipe(createGunzip()),
  'x-gzip': (bytes) => Readable.from([bytes]).pipe(createGunzip()),
  br: (bytes) => Readable.from([bytes]).pipe(createBrotliDecompress()),
  zstd: unzstd,
};

/**
 * Reads a complete body: gzip, brotli, Zstandard or uncompressed. Every byte is counted in the caller's grant before it
 * is stored. Reading ends at once if the client disconnects.
 * @param limit bytes, before and after decompression
 * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, RATE_LIMITED, SERVICE_UNAVAILABLE; RelayError
 * invalid_request when it is incomplete or cannot be decompressed
 */
export function readRequestBody(
  request: IncomingMessage,
  limit: number,
  { maxBytes = limit, grant }: BodyAllowance = {},
): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpacker === undefined && encoding !== 'identity' && encoding !== '') {
    return Promise.reject(
      new AppError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding ${encoding.slice(0, 40)} is not supported`),
    );
  }
  const most = Math.min(limit, maxBytes);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > most) return Promise.reject(tooLarge(most));
  const reading = readAll(request, announced || most, announced, grant);
  return unpacker ? reading.then((bytes) => unpack(unpacker(bytes), bytes.length, most, grant)) : reading;
}

/** Bytes that Node reads at once from a socket. */
const oneRead = 64 * 1024;
/** The factor by which the buffer of a body of unknown length grows. Pages that it does not use take no memory. */
const growth = 4;

/** The bytes of a body. Its pieces are gathered in one buffer as they come: they are still in the cache, and need not be held twice. */
class Gathered {
  length = 0;
  private readonly pieces: Buffer[] = [];
  private whole: Buffer | null = null;

  /**
   * @param limit the most bytes that are pushed
   * @param announced the length, if it is known and counted; 0 if not
   */
  constructor(
    private readonly limit: number,
    private readonly announced: number,
  ) {}

  /** Takes a piece over. */
  push(piece: Buffer): void {
    const at = this.length;
    this.length += piece.length;
    if (this.length <= oneRead) {
      this.pieces.push(piece);
      return;
    }
    const isFull = this.whole === null || this.length > this.whole.length;
    const whole = isFull ? this.move(Math.min(this.limit, Math.max(this.announced, this.length * growth))) : this.whole;
    whole?.set(piece, at);
    free(piece);
  }

  /** Returns all bytes. */
  end(): Buffer {
    const [first = Buffer.alloc(0)] = this.pieces;
    const whole = this.whole ?? (this.pieces.length > 1 ? this.move(this.length) : first);
    return whole.subarray(0, this.length);
  }

  /** Frees the bytes of a body that is refused. */
  clear(): void {
    for (const piece of this.held()) free(piece);
  }

  /** Moves the bytes to a buffer of this size. */
  private move(bytes: number): Buffer {
    const whole = Buffer.allocUnsafeSlow(bytes);
    let at = 0;
    for (const piece of this.held()) {
      whole.set(piece, at);
      at += piece.length;
      free(piece);
    }
    this.whole = whole;
    return whole;
  }

  /** Takes out what it holds: a buffer is freed once. */
  private held(): readonly Buffer[] {
    const { whole } = this;
    this.whole = null;
    return whole ? [whole] : this.pieces.splice(0);
  }
}

function readAll(request: IncomingMessage, limit: number, announced: number, grant?: BodyGrant): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A request that ended before the listeners were added emits no further events.
    if (request.destroyed || request.errored || request.readableAborted) {
      reject(incomplete());
      return;
    }
    const body = new Gathered(limit, announced);
    // The request lives until its response is complete, and its listeners keep everything that they can reach.
    const stopListening = (): void =>
      void request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onClose);
    const stop = (error: unknown): void => {
      stopListening();
      // The rest of the body is discarded; the response states why.
      request.resume();
      body.clear();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onData = (piece: Buffer): void => {
      const length = body.length + piece.length;
      if (length > limit) {
        stop(tooLarge(limit));
        return;
      }
      try {
        if (length > announced) grant?.grow(length - Math.max(announced, body.length));
      } catch (error) {
        stop(error);
        return;
      }
      body.push(piece);
    };
    const onEnd = (): void => {
      stopListening();
      resolve(body.end());
    };
    const onBroken = (): void => {
      stopListening();
      body.clear();
      reject(incomplete());
    };
    const onClose = (): void => {
      if (!request.complete) onBroken();
    };
    // Counts the whole declared length before storing a byte, so that a body that does not fit is refused early.
    try {
      grant?.grow(announced);
    } catch (error) {
      stop(error);
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onClose);
  });
}

/** Decompresses in pieces, so that a decompression bomb stops at the limit. */
async function unpack(
  unpacked: AsyncIterable<Buffer>,
  packedLength: number,
  limit: number,
  grant?: BodyGrant,
): Promise<Buffer> {
  const most = Math.min(limit, Math.max(ratioFloor, packedLength * maxRatio));
  const body = new Gathered(most, 0);
  try {
    // Leaving the loop ends the stream or the generator.
    for await (const piece of unpacked) {
      if (body.length + piece.length > most) throw tooLarge(limit);
      grant?.grow(piece.length);
      body.push(piece);
    }
  } catch (error) {
    body.clear();
    if (error instanceof AppError) throw error;
    throw new RelayError('INVALID_INPUT', 'Invalid request, the body cannot be decompressed', 'invalid_request', {
      cause: error,
    });
  }
  return body.end();
}

const incomplete = (): RelayError =>
  new RelayError('INVALID_INPUT', 'Invalid request, the body is incomplete', 'invalid_request');

const tooLarge = (limit: number): AppError =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    limit === unpaidBodyBytes
      ? 'The request body is too large for an account without balance'
      : 'The request body is too large',
  );

/**
 * Maximum body bytes for callers without balance: models may be free, so they are served, but no large body is read for
 * them.
 */
export const unpaidBodyBytes = 1024 * 1024;
