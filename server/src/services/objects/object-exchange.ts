import type { IncomingMessage } from 'node:http';
import type { UpstreamRequest } from '../../dialects/contract.js';
import { withHeaderOverride } from '../../dialects/overrides/header-override.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import type { AttemptSettings } from '../../gateway/send/attempt.js';
import { familySettings, refusal, toTarget } from '../../gateway/send/attempt-exchange.js';
import { redactKey } from '../../gateway/send/redact-key.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import { safeResponseHeaders, type UpstreamClient } from '../../gateway/upstream/upstream-client.js';
import type { OptionValues } from '../../options/option.service.js';
import { AppError } from '../../shared/errors.js';
import type { Clock } from '../../shared/clock.js';
import type { Target } from '../../dialects/target.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { malformed } from '../../dialects/errors/relay-error.js';
import type { ObjectAccount } from './object-accounts.js';

interface ObjectExchangeDeps {
  readonly upstream: UpstreamClient;
  readonly options: { readonly values: OptionValues };
  readonly settings: AttemptSettings;
  readonly clock: Clock;
}

/** A request about an object. */
export interface ObjectRequest {
  readonly method: UpstreamRequest['method'];
  /** Path and query at the maker. */
  readonly path: string;
  /** Headers of the client that may reach the provider. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | AsyncIterable<Buffer> | null;
  /** Whether the response may take as long as bytes arrive. */
  readonly isOfAnyLength?: boolean;
}

/** Sends requests about objects to the account that keeps them. */
export class ObjectExchange {
  constructor(private readonly deps: ObjectExchangeDeps) {}

  /**
   * Sends a request. It is not repeated, because a body that was read from the client cannot be read again.
   * @param client when it disconnects, the request ends; absent: the request is completed
   * @param receive gets a response with a successful status
   * @throws UpstreamError when the provider refuses, AppError, and errors of the body and of `receive`
   */
  async ask<Result>(
    account: ObjectAccount,
    { method, path, headers = {}, body = null, isOfAnyLength = false }: ObjectRequest,
    receive: (exchange: Exchange) => Promise<Result>,
    client?: ClientResponse,
  ): Promise<Result> {
    const { upstream, settings } = this.deps;
    const { channel, key } = account;
    const { keptObjects } = channel.provider.adapter;
    if (!keptObjects) throw new Error('the channel keeps no objects');
    const target = this.targetOf(account);
    const isWhole = body === null || Buffer.isBuffer(body);
    const request = { ...keptObjects.toUpstreamRequest(method, path, target, headers), body: isWhole ? body : null };
    const { firstByteTimeout: firstByte, idleTimeout: idle } = { ...settings, ...channel.timeouts };
    const exchange = upstream.send(
      withHeaderOverride(request, { channel, key, upstreamModel: '', requestedModel: '' }),
      { firstByte, idle },
      channel.setting.proxy,
      isWhole ? undefined : body,
    );
    const tooLong = (): void => exchange.abort(new AppError('UPSTREAM_TIMEOUT', 'The call took longer than allowed'));
    const total = isOfAnyLength ? undefined : setTimeout(tooLong, settings.totalTimeout);
    client?.watchGone(() => exchange.abort(new AppError('UPSTREAM_UNREACHABLE', 'The client has disconnected')));
    try {
      await exchange.answer;
      if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
      return await receive(exchange);
    } catch (error) {
      throw redactKey(error, key);
    } finally {
      clearTimeout(total);
    }
  }

  /** Returns the whole response. */
  collect(exchange: Exchange, maxBytes = this.deps.settings.maxAnswerBytes): Promise<Buffer> {
    return exchange.collect(maxBytes);
  }

  /** Returns the target of an account, with the provider's name of the model. */
  targetOf({ channel, key, model, bareModel }: ObjectAccount): Target {
    const { options, settings, clock } = this.deps;
    return toTarget({
      channel,
      key,
      requestedModel: model,
      bareModel,
      settings,
      passThrough: false,
      families: familySettings(options.values),
      now: clock.now(),
    });
  }
}

/** Headers of provider content. They prevent scripts, whatever the content is. */
const passiveHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** Sends the body of a response to the client as it arrives. The provider is read as fast as the client accepts it. */
export function forward(exchange: Exchange, client: ClientResponse): Promise<void> {
  const { 'content-type': type, 'content-length': length, 'content-disposition': disposition } = exchange.headers;
  const headers = {
    ...safeResponseHeaders(exchange.headers),
    ...passiveHeaders,
    // A body that is decompressed here has another length.
    ...(length !== undefined && exchange.headers['content-encoding'] === undefined ? { 'content-length': length } : {}),
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  };
  client.openStream(headers, type ?? 'application/octet-stream', exchange.status);
  return new Promise((resolve) => {
    exchange.pipe({
      data: (bytes) => client.write(bytes, exchange),
      end: () => {
        client.end('');
        resolve();
      },
      // The status was sent, so only the connection can say that the content is incomplete.
      fail: () => {
        client.drop();
        resolve();
      },
    });
  });
}

/** A body that is passed on as it arrives, piece by piece, and never stored. */
export class StreamedBody implements AsyncIterable<Buffer> {
  /** Bytes so far. */
  length = 0;
  /** Why the body was not read to its end. */
  failure: AppError | null = null;

  constructor(
    private readonly request: IncomingMessage,
    private readonly maxBytes: number,
    private readonly refusal: () => AppError,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    // The iterator must not close the client's connection, which gets the response.
    for await (const piece of this.request.iterator({ destroyOnReturn: false })) {
      const bytes = piece as Buffer;
      this.length += bytes.length;
      if (this.length > this.maxBytes) {
        this.failure = this.refusal();
        throw this.failure;
      }
      yield bytes;
    }
  }
}

/**
 * Returns the length that a client announces; null when it announces none.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE for a compressed body, whose size would not be known
 */
export function announcedLength({ headers }: Pick<IncomingRequest, 'headers'>): number | null {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Files are uploaded without Content-Encoding');
  }
  const given = headers['content-length'];
  if (given === undefined) return null;
  const length = Number(given);
  if (!Number.isSafeInteger(length)) throw malformed('Content-Length is not a number');
  return length;
}

/** Headers that describe a body. */
export const bodyHeaders = ({ headers }: Pick<IncomingRequest, 'headers'>): Record<string, string> => ({
  ...(headers['content-type'] === undefined ? {} : { 'content-type': headers['content-type'] }),
  ...(headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] }),
});

/** Returns the client's headers for versions and features that the provider takes. */
export function featureHeaders({ channel }: ObjectAccount, { headers }: IncomingRequest): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of channel.provider.clientHeaders) {
    const value = headers[name];
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return kept;
}
