import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Secrets } from '../../shared/secrets.js';
import type { BodyGrant } from '../../gateway/admit/body-budget.js';
import { asFields, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { requestIdOf } from '../../dialects/languages/responses/response-object.js';

/** A response that a client may continue, read or delete by its id. */
export interface StoredResponse {
  readonly channelId: number;
  /** Identifies the key among the channel's keys. */
  readonly keyMark: string;
  /** The response and its conversation. Null when the provider itself stores it. */
  readonly own: {
    /** The response as the client got it. */
    readonly response: Fields;
    /** The conversation up to and including the response, as items of an input. */
    readonly items: readonly unknown[];
  } | null;
  /** Set when a guardrail refused the response, whose id the client may know. */
  readonly refused?: true;
}

/** Maximum characters of one sealed response. A longer conversation cannot be continued by its id. */
const maxLength = 4 * 1024 * 1024;
/** Maximum bytes of one response with its conversation, before compression. */
export const maxStoredBytes = 16 * 1024 * 1024;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/**
 * Stores responses by token and id, sealed, in the shared state. Responses that a provider stores are read from the
 * channel that created them; for all others the conversation is stored here.
 */
export class StoredResponses {
  /** Responses that are being written. A client may continue a response as soon as it has read it. */
  private readonly pending = new Map<string, StoredResponse>();
  /** Ids of responses that are being written, by the request that their items name. */
  private readonly pendingItems = new Map<string, string>();

  /** @param seconds how long a response can be continued; 0 when nothing is stored */
  constructor(
    private readonly state: Pick<SharedState, 'get' | 'set' | 'delete'>,
    private readonly secrets: Secrets,
    private readonly logger: Logger,
    readonly seconds: number,
  ) {}

  get enabled(): boolean {
    return this.seconds > 0;
  }

  /** Stores a response without waiting. A failure is logged, because the response was served. */
  keep(tokenId: number, id: string, stored: StoredResponse): void {
    const name = nameOf(tokenId, id);
    const itemsName = itemsNameOf(tokenId, stored);
    this.pending.set(name, stored);
    if (itemsName !== null) this.pendingItems.set(itemsName, id);
    this.write(name, itemsName, { id, stored })
      .catch((error: unknown) => this.logger.warn({ err: error }, 'response could not be stored'))
      .finally(() => {
        if (this.pending.get(name) === stored) this.pending.delete(name);
        if (itemsName !== null) this.pendingItems.delete(itemsName);
      });
  }

  /**
   * Finds a response.
   * @param grant counts the bytes that are read for the call
   * @returns null when it is unknown, expired or another token's
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE above the byte budget
   */
  async find(tokenId: number, id: string, grant?: BodyGrant): Promise<StoredResponse | null> {
    const name = nameOf(tokenId, id);
    const pending = this.pending.get(name);
    if (pending) return pending;
    const sealed = await this.state.get(name);
    if (sealed === null) return null;
    const packed = Buffer.from(this.secrets.open(sealed), 'base64');
    const text = await inflate(packed, { maxOutputLength: maxStoredBytes });
    grant?.grow(text.length);
    return parseFields(text.toString('utf8')) as StoredResponse | null;
  }

  /** Finds the response that contains an item that this server generated. */
  async findByItem(tokenId: number, itemId: string, grant?: BodyGrant): Promise<StoredResponse | null> {
    const requestId = requestIdOf(itemId);
    if (requestId === null) return null;
    const name = nameOf(tokenId, requestId);
    const id = this.pendingItems.get(name) ?? (await this.state.get(name));
    return id === null ? null : this.find(tokenId, id, grant);
  }

  /** @returns false when there was no response to remove */
  async remove(tokenId: number, id: string): Promise<boolean> {
    const found = await this.find(tokenId, id);
    this.pending.delete(nameOf(tokenId, id));
    await this.state.delete(nameOf(tokenId, id));
    return found !== null;
  }

  private async write(
    name: string,
    itemsName: string | null,
    { id, stored }: { readonly id: string; readonly stored: StoredResponse },
  ): Promise<void> {
    const text = Buffer.from(JSON.stringify(stored));
    if (text.length > maxStoredBytes) return;
    const packed = await deflate(text, { level: 1 });
    const sealed = this.secrets.seal(packed.toString('base64'));
    // The response was removed or replaced meanwhile.
    if (sealed.length > maxLength || this.pending.get(name) !== stored) return;
    await this.state.set(name, sealed, this.seconds);
    if (itemsName !== null) await this.state.set(itemsName, id, this.seconds);
  }
}

const nameOf = (tokenId: number, id: string): string => `response:${tokenId}:${id}`;

/**
 * Returns the name under which the id is found by an item that this server generated; null when there is no such item.
 */
function itemsNameOf(tokenId: number, stored: StoredResponse): string | null {
  const ids = stored.own?.items.map((each) => requestIdOf(asFields(each)?.['id'])) ?? [];
  const requestId = ids.findLast((each) => each !== null) ?? null;
  return requestId === null ? null : nameOf(tokenId, requestId);
}
