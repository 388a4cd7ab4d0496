import type { BodyGrant } from '../../../gateway/admit/body-budget.js';
import { asFields, asList, someText, type Fields } from '../../../dialects/neutral/fields.js';
import { sizeOf } from '../json-pieces.js';

/** A conversation that a call continues. */
export interface Conversation {
  /** The response before its first item, which its provider stores; null: there is none. */
  readonly previousId: string | null;
  readonly items: readonly unknown[];
}

interface Kept extends Conversation {
  readonly id: string;
}

/**
 * The conversation of the latest response that the client asked not to store: it lives as long as the connection, and its
 * bytes count as those of a request body.
 */
export class KeptConversation {
  private kept: Kept | null = null;
  private isClosed = false;

  constructor(private readonly grant: BodyGrant) {}

  /** @returns null when it is another response */
  find(id: string): Conversation | null {
    return this.kept?.id === id ? this.kept : null;
  }

  /** @param asked the conversation that the response answers */
  keep(asked: Conversation, response: Fields): void {
    const id = someText(response['id']);
    // A call may end after its connection: nothing would give the bytes back.
    if (id === undefined || this.isClosed) return;
    const items = [...asked.items, ...asList(response['output']).filter(isComplete)];
    this.forget();
    try {
      this.grant.grow(sizeOf(items));
      this.kept = { id, previousId: asked.previousId, items };
    } catch {
      // No room: the client gets an error that the response is unknown, and sends the whole conversation.
      this.grant.release();
    }
  }

  /** Call when the connection is closed. */
  close(): void {
    this.isClosed = true;
    this.forget();
  }

  private forget(): void {
    this.kept = null;
    this.grant.release();
  }
}

/** Without its proof, a provider that stores nothing does not know a thought. */
const isComplete = (given: unknown): boolean => {
  const item = asFields(given);
  return item?.['type'] !== 'reasoning' || someText(item['encrypted_content']) !== undefined;
};
