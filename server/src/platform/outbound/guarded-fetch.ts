import type { Readable } from 'node:stream';
import { Agent, buildConnector, ProxyAgent, request, Socks5ProxyAgent, type Dispatcher } from 'undici';
import { AppError, InvalidInputError, isAppError } from '../../shared/errors.js';
import type { OutboundGuard, OutboundPolicy } from './outbound-guard.js';

export interface GuardedRequest {
  readonly url: string;
  readonly policy: OutboundPolicy;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'HEAD' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** A `http`, `https` or `socks5` proxy that an admin set. The proxy then resolves the name. */
  readonly proxy?: string;
  /** Milliseconds for the whole call, including redirects and the body. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Called with the announced length before the body is read. May throw an AppError, which ends the call. */
  readonly announced?: (bytes: number) => void;
  /**
   * Receives the body as it arrives; the response then has an empty body. May throw an AppError, which ends the call.
   */
  readonly take?: (bytes: Buffer) => void;
  /** Whether redirects are followed. False: a redirect is returned as the response. */
  readonly followRedirects?: boolean;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The URL after redirects. */
  readonly url: string;
}

export interface GuardedResponse extends ResponseHead {
  readonly body: Buffer;
}

/** A response whose body the caller reads to its end, or destroys. */
export interface OpenedResponse extends ResponseHead {
  readonly body: Readable;
}

const maxRedirects = 5;
/**
 * Maximum number of streams to one origin. It is far above the number of calls in flight of one user, so that no user
 * can block the videos of others.
 */
const maxStreams = 4096;
const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 20 * 1024 * 1024;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
/** Headers that are never forwarded to another origin. */
const credentialHeaders: readonly string[] = ['authorization', 'cookie', 'x-api-key', 'api-key', 'x-goog-api-key'];

/** HTTP calls to addresses that users or admins entered, or that a response named. */
export class GuardedFetch {
  private readonly agents: Record<OutboundPolicy, Agent>;
  /** Separate connections, because a slow reader keeps its connection for minutes. */
  private readonly streaming: Record<OutboundPolicy, Agent>;

  constructor(private readonly guard: OutboundGuard) {
    const agent = (policy: OutboundPolicy, connections: number): Agent =>
      new Agent({ connect: { lookup: guard.lookup(policy), timeout: 10_000 }, connections });
    const agents = (connections: number): Record<OutboundPolicy, Agent> => ({
      'public-only': agent('public-only', connections),
      admin: agent('admin', connections),
    });
    this.agents = agents(8);
    this.streaming = agents(maxStreams);
  }

  /**
   * @throws AppError INVALID_INPUT (an address that may not be called), UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT,
   * UPSTREAM_INVALID_RESPONSE (too large, too many redirects). A response of any status is returned, not thrown.
   */
  async fetch(call: GuardedRequest): Promise<GuardedResponse> {
    const timeout = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
    const signal = call.signal ? AbortSignal.any([timeout, call.signal]) : timeout;
    let proxy: Dispatcher | null = null;
    try {
      if (call.proxy) proxy = this.openProxy(call.proxy);
      const { head, body } = await this.follow(call, proxy ?? this.agents[call.policy], signal);
      return { ...head, body: await readBody(body, head.headers, call) };
    } catch (error) {
      throw toAppError(error, timeout.aborted);
    } finally {
      await proxy?.destroy();
    }
  }

  /**
   * Like `fetch` for a long body, which the caller reads. `timeoutMs` limits the time until the body begins; after that
   * a pause of five minutes ends it. `maxBytes` is compared only with the announced length.
   * @throws AppError as `fetch`
   */
  async open(call: Omit<GuardedRequest, 'take' | 'announced'>): Promise<OpenedResponse> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), call.timeoutMs ?? defaultTimeoutMs);
    const signal = call.signal ? AbortSignal.any([late.signal, call.signal]) : late.signal;
    const proxy = call.proxy ? this.openProxy(call.proxy) : null;
    try {
      const { head, body } = await this.follow(call, proxy ?? this.streaming[call.policy], signal);
      // An abort is an error of the body, and the process must not end while no reader listens yet.
      body.on('error', () => undefined).on('close', () => void proxy?.destroy());
      if (Number(head.headers['content-length'] ?? 0) > (call.maxBytes ?? defaultMaxBytes)) {
        body.destroy();
        throw tooLarge();
      }
      return { ...head, body };
    } catch (error) {
      await proxy?.destroy();
      throw toAppError(error, late.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    const agents = [...Object.values(this.agents), ...Object.values(this.streaming)];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  private async follow(
    call: GuardedRequest,
    dispatcher: Dispatcher,
    signal: AbortSignal,
  ): Promise<{ readonly head: ResponseHead; readonly body: Dispatcher.ResponseData['body'] }> {
    let url = parseUrl(call.url);
    let method: Dispatcher.HttpMethod = call.method ?? 'GET';
    let headers: Record<string, string> = { ...call.headers };
    let body = call.body;
    for (let hop = 0; hop <= maxRedirects; hop++) {
      this.guard.checkUrl(url, call.policy);
      const answer = await request(url, { method, headers, body: body ?? null, dispatcher, signal });
      const location = answer.headers['location'];
      if (call.followRedirects === false || !redirects.includes(answer.statusCode) || typeof location !== 'string') {
        return { head: { status: answer.statusCode, headers: answer.headers, url: url.href }, body: answer.body };
      }
      answer.body.on('error', () => undefined).destroy();
      const next = parseUrl(location, url);
      if (next.origin !== url.origin) headers = withoutCredentials(headers);
      const keepsMethod = answer.statusCode === 307 || answer.statusCode === 308;
      if (!keepsMethod && method !== 'GET' && method !== 'HEAD') [method, body] = ['GET', undefined];
      url = next;
    }
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The address redirects too often');
  }

  /** Opens a proxy. An admin configured it, even if the address behind it comes from a user. */
  private openProxy(address: string): Dispatcher {
    const url = parseUrl(address);
    const lookup = this.guard.lookup('admin');
    const isSocks = /^socks5h?:$/.test(url.protocol);
    this.guard.checkUrl(parseUrl(`${isSocks ? 'http:' : url.protocol}//${url.host}`), 'admin');
    if (!isSocks) return new ProxyAgent({ uri: url.href, proxyTls: { lookup } });
    return new Socks5ProxyAgent(url.href.replace(/^socks5h/, 'socks5'), { connect: buildConnector({ lookup }) });
  }
}

async function readBody(
  body: Readable,
  headers: ResponseHead['headers'],
  { maxBytes = defaultMaxBytes, announced, take }: GuardedRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const length = Number(headers['content-length'] ?? 0);
    if (length > maxBytes) throw tooLarge();
    if (length > 0) announced?.(length);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      if (take) take(chunk);
      else chunks.push(chunk);
    }
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
  return Buffer.concat(chunks);
}

const tooLarge = (): AppError => new AppError('UPSTREAM_INVALID_RESPONSE', 'The response is too large');

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new InvalidInputError('Invalid URL');
  return new URL(text, base?.href);
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !credentialHeaders.includes(name.toLowerCase())),
  );
}

/** Messages of sockets and resolvers contain hosts and ports of our network, so they stay in `cause`. */
function toAppError(error: unknown, timedOut: boolean): AppError {
  const known = [error, (error as { cause?: unknown } | null)?.cause].find(isAppError);
  if (known) return known;
  if (timedOut) return new AppError('UPSTREAM_TIMEOUT', 'The address did not respond in time', { cause: error });
  return new AppError('UPSTREAM_UNREACHABLE', 'The address cannot be reached', { cause: error });
}
