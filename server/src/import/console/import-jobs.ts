import type { JobFailure } from '../job-protocol.js';
import type { LogChoice, ImportOptions } from '../options.js';
import type { ProgressState } from '../progress.js';
import type { ImportReport } from '../report.js';
import type { Secrets } from '../../shared/secrets.js';

/**
 * The states of a job. `READY`: it has a source. `CHECKING` and `CHECKED` belong to the dry run, `MOVING` and `MOVED`
 * to the import. A job that failed or was cancelled keeps its source, and continues when it is started again.
 */
export const importStates = ['READY', 'CHECKING', 'CHECKED', 'MOVING', 'MOVED', 'FAILED', 'CANCELLED'] as const;
export type ImportState = (typeof importStates)[number];

/** The address of the data. It contains passwords, so it is stored encrypted. */
export interface JobSource {
  /** The connection string of the database. Null if the source is the uploaded file. */
  readonly connection: string | null;
  readonly logConnection: string | null;
  readonly keysConnection: string | null;
  /** Environment variables that a `config.yaml` names. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface JobChoices {
  readonly logs: LogChoice;
  readonly decisions: ImportOptions['decisions'];
}

/** The job of the console. At most one exists. */
export interface ImportJob {
  readonly state: ImportState;
  readonly sourceName: string;
  /** Folder of the uploaded file; empty if the source is a connection. */
  readonly folder: string;
  readonly source: JobSource;
  readonly choices: JobChoices;
  readonly progress: ProgressState | null;
  readonly preview: ImportReport | null;
  readonly report: ImportReport | null;
  readonly failure: JobFailure | null;
  readonly failureText: string;
  readonly startedBy: number;
}

type Row = Omit<ImportJob, 'source'> & { readonly sealed: string };

/** A source without any address. */
const noSource: JobSource = { connection: null, logConnection: null, keysConnection: null, environment: {} };
const working = `('CHECKING', 'MOVING')`;
/** When a lease has expired, the process that worked on the job is dead. */
const leaseSeconds = 20;
/** Hours after which a source that was given and not used is deleted. */
const unusedHours = 24;
/** Seconds after which an uploaded file that no node has counts as lost. */
const patienceSeconds = 60;

interface Queries {
  query<Result>(sql: string, parameters?: unknown[]): Promise<Result>;
}

/**
 * Stores the job. Each update names the states that the job may have before it, because several nodes write the row.
 */
export class ImportJobs {
  constructor(
    private readonly database: Queries,
    private readonly secrets: Secrets,
  ) {}

  /** Returns the job, if there is one. */
  async find(): Promise<ImportJob | null> {
    const [row] = await this.database.query<Row[]>(
      `SELECT state, source_name AS "sourceName", folder, source_sealed AS sealed, choices, progress, preview, report, failure,
              failure_text AS "failureText", started_by AS "startedBy" FROM import_jobs`,
    );
    if (!row) return null;
    const { sealed, ...job } = row;
    return { ...job, source: JSON.parse(this.secrets.open(sealed)) as JobSource };
  }

  /**
   * Replaces the job by a new one with an uploaded file.
   * @returns false while a job is running
   */
  replace(name: string, folder: string, choices: JobChoices, startedBy: number): Promise<boolean> {
    return this.store('READY', name, noSource, folder, choices, startedBy);
  }

  /**
   * Begins a dry run.
   * @returns false while a job is running
   */
  beginCheck(
    ...job: [name: string, source: JobSource, folder: string, choices: JobChoices, startedBy: number]
  ): Promise<boolean> {
    return this.store('CHECKING', ...job);
  }

