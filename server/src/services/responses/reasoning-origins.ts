import { hash } from 'node:crypto';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Logger } from '../../platform/observability/logger.js';

/** The channel and key that created a response. */
export interface ReasoningOrigin {
  readonly channelId: number;
  readonly keyMark: string;
}

/**
 * Stores which account created encrypted reasoning: no other account can read it, and another account refuses the whole
 * call. Origins are in the shared state, by token and a digest of the reasoning.
 */
export class ReasoningOrigins {
  /** Origins that are being written. A client may continue as soon as it has read the response. */
  private readonly pending = new Map<string, ReasoningOrigin>();

  /** @param seconds how long an origin is known; 0 when nothing is stored */
  constructor(
    private readonly state: Pick<SharedState, 'get' | 'set'>,
    private readonly logger: Logger,
    private readonly seconds: number,
  ) {}

  get enabled(): boolean {
    return this.seconds > 0;
  }

  /** Stores an origin without waiting. A failure is logged, because the response was served. */
  keep(tokenId: number, proof: string, origin: ReasoningOrigin): void {
    const name = nameOf(tokenId, proof);
    this.pending.set(name, origin);
    this.state
      .set(name, JSON.stringify(origin), this.seconds)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'origin of reasoning could not be stored'))
      .finally(() => this.pending.delete(name));
  }

  /** @returns null when the origin is unknown or another token's */
  async find(tokenId: number, proof: string): Promise<ReasoningOrigin | null> {
    const name = nameOf(tokenId, proof);
    const pending = this.pending.get(name);
    if (pending) return pending;
    const text = await this.state.get(name);
    return text === null ? null : (JSON.parse(text) as ReasoningOrigin);
  }
}

const nameOf = (tokenId: number, proof: string): string => `reasoning:${tokenId}:${hash('sha256', proof, 'base64url')}`;
