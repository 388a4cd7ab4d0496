import type { ObjectApi } from '../../dialects/contract.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import type { Usage } from '../../shared/usage.js';

/** A maker's report about a batch. */
export interface BatchReport {
  readonly id: string;
  /** Whether the maker works on it no longer. */
  readonly isOver: boolean;
  /** Whether it can be cancelled, and was not yet. */
  readonly isCancellable: boolean;
  /** Calls that have ended, of all calls. */
  readonly done: number;
  readonly total: number;
  /** Why the batch has no results, or not all of them; empty when it is complete. */
  readonly reason: string;
  /** Paths of the results, each a file of lines. */
  readonly results: readonly string[];
  /** The results that the description itself has. */
  readonly lines: readonly Fields[];
  /** Ids of the files that have the results. The owner of the batch may read them. */
  readonly files: readonly string[];
}

/** The list of a maker's batches, by which one is found whose creation was not confirmed. */
interface BatchList {
  readonly path: string;
  /** Whether a batch was created by this request. */
  isOf(batch: Fields, requestId: string): boolean;
  /**
   * Reads a page.
   * @param since Unix seconds; older batches are not looked for
   * @returns next: the path of the next page; null when none is needed
   */
  read(page: Fields, since: number): { readonly batches: readonly Fields[]; readonly next: string | null };
}

export interface BatchPage {
  readonly data: readonly Fields[];
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** How the batches of one maker are read. */
export interface BatchDialect {
  readonly api: ObjectApi;
  /** Returns the id of the batch that the last part of a path names. */
  idOf(part: string): string;
  pathOf(id: string): string;
  /** Follows the path of a batch where it is cancelled. */
  readonly cancelling: string;
  report(batch: Fields): BatchReport;
  /** Null where no batch names the request that created it. */
  readonly list: BatchList | null;
  /** Returns a batch as its owner may see it. */
  shown(batch: Fields): Fields;
  /** Returns a batch that its owner may see as it is stored: without content. */
  stored(shown: Fields): Fields;
  /** Whether that is the whole batch. If it is not, the maker is asked for the content. */
  readonly isStoredWhole: boolean;
  /** The most bytes of a description. Absent where it has no results. */
  readonly maxBytes?: number;
  /** Returns the path of the description of a file of results; null where the maker describes none. */
  filePathOf(id: string): string | null;
  /**
   * Returns a batch as it is sent to its owner.
   * @param address of this server, as the client reached it
   */
  presented(batch: Fields, address: string): Fields;
  /** Returns a page of a list, newest first. */
  page(page: BatchPage): Fields;
  /** The parameters of a list that give the length of the page, and name the batch before it. */
  readonly sizeName: string;
  readonly afterName: string;
  /** Returns a batch as long as its results were not charged. */
  unfinished(batch: Fields): Fields;
  /** Returns the name that the client gave a line of the results; empty where it gave none. */
  nameOf(line: Fields): string;
  /** Whether a line of the results is a response, and not a failure. */
  isAnswered(line: Fields): boolean;
  /** Returns the usage in a line that is a response; null when it reports none. */
  usageOf(line: Fields, endpoint: string): Usage | null;
}