  private async store(
    state: ImportState,
    name: string,
    source: JobSource,
    folder: string,
    choices: JobChoices,
    startedBy: number,
  ): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `INSERT INTO import_jobs AS job (state, source_name, folder, source_sealed, choices, started_by)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET state = $1, source_name = $2, folder = $3, source_sealed = $4, choices = $5,
         started_by = $6, progress = NULL, preview = NULL, report = NULL, failure = NULL, failure_text = '',
         owner = '', lease_until = now(), updated_at = now()
       WHERE job.state NOT IN ${working} RETURNING id`,
      [state, name, folder, this.secrets.seal(JSON.stringify(source)), JSON.stringify(choices), startedBy],
    );
    return rows.length > 0;
  }

  /**
   * Begins or continues the import of a checked source.
   * @returns false if the state of the job has changed meanwhile
   */
  async beginMove(): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET state = 'MOVING', progress = NULL, report = NULL, failure = NULL, failure_text = '',
              owner = '', lease_until = now(), updated_at = now()
        WHERE state IN ('CHECKED', 'FAILED', 'CANCELLED', 'MOVED') AND preview IS NOT NULL RETURNING id`,
    );
  }

  /** Cancels the job. The process that works on it notices this within seconds. */
  cancel(): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET state = 'CANCELLED', progress = NULL, updated_at = now() WHERE state IN ${working} RETURNING id`,
    );
  }

  /**
   * @param queries the transaction that deletes it
   * @returns whether there was a job that could be deleted
   */
  discard(queries: Queries): Promise<boolean> {
    return this.changed(`DELETE FROM import_jobs WHERE state NOT IN ${working} RETURNING id`, [], queries);
  }

  /** Deletes a job that nothing has changed for a day. */
  discardUnused(): Promise<boolean> {
    return this.changed(
      `DELETE FROM import_jobs WHERE state NOT IN ${working} AND updated_at < now() - interval '${unusedHours} hours' RETURNING id`,
    );
  }

  /**
   * Claims a job that no living process works on.
   * @param folders folders of uploaded files that this node has
   */
  async claim(owner: string, folders: readonly string[]): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET owner = $1, lease_until = now() + interval '${leaseSeconds} seconds'
        WHERE state IN ${working} AND lease_until <= now() AND (folder = '' OR folder = ANY ($2)) RETURNING id`,
      [owner, folders],
    );
  }

  /** Fails a job whose file no node has had for a minute. */
  async failWithoutFile(): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET state = 'FAILED', failure = 'FILE_MISSING', updated_at = now(),
              failure_text = 'The uploaded file is no longer there: upload it again.'
        WHERE state IN ${working} AND folder <> '' AND lease_until < now() - interval '${patienceSeconds} seconds' RETURNING id`,
    );
  }

  /**
   * Extends the lease.
   * @returns false if the job was cancelled or belongs to another process
   */
  async renew(owner: string, progress: ProgressState | null): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET lease_until = now() + interval '${leaseSeconds} seconds', progress = coalesce($2, progress)
        WHERE owner = $1 AND state IN ${working} RETURNING id`,
      [owner, progress && JSON.stringify(progress)],
    );
  }

  /** Releases the job, which another attempt or another process continues after some seconds. */
  async release(owner: string, seconds: number): Promise<void> {
    await this.database.query(
      `UPDATE import_jobs SET owner = '', lease_until = now() + make_interval(secs => $2) WHERE owner = $1 AND state IN ${working}`,
      [owner, seconds],
    );
  }

  /** @returns false when the job no longer belongs to this owner, so nothing was stored */
  async finish(owner: string, report: ImportReport): Promise<boolean> {
    // A run that needs decisions of the operator has written nothing: it counts as a dry run.
    const isPreview = report.isDryRun || report.isBlocked;
    return this.changed(
      `UPDATE import_jobs SET state = $2, ${isPreview ? 'preview = $3' : `report = $3, folder = ''`}, progress = NULL,
              owner = '', updated_at = now()
        WHERE owner = $1 AND state IN ${working} RETURNING id`,
      [owner, isPreview ? 'CHECKED' : 'MOVED', JSON.stringify(report)],
    );
  }

  /** @returns as `finish` */
  async fail(owner: string, failure: JobFailure, text: string): Promise<boolean> {
    return this.changed(
      `UPDATE import_jobs SET state = 'FAILED', failure = $2, failure_text = $3, progress = NULL, owner = '', updated_at = now()
        WHERE owner = $1 AND state IN ${working} RETURNING id`,
      [owner, failure, text.slice(0, 2000)],
    );
  }

  private async changed(sql: string, parameters: unknown[] = [], queries: Queries = this.database): Promise<boolean> {
    const result = await queries.query<unknown[] | [unknown[], number]>(sql, parameters);
    // TypeORM returns [rows, count] for UPDATE and DELETE.
    return Array.isArray(result[0]) ? result[0].length > 0 : result.length > 0;
  }
}
