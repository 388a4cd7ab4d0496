import type { Readable } from 'node:stream';
import type { DataSource, Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { ImportReport } from '../report.js';
import { clearRoot, readRuns, whyNotFresh, type StoredRun } from '../write/site.js';
import { requireConfirmed, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { ConflictError, InvalidInputError } from '../../shared/errors.js';
import type { User } from '../../billing/accounts/index.js';
import { nameOfConnection, parseConnection, parseEnvironment } from './import-address.js';
import { tooLarge, type ImportFiles } from './import-files.js';
import type { JobChoices, JobSource, ImportJob, ImportJobs } from './import-jobs.js';

/** A source to check. Without a connection, the source is the uploaded file or the connection that was given before. */
export interface ImportSource {
  readonly connection: string | null;
  readonly logConnection: string | null;
  readonly keysConnection: string | null;
  /** Environment variables as `NAME=value` lines. */
  readonly environment: string | null;
}

export interface ImportView {
  readonly job: ImportJob | null;
  /** The run that is stored on this site. It was started in the console or by the command. */
  readonly run: StoredRun | null;
  /** The reason why nothing can be imported; null if an import is possible. */
  readonly refusal: string | null;
  readonly maxFileBytes: number;
}

const defaultChoices: JobChoices = {
  logs: 'all',
  decisions: { dropTwoFactor: false, acceptPriceDifferences: false, plans: 'refuse', withContent: false },
};

/**
 * Imports from another program, in the console. Only root may use it, and only on a fresh site or one that was imported
 * into before.
 */
export class ImportService {
  constructor(
    private readonly deps: {
      readonly database: DataSource;
      readonly users: Repository<User>;
      readonly jobs: ImportJobs;
      readonly files: ImportFiles;
      readonly runner: { poke(): void };
      readonly changes: Changes;
      readonly auditLog: AuditLog;
    },
  ) {}

  /** @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES */
  async view(actor: MaybeActor): Promise<ImportView> {
    requireRole(actor, 'root');
    const [job, runs] = await Promise.all([this.deps.jobs.find(), readRuns(this.deps.database)]);
    const refusal = runs.length > 0 ? null : await whyNotFresh(this.deps.database);
    return { job, run: runs[0] ?? null, refusal, maxFileBytes: this.deps.files.maxBytes };
  }

  /** Returns the report of the import, or else that of the dry run; null if there is neither. */
  async report(actor: MaybeActor): Promise<ImportReport | null> {
    requireRole(actor, 'root');
    const job = await this.deps.jobs.find();
    return job?.report ?? job?.preview ?? null;
  }

  /**
   * Stores an uploaded database, and deletes the previous one.
   * @param announced `Content-Length`; NaN without one
   * @throws AppError CONFLICT, CONFIRMATION_NEEDED, INVALID_INPUT, PAYLOAD_TOO_LARGE
   */
  async receive(actor: MaybeActor, body: Readable, announced: number, name: string): Promise<ImportView> {
    const self = await this.importer(actor);
    if (announced > this.deps.files.maxBytes) throw tooLarge(this.deps.files.maxBytes);
    const before = await this.deps.jobs.find();
    const file = await this.deps.files.receive(body, name);
    if (!(await this.deps.jobs.replace(file.name, file.folder, before?.choices ?? defaultChoices, self.id))) {
      await this.deps.files.remove(file.folder);
      throw isWorking();
    }
    await this.deps.files.remove(before?.folder ?? '');
    return this.view(actor);
  }

  /**
   * Begins a dry run.
   * @throws AppError CONFLICT, CONFIRMATION_NEEDED, INVALID_INPUT
   */
  async check(actor: MaybeActor, given: ImportSource, choices: JobChoices): Promise<ImportView> {
    const self = await this.importer(actor);
    const before = await this.deps.jobs.find();
    const { name, folder, source } = this.sourceOf(given, before);
    if (!(await this.deps.jobs.beginCheck(name, source, folder, choices, self.id))) throw isWorking();
    if (before && before.folder !== folder) await this.deps.files.remove(before.folder);
    this.deps.runner.poke();
    return this.view(actor);
  }

  /**
   * Begins or continues the import of a checked source.
   * @returns the view, with the caller as stored now: root gets an id that no user of the source has, because clients
   * send ids
   * @throws AppError CONFLICT, CONFIRMATION_NEEDED
   */
  async start(actor: MaybeActor): Promise<ImportView & { user: User }> {
    const self = await this.importer(actor);
    const { jobs, database, users, changes, auditLog, runner } = this.deps;
    const job = await jobs.find();
    const preview = job?.preview;
    if (!preview || job.state === 'MOVED') throw new ConflictError('Check the source first');
    if (preview.isBlocked) throw new ConflictError('Decide on the findings that block the move, and check again');
    await database.transaction(async (manager) => {
      const change = { action: 'start', subject: 'import', id: preview.source.family, before: null } as const;
      await auditLog.write(manager, self, { ...change, after: { source: job.sourceName } });
    });
    const id = await this.renumber(self, preview.lastUserId);
    if (!(await jobs.beginMove())) throw isWorking();
    await changes.announce({ kind: 'user' }, { kind: 'session' });
    runner.poke();
    const user = await users.findOneByOrFail({ id });
    return { ...(await this.view({ ...self, id })), user };
  }

  /**
   * Cancels the job. Imported rows stay, and a later start continues.
   * @throws AppError CONFLICT when nothing is running
   */
  async cancel(actor: MaybeActor): Promise<ImportView> {
    const self = requireRole(actor, 'root');
    if (!(await this.deps.jobs.cancel())) throw new ConflictError('Nothing is running');
    await this.deps.database.transaction((manager) =>
      this.deps.auditLog.write(manager, self, { action: 'cancel', subject: 'import', id: '', before: null, after: {} }),
    );
    return this.view(actor);
  }

  /**
   * Deletes the source and its file.
   * @throws AppError CONFLICT while it is read
   */
  async discard(actor: MaybeActor): Promise<ImportView> {
    const self = requireRole(actor, 'root');
    const { jobs, database, auditLog, files } = this.deps;
    const job = await jobs.find();
    if (!job) return this.view(actor);
    await database.transaction(async (manager) => {
      if (!(await jobs.discard(manager))) throw isWorking();
      const change = { action: 'delete', subject: 'import', id: job.preview?.source.family ?? '' } as const;
      await auditLog.write(manager, self, { ...change, before: { source: job.sourceName }, after: null });
    });
    await files.remove(job.folder);
    return this.view(actor);
  }

  private async importer(actor: MaybeActor): Promise<Actor> {
    const self = requireRole(actor, 'root');
    requireConfirmed(self);
    const { database } = this.deps;
    const reason = (await readRuns(database)).length > 0 ? null : await whyNotFresh(database);
    if (reason !== null) throw new ConflictError(reason);
    return self;
  }

  private sourceOf(
    { connection, logConnection, keysConnection, environment }: ImportSource,
    before: ImportJob | null,
  ): { name: string; folder: string; source: JobSource } {
    const isNew = connection !== null && connection !== '';
    if (isNew) parseConnection(connection, 'connection');
    else if (!before || (before.folder === '' && before.source.connection === null)) {
      throw new InvalidInputError('Choose a file or give a connection', 'connection');
    }
    for (const [field, text] of Object.entries({ logConnection, keysConnection })) {
      if (text) parseConnection(text, field);
    }
    const kept = isNew ? null : before;
    return {
      name: isNew ? nameOfConnection(connection) : (kept?.sourceName ?? ''),
      folder: kept?.folder ?? '',
      source: {
        connection: isNew ? connection : (kept?.source.connection ?? null),
        // Null keeps the previous value; an empty text removes it.
        logConnection: (logConnection ?? kept?.source.logConnection) || null,
        keysConnection: (keysConnection ?? kept?.source.keysConnection) || null,
        environment: environment === null ? (kept?.source.environment ?? {}) : parseEnvironment(environment),
      },
    };
  }

  /**
   * Gives root another id if necessary.
   * @returns the id of root afterwards
   */
  private async renumber(root: Actor, lastUserId: number): Promise<number> {
    return this.deps.database.transaction(async (manager) => {
      const query = <Row>(text: string, values?: unknown[]): Promise<Row[]> => manager.query<Row[]>(text, values);
      await clearRoot({ query, transaction: (work) => work() }, lastUserId, { names: new Set(), held: new Set() });
      const [row] = await query<{ id: number }>('SELECT id FROM users WHERE username = $1', [root.username]);
      return row?.id ?? root.id;
    });
  }
}

const isWorking = (): ConflictError => new ConflictError('The source is being read. Wait, or cancel it first.');
