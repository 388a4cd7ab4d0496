import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { SharedState } from '../../cache/shared-state.js';
import type { Logger } from '../../observability/logger.js';
import type { Secrets } from '../../shared/secrets.js';
import { parseFields, type Fields } from '../neutral/fields.js';
import { requestIdOf } from '../protocols/responses/response-object.js';

/** A response that a client may continue, read or delete by its id. */
export interface StoredResponse {
  readonly channelId: number;
  /** Tells the channel's key among several. */
  readonly keyMark: string;
  /** Null: the provider itself stores it. */
  readonly own: {
    /** As the client read it. */
    readonly response: Fields;
    /** The conversation up to and including the response, as items of an input. */
    readonly items: readonly unknown[];
  } | null;
}

/** Characters of one sealed response. A longer conversation cannot be continued by its id. */
const maxLength = 4 * 1024 * 1024;
const maxInflated = 64 * 1024 * 1024;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const keyMarkOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

/**
 * Responses by token and id, sealed, in the shared state. Providers that store responses are asked by the channel that made
 * them; for all others the conversation is stored here.
 */
export class StoredResponses {
  /** Being written: a client may continue a response as soon as it has read it. */
  private readonly pending = new Map<string, StoredResponse>();

  /** @param seconds how long a response can be continued; 0: not at all */
  constructor(
    private readonly state: Pick<SharedState, 'get' | 'set' | 'delete'>,
    private readonly secrets: Secrets,
    private readonly logger: Logger,
    readonly seconds: number,
  ) {}

  get enabled(): boolean {
    return this.seconds > 0;
  }

  /** Stores without waiting. A failure is logged: the response was served. */
  keep(tokenId: number, id: string, stored: StoredResponse): void {
    const name = nameOf(tokenId, id);
    this.pending.set(name, stored);
    this.write(tokenId, id, stored)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'response could not be stored'))
      .finally(() => {
        if (this.pending.get(name) === stored) this.pending.delete(name);
      });
  }

  /** @returns null when it is unknown, expired or another token's */
  async find(tokenId: number, id: string): Promise<StoredResponse | null> {
    const name = nameOf(tokenId, id);
    const pending = this.pending.get(name);
    if (pending) return pending;
    const sealed = await this.state.get(name);
    if (sealed === null) return null;
    const packed = Buffer.from(this.secrets.open(sealed), 'base64');
    const text = (await inflate(packed, { maxOutputLength: maxInflated })).toString('utf8');
    return parseFields(text) as StoredResponse | null;
  }

  /** The response that holds an item of this server's making. */
  async findByItem(tokenId: number, itemId: string): Promise<StoredResponse | null> {
    const requestId = requestIdOf(itemId);
    const id = requestId === null ? null : await this.state.get(nameOf(tokenId, requestId));
    return id === null ? null : this.find(tokenId, id);
  }

  /** @returns false when there was none */
  async remove(tokenId: number, id: string): Promise<boolean> {
    const found = await this.find(tokenId, id);
    this.pending.delete(nameOf(tokenId, id));
    await this.state.delete(nameOf(tokenId, id));
    return found !== null;
  }

  private async write(tokenId: number, id: string, stored: StoredResponse): Promise<void> {
    const packed = await deflate(Buffer.from(JSON.stringify(stored)), { level: 1 });
    const sealed = this.secrets.seal(packed.toString('base64'));
    if (sealed.length > maxLength) return;
    await this.state.set(nameOf(tokenId, id), sealed, this.seconds);
    const item = stored.own?.items.findLast((each) => requestIdOf((each as Fields)['id']) !== null);
    const requestId = item ? requestIdOf((item as Fields)['id']) : null;
    if (requestId !== null) await this.state.set(nameOf(tokenId, requestId), id, this.seconds);
  }
}

const nameOf = (tokenId: number, id: string): string => `response:${tokenId}:${id}`;
