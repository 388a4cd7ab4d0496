import {
  batchPlatform,
  creativeKind,
  type CreativeTask,
  finished,
  type TaskLedger,
} from '../../console/tasks/index.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { parseFields, type Fields } from '../../dialects/neutral/fields.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import { withoutKey } from '../../gateway/send/redact-key.js';
import { BatchBill, type BatchNote } from '../../gateway/settle/batch-bill.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import { secondsIn, wholeSecond, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import { KeptObjects } from '../objects/kept-objects.js';
import type { ObjectAccount, ObjectAccounts } from '../objects/object-accounts.js';
import type { ObjectExchange } from '../objects/object-exchange.js';
import { shownObject, type ShownObject } from '../objects/shown-object.js';
import { changes, text } from '../tasks/field.js';
import type { BatchDialect, BatchReport } from './batch-dialect.js';
import { reservationOf, storedBatch, toStored, type BatchStore, type StoredBatch } from './batch-row.js';
import { jsonLines } from './json-lines.js';
import { PollingFailures } from './polling-failures.js';

/** A batch that is over at its maker. */
interface EndedBatch {
  readonly row: CreativeTask;
  readonly dialect: BatchDialect;
  readonly account: ObjectAccount;
  /** The maker's description. */
  readonly batch: Fields;
  readonly report: BatchReport;
}

interface BatchWatchDeps {
  readonly taskLedger: TaskLedger;
  readonly store: BatchStore;
  readonly channels: RoutingDirectory;
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
  readonly dialects: Readonly<Partial<Record<string, BatchDialect>>>;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
  readonly logger: Logger;
}

const rowsAtOnce = 500;
const batchesAtOnce = 8;
/** Milliseconds after which a batch that no list of its maker has was never created. */
const namelessLifetime = 10 * 60_000;
const day = 24 * 3_600_000;
/** Milliseconds after which a batch is cancelled, and after which it is given up. Makers end one within a day. */
const lifetime = 4 * day;
const lastLifetime = 5 * day;
/** Seconds by which the clock of a maker may be late. */
const clockDifference = 600;
const tooLate = 'the batch did not end within five days';
/** Bytes of one line of the results, and of all of them. A line has one response. */
const maxLine = 64 * 1024 * 1024;
const maxResults = 16 * 1024 * 1024 * 1024;
/** Characters of the name of a call in the log. */
const maxName = 512;

/** Follows batches at their makers, and charges each by its results when it has ended. */
export class BatchWatch {
  /** The batches that are being charged, by row. */
  private readonly ending = new Map<number, Promise<void>>();

  private readonly failures: PollingFailures;

  constructor(private readonly deps: BatchWatchDeps) {
    this.failures = new PollingFailures(deps.clock);
  }

  /** Asks for every unfinished batch once. A failure of one does not affect the others. */
  async run(): Promise<void> {
    for (let after = 0; ;) {
      const rows = await this.deps.store.unfinished(batchPlatform, after, rowsAtOnce);
      const deleted = await this.deps.store.deletedUsers(rows.map(({ userId }) => userId));
      const waiting = [...rows];
      const worker = async (): Promise<void> => {
        for (let row = waiting.shift(); row; row = waiting.shift()) {
          if (!this.failures.isWaiting(row.id)) await this.follow(row, deleted.has(row.userId));
        }
      };
      await Promise.all(Array.from({ length: batchesAtOnce }, worker));
      const last = rows.at(-1);
      if (!last || rows.length < rowsAtOnce) return;
      after = last.id;
    }
  }

  /** Looks at a batch. Never throws: the next run repeats it. */
  private async follow(row: CreativeTask, isUserDeleted: boolean): Promise<void> {
    const { logger, clock } = this.deps;
    try {
      await this.look(row, isUserDeleted);
      this.failures.forget(row.id);
    } catch (err) {
      this.failures.note(row.id);
      logger.warn({ err, task: row.id, channelId: row.channelId }, 'a batch could not be followed');
      if (clock.now() - row.submitTime.getTime() > lastLifetime) {
        await this.giveUp(row, tooLate).catch((error: unknown) =>
          logger.error({ err: error, task: row.id }, 'a batch could not be given up'),
        );
      }
    }
  }

