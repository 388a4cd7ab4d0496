import type { Secrets } from '../../shared/secrets.js';
import { asFields, parseFields, someText, type Fields } from '../neutral/fields.js';

/** Distinguishes compactions made here from those of providers, which only they can read. */
const mark = 'tollgate.';

/** Introduces a summary to the model. */
const introduction = 'This is a summary of the conversation so far. Continue from it:\n\n';

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
   * An item of an input, with a summary made here as a message.
   * @returns the same item for anything else, and for a summary of another token
   */
  opened(given: unknown, tokenId: number): unknown {
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

const isCompaction = ({ type }: Fields): boolean => type === 'compaction' || type === 'compaction_summary';
