import type { Secrets } from '../../shared/secrets.js';
import { asFields, parseFields, someText, type Fields } from '../../dialects/neutral/fields.js';

/** Distinguishes compactions made here from those of providers, which only they can read. */
const mark = 'tollgate.';

/** Introduces a summary to the model. */
const introduction = 'This is a summary of the conversation so far. Continue from it:\n\n';

/** A conversation whose summaries can be read by any provider. */
export interface OpenedConversation {
  readonly items: readonly unknown[];
  /** Index, among the given items, of the summary that the conversation goes on from; -1: none. */
  readonly begin: number;
}

/**
 * Compactions that this server made of conversations: the client keeps them, sealed, as the `encrypted_content` of an item.
 * Each belongs to the token that it was made for.
 */
export class SealedSummaries {
  constructor(private readonly secrets: Pick<Secrets, 'seal' | 'open'>) {}

  seal(tokenId: number, summary: string): string {
    return mark + this.secrets.seal(JSON.stringify({ tokenId, summary }));
  }

  /**
   * A conversation with the summaries made here as messages. One that follows its `compaction_trigger` stands for all items
   * before it, of which only instructions and declared tools stay. Items that a client sent beside a summary stay as well.
   */
  opened(given: readonly unknown[], tokenId: number): OpenedConversation {
    const items = given.map((item) => this.openedItem(item, tokenId));
    const begin = items.findLastIndex((item, index) => item !== given[index] && isTrigger(given[index - 1]));
    if (begin === -1) return { items, begin };
    return { items: [...items.slice(0, begin).filter(outlivesSummary), ...items.slice(begin)], begin };
  }

  /** @returns the same item for anything but a summary, and for one of another token */
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
      // Sealed with another ENCRYPTION_KEY, or changed.
      return null;
    }
  }
}

/** An item that asks for a compaction within an ordinary call. */
export const isTrigger = (item: unknown): boolean => asFields(item)?.['type'] === 'compaction_trigger';

/** A summary has what was said, but neither the rules of the conversation nor its tools. */
function outlivesSummary(given: unknown): boolean {
  const { type = 'message', role } = asFields(given) ?? {};
  return type === 'additional_tools' || (type === 'message' && (role === 'system' || role === 'developer'));
}

const isCompaction = ({ type }: Fields): boolean => type === 'compaction' || type === 'compaction_summary';
