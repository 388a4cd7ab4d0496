import type { ImportOptions } from './options.js';
import type { ProgressState } from './progress.js';
import type { ImportReport } from './report.js';

/** The first line of the standard input of `job.main.ts`, as JSON. The input stays open while the server lives. */
export interface JobOrder {
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  readonly isDryRun: boolean;
  readonly options: ImportOptions;
}

/**
 * Reasons why a job ended without a report. `SOURCE_REFUSED`: the source cannot be opened, read or imported.
 * `SITE_REFUSED`: this site cannot receive an import. `FILE_MISSING`: no node has the uploaded file. `BUSY`: another
 * process imports into this database, and the server retries. `FAILED`: any other reason.
 */
export const jobFailures = ['SOURCE_REFUSED', 'SITE_REFUSED', 'FILE_MISSING', 'FAILED'] as const;
export type JobFailure = (typeof jobFailures)[number];

/** Lines of the standard output of `job.main.ts`, as JSON. The last line is a report, a failure or `stopped`. */
export type JobMessage =
  | { readonly kind: 'progress'; readonly progress: ProgressState }
  | { readonly kind: 'report'; readonly report: ImportReport }
  | { readonly kind: 'failure'; readonly code: JobFailure | 'BUSY'; readonly message: string }
  | { readonly kind: 'stopped' };
