import type { Secrets } from '../../shared/secrets.js';
import { asFields, parseFields, someText } from '../../dialects/neutral/fields.js';

/** The prefix of compactions that this server generated. Only the provider can read other compactions. */
const mark = 'tollgate.';

/** Introduces a summary to the model. */
const introduction = 'This is a summary of the conversation so far. Continue from it:\n\n';

/** A conversation whose summaries can be read by any provider. */
export interface OpenedConversation {
  readonly items: readonly unknown[];
  /** Index, among the given items, of the summary that the conversation continues from; -1 when there is none. */
  readonly begin: number;
}

/**
 * Compactions of conversations that this server generated. The client stores them, sealed, as the `encrypted_content`
 * of an item. Each belongs to the token that it was generated for.
 */
export class SealedSummaries {
  constructor(private readonly secrets: Pick<Secrets, 'seal' | 'open'>) {}

  seal(tokenId: number, summary: string): string {
    return mark + this.secrets.seal(JSON.stringify({ tokenId, summary }));
  }

  /**
   * Returns a conversation with the summaries generated here as messages. A summary that follows its
   * `compaction_trigger` replaces all items before it, except instructions and declared tools. Items that a client sent
   * beside a summary are kept as well.
   */
  opened(given: readonly unknown[], tokenId: number): OpenedConversation {
    const items = given.map((item) => this.openedItem(item, tokenId));
    const begin = items.findLastIndex((item, index) => item !== given[index] && isTrigger(given[index - 1]));
    if (begin < 0) return { items, begin };
    return { items: [...items.slice(0, begin).filter(outlivesSummary), ...items.slice(begin)], begin };
  }

  /** @returns the same item if it is no summary, or a summary of another token */
  private openedItem(given: unknown, tokenId: number): unknown {
    const item = asFields(given);
    if (!item || !isCompaction(item)) return given;
    const sealed = someText(item['encrypted_content']);
    const summary = sealed?.startsWith(mark) ? this.open(sealed.slice(mark.length), tokenId) : null;
    return summary === null ? given : { type: 'message', role: 'user', content: introduction + summary };
  }

  private open(sealed: string, tokenId: number): string | null {
    try {
      const fields = parseFields(this.secrets.open(sealed));
      return fields?.['tokenId'] === tokenId ? (someText(fields['summary']) ?? null) : null;
    } catch {
      // The summary was sealed with another ENCRYPTION_KEY, or changed.
      return null;
    }
  }
}

/** Whether an item asks for a compaction within an ordinary call. */
export const isTrigger = (item: unknown): boolean => asFields(item)?.['type'] === 'compaction_trigger';

/**
 * Whether an item is kept after a summary. A summary contains neither the instructions of the conversation nor its
 * tools.
 */
function outlivesSummary(given: unknown): boolean {
  const { type = 'message', role } = asFields(given) ?? {};
  return type === 'additional_tools' || (type === 'message' && (role === 'system' || role === 'developer'));
}

/** Whether an item is a conversation that its provider, or this server, has made shorter. */
export function isCompaction(item: unknown): boolean {
  const type = asFields(item)?.['type'];
  return type === 'compaction' || type === 'compaction_summary';
}
