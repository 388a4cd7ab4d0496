import { noPlans } from '../../../billing/plans/index.js';
import {
  type CreativeTask,
  type CreativeTaskStore,
  type VideoLinks,
  videoPlatform,
} from '../../../console/tasks/index.js';
import type { GuardedFetch, OpenedResponse } from '../../../platform/outbound/guarded-fetch.js';
import { AppError } from '../../../shared/errors.js';
import type { InFlight, InFlightCaller } from '../../../gateway/admit/in-flight.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { redactKey } from '../../../gateway/send/redact-key.js';
import { toUpstreamError } from '../../../dialects/errors/read-upstream-error.js';
import type { Exchange } from '../../../gateway/upstream/exchange.js';
import { passiveHeaders } from '../incoming-task.js';
import { Base64Field } from '../json-texts.js';
import type { TaskDesk } from '../task-desk.js';
import type { TaskTarget } from '../task-target.js';
import type { TaskUpstream } from '../task-upstream.js';
import { withAddress } from './video-dialects.js';
import type { VideoDialect, VideoSource } from './video-dialect.js';
import { invalidVideo } from './video-submission.js';
import { dialectOf, notReady, type Videos } from './videos.js';

export interface VideoContentDeps {
  readonly desk: TaskDesk;
  readonly videos: Videos;
  readonly upstream: TaskUpstream;
  readonly store: CreativeTaskStore;
  readonly links: VideoLinks;
  readonly outbound: Pick<GuardedFetch, 'open'>;
  readonly inFlight: Pick<InFlight, 'enter'>;
}

const variants = new Set(['video', 'thumbnail', 'spritesheet']);
const timeoutMs = 60_000;
/** Maximum bytes of a video. Four minutes in 4K have about 2 GB. */
const maxBytes = 4 * 1024 ** 3;
const maxErrorBytes = 64 * 1024;
const shownTypes = /^(?:video|image)\//i;
/** Headers that state the length of the bytes, and which part of the video they are. */
const lengthHeaders = ['content-length', 'content-range', 'accept-ranges'] as const;

/** Streams the bytes of finished videos from the provider. They are not stored here. */
export class VideoContent {
  constructor(private readonly deps: VideoContentDeps) {}

  /**
   * Sends the bytes to the video's user, or to a reader with a link. They count as a call in flight until they are
   * read.
   * @returns null when the response is sent
   * @throws AppError, UpstreamError before the first byte
   */
  async send(incoming: IncomingRequest, id: string, client: ClientResponse): Promise<null> {
    const { desk, inFlight, videos } = this.deps;
    const query = new URLSearchParams(incoming.query);
    const { row, reader } = await this.found(incoming, id, query);
    const variant = query.get('variant') ?? 'video';
    if (!variants.has(variant)) throw invalidVideo('variant must be video, thumbnail or spritesheet');
    if (row.status !== 'SUCCESS') throw notReady('The video is not complete');
    const channel = desk.channel(row.channelId);
    if (!channel) throw new AppError('NO_CHANNEL', 'The channel of this video no longer exists');
    const target = withAddress(desk.targetOfTask(channel, row.keyPrint));
    const dialect = dialectOf(target);
    const name = row.properties.upstream ?? '';
    const inline = variant === 'video' ? dialect.inline?.(name, target) : undefined;
    if (inline) return this.sendInline(inline, target, reader, client);
    const data = await videos.located(row, target);
    const source = dialect.source(name, data, variant, target);
    if (!source) throw invalidVideo(`there is no ${variant} of this video`);
    const leave = await inFlight.enter(reader);
    client.watchGone(leave);
    try {
      const stop = new AbortController();
      client.watchGone(() => stop.abort());
      const { range } = incoming.headers;
      const opened = await this.open(source, { range, proxy: target.proxy, signal: stop.signal });
      if (opened.status !== 200 && opened.status !== 206) throw await refusal(opened, target.key);
      await forward(opened, client);
      return null;
    } finally {
      leave();
    }
  }

  /** Sends a video that is a part of its provider's report, as it arrives. It cannot be read in parts. */
  private async sendInline(
    { request, field }: ReturnType<NonNullable<VideoDialect['inline']>>,
    target: TaskTarget,
    reader: InFlightCaller,
    client: ClientResponse,
  ): Promise<null> {
    const { inFlight, upstream } = this.deps;
    const leave = await inFlight.enter(reader);
    client.watchGone(leave);
    try {
      const exchange = await upstream.send(target, { ...request, timeout: timeoutMs });
      client.watchGone(() => exchange.abort(new Error('the client has disconnected')));
      await exchange.answer;
      if (exchange.status !== 200) {
        throw redactKey(toUpstreamError(exchange.status, await exchange.collect(maxErrorBytes)), target.key);
      }
      await forwardField(exchange, field, client);
      return null;
    } finally {
      leave();
    }
  }

