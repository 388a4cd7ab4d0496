import type { Example, FindingCode } from '../../findings.js';
import type { SourceDatabase } from '../source.js';

/** Environment variables that the configuration names. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface LiteLlmSource {
  /** Path of `config.yaml`. */
  readonly path: string;
  readonly environment: Environment;
  /** The database of the proxy with its virtual keys; null if it has none. */
  readonly keys: SourceDatabase | null;
  /** Unix seconds. */
  readonly now: number;
  /** Creates the text of a new key from the digest of an old key. */
  readonly newKey: (digest: string) => string;
}

/** Collects findings until the run reads them. */
export class Notes {
  readonly list: Array<Example & { readonly code: FindingCode }> = [];

  add(code: FindingCode, table: string, id: number | string, detail = ''): void {
    this.list.push({ code, table, id: String(id), detail });
  }
}

export type Reading = LiteLlmSource & { readonly findings: Notes };