  /**
   * Reads the state of an unfinished batch at its maker, and ends the batch here if it has ended there.
   * @param isUserDeleted the batch is then cancelled at its maker, as one that takes too long is
   * @throws when the maker or the database fails; the batch stays as it is
   */
  async look(row: CreativeTask, isUserDeleted = false): Promise<void> {
    const { channels, accounts, clock } = this.deps;
    const stored = storedBatch(row);
    const dialect = this.deps.dialects[stored.api];
    const account = accounts.usable({ channelId: row.channelId, keyMark: row.keyPrint }, stored.api, null);
    if (!dialect || !account) {
      const isRemoved =
        !channels.table.channel(row.channelId) && (await channels.removed([row.channelId])).has(row.channelId);
      if (isRemoved) return this.giveUp(row, `channel ${row.channelId} no longer exists`);
      throw new Error('the account of the batch is not available');
    }
    if (row.taskId === '') {
      const found = await this.find(dialect, account, row);
      if (found) return this.note({ ...row, taskId: dialect.report(found).id }, dialect, account, found);
      if (clock.now() - row.submitTime.getTime() > namelessLifetime) {
        await this.giveUp(row, 'the batch was never confirmed');
      }
      return;
    }
    const batch = await this.ask(account, dialect.pathOf(row.taskId), 'GET', dialect.maxBytes);
    const isLate = clock.now() - row.submitTime.getTime() > lifetime;
    const isCancelled = (isUserDeleted || isLate) && dialect.report(batch).isCancellable;
    const path = dialect.pathOf(row.taskId) + dialect.cancelling;
    const cancelled = isCancelled && (await this.ask(account, path, 'POST'));
    await this.note(row, dialect, account, cancelled && isDescribed(dialect, cancelled) ? cancelled : batch);
  }

  /**
   * Stores the maker's report about a batch, and ends the batch if it is over.
   * @param row with its id at the maker
   */
  async note(row: CreativeTask, dialect: BatchDialect, account: ObjectAccount, batch: Fields): Promise<void> {
    const report = dialect.report(batch);
    if (report.isOver) return this.end({ row, dialect, account, batch, report });
    const { taskLedger, clock } = this.deps;
    const now = wholeSecond(clock.now());
    const progress = report.total > 0 ? Math.min(99, Math.floor((99 * report.done) / report.total)) : row.progress;
    const data = toStored(dialect.stored(dialect.shown(batch)));
    const step = { taskId: row.taskId, status: 'IN_PROGRESS', progress, data };
    const isNew = row.status === 'NOT_START' || changes(step, row);
    if (isNew)
      await taskLedger.move(creativeKind, row.id, { ...step, startTime: row.startTime ?? now, updatedAt: now });
    if (clock.now() - row.submitTime.getTime() > lastLifetime) await this.giveUp(row, tooLate);
  }

  /** Charges a batch that is over. Everyone who waits for its end waits for one reading of its results. */
  private end(ended: EndedBatch): Promise<void> {
    const { id } = ended.row;
    const running = this.ending.get(id);
    if (running) return running;
    const ending = this.charge(ended).finally(() => this.ending.delete(id));
    this.ending.set(id, ending);
    return ending;
  }

  private async charge({ row, dialect, account, batch, report }: EndedBatch): Promise<void> {
    const { taskLedger, clock } = this.deps;
    const bill = await this.bill(row, dialect, account, report);
    const files = await this.describeFiles(dialect, account, report);
    const now = wholeSecond(clock.now());
    const note = { id: row.taskId, lines: storedBatch(row).lines, ended: report.done };
    const { username, channelId } = row;
    const charge = bill.isEmpty ? null : bill.charge({ username, channelId, note }, this.deps.options.values);
    const isDone = charge !== null || report.reason === '';
    const isEnded = await taskLedger.end(
      creativeKind,
      row.id,
      {
        taskId: row.taskId,
        status: isDone ? 'SUCCESS' : 'FAILURE',
        failReason: text(withoutKey(report.reason, account.key), 4000),
        data: toStored(dialect.stored(dialect.shown(batch))),
        startTime: row.startTime ?? now,
        finishTime: now,
        updatedAt: now,
      },
      reservationOf(row),
      charge,
      // The owner may read and delete the files from now on, so not before the charge.
      (transaction) => keepFiles(new KeptObjects(transaction), row, `${dialect.api}/files`, files),
    );
    if (isEnded && charge?.logged && bill.hasRows) await this.splitRow(row, bill, note);
  }

  /** Gives each call of a charged batch a log row. Never throws: the batch keeps its one row after a failure. */
  private async splitRow(row: CreativeTask, bill: BatchBill, note: BatchNote): Promise<void> {
    const { taskLedger, logger } = this.deps;
    try {
      await taskLedger.splitRow(row.requestId, bill.rows({ channelId: row.channelId, note }), bill.roundedCost);
    } catch (err) {
      logger.error({ err, task: row.id }, 'the calls of a batch could not be written as log rows');
    }
  }