  private async found(
    incoming: IncomingRequest,
    id: string,
    query: URLSearchParams,
  ): Promise<{ readonly row: CreativeTask; readonly reader: InFlightCaller }> {
    const { desk, videos, store, links } = this.deps;
    const linked = links.isLink(id, query) ? await store.byTaskId(videoPlatform, id) : null;
    if (linked && linked.properties.deleted !== true)
      return { row: linked, reader: { user: { id: linked.userId, plans: noPlans }, token: { id: 0 } } };
    const caller = await desk.authenticateLookup(incoming);
    return { row: await videos.own(caller, id), reader: caller };
  }

  /**
   * Opens the source of a video. The base URL of a channel may be private. A URL that a provider names or redirects to
   * must be public, and gets no key.
   */
  private async open(
    source: VideoSource,
    {
      range,
      proxy,
      signal,
    }: { readonly range: string | undefined; readonly proxy: string | undefined; readonly signal: AbortSignal },
  ): Promise<OpenedResponse> {
    const { outbound } = this.deps;
    // Safari plays only videos that it can request in parts.
    const headers: Record<string, string> =
      range !== undefined && /^bytes=[\d, -]{1,100}$/.test(range) ? { range } : {};
    const call = { timeoutMs, maxBytes, signal, headers, ...(proxy ? { proxy } : {}) };
    if (!source.isChannel) return outbound.open({ ...call, url: source.url, policy: 'public-only' });
    const { url } = source;
    const own = { ...call, headers: { ...headers, ...source.headers } };
    const first = await outbound.open({ ...own, url, policy: 'admin', followRedirects: false });
    const location = first.headers['location'];
    if (first.status < 300 || first.status >= 400 || typeof location !== 'string') return first;
    first.body.destroy();
    const next = URL.canParse(location, url) ? new URL(location, url) : null;
    if (!next) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream redirects to no address');
    return outbound.open({ ...call, url: next.href, policy: 'public-only' });
  }
}

/**
 * Forwards a video or an image.
 * @throws AppError UPSTREAM_INVALID_RESPONSE for any other content
 */
async function forward({ status, headers, body }: OpenedResponse, client: ClientResponse): Promise<void> {
  const stated = headers['content-type'];
  const type = typeof stated === 'string' && stated !== '' ? stated : 'application/octet-stream';
  const isBytes = /^(?:application|binary)\/octet-stream\b/i.test(type);
  if (!isBytes && !shownTypes.test(type)) {
    body.destroy();
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a video');
  }
  const lengths = lengthHeaders.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
  client.openStream(
    { ...passiveHeaders, ...(Object.fromEntries(lengths) as Record<string, string>) },
    isBytes ? 'video/mp4' : type,
    status,
  );
  await new Promise<void>((resolve) => {
    body.on('data', (bytes: Buffer) => client.write(bytes, body));
    body.on('end', () => client.end(''));
    body.on('error', () => client.drop());
    body.on('close', resolve);
  });
}

/**
 * Forwards the bytes that a field of a response has as base64.
 * @throws AppError UPSTREAM_INVALID_RESPONSE when there are none
 */
function forwardField(exchange: Exchange, name: string, client: ClientResponse): Promise<void> {
  const field = new Base64Field(name);
  let isOpen = false;
  const write = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    if (!isOpen) client.openStream(passiveHeaders, 'video/mp4', 200);
    isOpen = true;
    client.write(bytes, exchange);
  };
  return new Promise((resolve, reject) => {
    exchange.pipe({
      data: (bytes) => write(field.push(bytes)),
      end: () => {
        write(field.end());
        if (!isOpen) return reject(new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response has no video'));
        client.end('');
        resolve();
      },
      fail: (error) => {
        if (!isOpen) return reject(error);
        client.drop();
        resolve();
      },
    });
  });
}

async function refusal({ status, body }: OpenedResponse, key: string): Promise<unknown> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const bytes of body as AsyncIterable<Buffer>) {
      length += bytes.length;
      if (length > maxErrorBytes) break;
      pieces.push(bytes);
    }
  } catch {
    // Without a readable body, the status alone describes the failure.
  }
  body.destroy();
  return redactKey(toUpstreamError(status, Buffer.concat(pieces)), key);
}
