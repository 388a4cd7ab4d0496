import type { BodyGrant } from '../../../gateway/admit/body-budget.js';
import { asFields, asList, someText, type Fields } from '../../../dialects/neutral/fields.js';
import { sizeOf } from '../json-pieces.js';

/** The conversation that a call continues. */
export interface Conversation {
  /** Id of the response before the first item, which its provider stores; null when there is none. */
  readonly previousId: string | null;
  readonly items: readonly unknown[];
}

interface Kept extends Conversation {
  readonly id: string;
}

/**
 * Keeps the conversation of the latest response that the client asked not to store. It lives as long as the connection,
 * and its bytes count like those of a request body.
 */
export class KeptConversation {
  private kept: Kept | null = null;
  private isClosed = false;

  constructor(private readonly grant: BodyGrant) {}

  /** @returns null for the id of another response */
  find(id: string): Conversation | null {
    return this.kept?.id === id ? this.kept : null;
  }

  /** @param asked the conversation that the response belongs to */
  keep(asked: Conversation, response: Fields): void {
    const id = someText(response['id']);
    // A call may end after its connection, when the bytes would never be released.
    if (id === undefined || this.isClosed) return;
    const items = [...asked.items, ...asList(response['output']).filter(isComplete)];
    this.forget();
    try {
      this.grant.grow(sizeOf(items));
      this.kept = { id, previousId: asked.previousId, items };
    } catch {
      // The budget has no room. The client will get an error that the response is unknown, and sends the whole
      // conversation.
      this.grant.release();
    }
  }

  /** Releases the bytes. Call it when the connection is closed. */
  close(): void {
    this.isClosed = true;
    this.forget();
  }

  private forget(): void {
    this.kept = null;
    this.grant.release();
  }
}

/**
 * Whether an item can be sent back. A provider that stores nothing cannot use reasoning without its encrypted content.
 */
const isComplete = (given: unknown): boolean => {
  const item = asFields(given);
  return item?.['type'] !== 'reasoning' || someText(item['encrypted_content']) !== undefined;
};