  /** Adds up the usage in the results. */
  private async bill(
    row: CreativeTask,
    dialect: BatchDialect,
    account: ObjectAccount,
    { results, lines }: BatchReport,
  ): Promise<BatchBill> {
    const stored = storedBatch(row);
    const hasRows = this.deps.options.values['batches.log_rows'] === 'line';
    const bill = new BatchBill(stored, account.channel.cost, hasRows);
    const refusal = (reason: string): AppError =>
      new AppError('UPSTREAM_INVALID_RESPONSE', `The file of results ${reason}`);
    const add = (line: Fields, bytes: () => number): void => {
      if (!dialect.isAnswered(line)) return;
      const name = text(dialect.nameOf(line), maxName);
      bill.add(dialect.usageOf(line, stored.endpoint) ?? assumed(stored, bytes()), name);
    };
    for (const line of lines) add(line, () => JSON.stringify(line).length);
    for (const path of results) {
      await this.deps.exchange.ask(account, { method: 'GET', path, isOfAnyLength: true }, async (exchange) => {
        for await (const bytes of jsonLines(exchange, { maxLine, maxBytes: maxResults, refusal })) {
          const line = parseFields(bytes.toString('utf8'));
          if (!line) throw refusal('has a line that is no JSON object');
          add(line, () => bytes.length);
        }
      });
    }
    return bill;
  }

  private async describeFiles(
    dialect: BatchDialect,
    account: ObjectAccount,
    { files }: BatchReport,
  ): Promise<ShownObject[]> {
    const described: ShownObject[] = [];
    for (const id of files) {
      const path = dialect.filePathOf(id);
      const file =
        path === null ? undescribedFile(this.deps.clock, id) : shownObject(dialect.api, await this.ask(account, path));
      if (file) described.push(file);
    }
    return described;
  }

  /** Finds a batch whose creation was not confirmed in the list of its maker, which is read back to the creation. */
  private async find({ list }: BatchDialect, account: ObjectAccount, row: CreativeTask): Promise<Fields | null> {
    const since = secondsIn(row.submitTime.getTime()) - clockDifference;
    for (let path = list?.path ?? null; list && path !== null;) {
      const { batches, next } = list.read(await this.ask(account, path), since);
      const found = batches.find((batch) => list.isOf(batch, row.requestId));
      if (found) return found;
      path = next;
    }
    return null;
  }

  private ask(
    account: ObjectAccount,
    path: string,
    method: 'GET' | 'POST' = 'GET',
    maxBytes?: number,
  ): Promise<Fields> {
    const { exchange } = this.deps;
    return exchange.ask(account, { method, path }, async (answer) => {
      const fields = parseFields((await exchange.collect(answer, maxBytes)).toString('utf8'));
      if (!fields) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not JSON');
      return fields;
    });
  }

  /** Ends a batch of which no results will come. Its whole reservation is returned. */
  private async giveUp(row: CreativeTask, reason: string): Promise<void> {
    const now = wholeSecond(this.deps.clock.now());
    this.failures.forget(row.id);
    const fields = { status: 'FAILURE', failReason: reason, finishTime: now, updatedAt: now };
    await this.deps.taskLedger.end(creativeKind, row.id, fields, reservationOf(row), null);
  }
}

/** Records the owner of the batch as the owner of its result files. */
async function keepFiles(
  objects: KeptObjects,
  row: CreativeTask,
  kind: string,
  files: readonly ShownObject[],
): Promise<void> {
  const { userId, tokenId, channelId, keyPrint: keyMark } = row;
  for (const file of files) await objects.keep({ userId, tokenId, channelId, keyMark }, kind, file);
}

/** Milliseconds for which Google keeps files (https://ai.google.dev/gemini-api/docs/files, November 2026). */
const fileLifetime = 2 * day;

/** Returns a file of results that its maker does not describe. */
const undescribedFile = (clock: Clock, id: string): ShownObject => ({
  id,
  names: [id],
  bytes: 0,
  expiresAt: new Date(clock.now() + fileLifetime),
  shown: { name: id },
});

/** Whether a response describes a batch. Google answers a cancellation with nothing. */
export const isDescribed = (dialect: BatchDialect, answer: Fields): boolean => dialect.report(answer).id !== '';

/** Bytes of a token in a response that reports no usage. */
const tokenBytes = 4;

/** Returns the usage of a response that reports none: the estimated prompt of a line, and the length of the response. */
const assumed = ({ meanPrompt, endpoint }: StoredBatch, bytes: number): Usage => ({
  ...noUsage,
  promptTokens: meanPrompt,
  completionTokens: endpoint === '/v1/embeddings' ? 0 : Math.ceil(bytes / tokenBytes),
});

/** Whether a batch has ended here. */
export const isEnded = ({ progress }: CreativeTask): boolean => progress === finished;

/** Whether the maker refused a request, so that it did nothing. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status >= 400 && error.status < 500;
