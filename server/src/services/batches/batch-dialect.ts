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
  /** Ids of the files that have the results. The owner of the batch may read them. */
  readonly files: readonly string[];
}

export interface BatchPage {
  readonly data: readonly Fields[];
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** How the batches of one maker are read. */
export interface BatchDialect {
  readonly api: ObjectApi;
  pathOf(id: string): string;
  report(batch: Fields): BatchReport;
  /**
   * Path of the list, newest first, by which a batch is found whose creation was not confirmed. Null where no batch names
   * its creation.
   */
  readonly listPath: string | null;
  /** Whether a batch of the list was created by this request. */
  isOf(batch: Fields, requestId: string): boolean;
  /** Returns a batch as it is stored for its owner. */
  shown(batch: Fields): Fields;
  /**
   * Returns a stored batch as its owner sees it.
   * @param address of this server, as the client reached it
   */
  presented(batch: Fields, address: string): Fields;
  /** Returns a page of a list, newest first. */
  page(page: BatchPage): Fields;
  /** The parameter of a list that names the batch before the page. */
  readonly afterName: string;
  /** Returns a batch as long as its results were not charged. */
  unfinished(batch: Fields): Fields;
  /** Whether a line of the results is a response, and not a failure. */
  isAnswered(line: Fields): boolean;
  /** Returns the usage in a line that is a response; null when it reports none. */
  usageOf(line: Fields, endpoint: string): Usage | null;
}
