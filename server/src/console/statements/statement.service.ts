import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { andAmong } from '../../platform/db/conditions.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { holds, requireAccount, requireConfirmed, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { csvPieces } from '../../shared/csv.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import {
  BillingProfile,
  type Statement,
  type StatementCloser,
  type StatementContent,
  type StatementDocument,
  StatementMonth,
  toDocument,
} from '../../billing/statements/index.js';
import { type Paper, toPaper } from './statement-paper.js';
import { paperPdf } from './statement-pdf.js';
import type { PaperLanguage } from './statement-texts.js';
import { lineColumns, linesOf, type StatementLine, summaryColumns } from './statement-csv.js';

/** Conditions on statements. Absent fields do not restrict; an empty list matches nothing. */
export interface StatementFilter {
  readonly accountIds?: readonly number[];
  /** Months, such as `2026-11`. */
  readonly months?: readonly string[];
}

export type StatementSortField = 'id' | 'month' | 'usage' | 'closing';
export type ProfileInput = Partial<Omit<BillingProfile, 'accountId'>>;

export interface StatementDeps {
  readonly statements: Repository<Statement>;
  readonly closer: Pick<StatementCloser, 'preview'>;
  readonly clock: Clock;
}

const sortKeys: SortKeys<Statement, StatementSortField> = {
  id: { sql: 'one.id', value: ({ id }) => id },
  month: { sql: 'one.month', value: ({ month }) => month },
  usage: { sql: 'one.usage', value: ({ usage }) => usage },
  closing: { sql: 'one.closing', value: ({ closing }) => closing },
};

/** The columns of lists: all but the content. */
const listed = [
  ...(['id', 'accountId', 'month', 'year', 'number', 'closedAt'] as const),
  ...(['opening', 'credits', 'usage', 'closing'] as const),
] satisfies Array<keyof Statement>;
const withoutLines = JSON.stringify({ credits: [], payments: [], usage: [] });

const exportBatch = 200;
const maxPdfLines = 300;
const maxLengths = { name: 200, address: 500, taxNumber: 100 } as const;

/** Statements for their accounts, and for admins who may see payments. */
export class StatementService {
  constructor(private readonly deps: StatementDeps) {}

  /**
   * Statements of all accounts, newest first unless sorted.
   * @param withLines whether to read movements, payments and usage, which are empty otherwise
   */
  async list(
    actor: MaybeActor,
    filter: StatementFilter,
    query: ListQuery<StatementSortField>,
    withLines = false,
  ): Promise<Slice<StatementDocument>> {
    requirePermission(actor, 'payments');
    return this.read(filter, query, withLines);
  }

  /** The caller's own statements, as `list` reads them. */
  async listOwn(
    actor: MaybeActor,
    { months }: StatementFilter,
    query: ListQuery<StatementSortField>,
    withLines = false,
  ): Promise<Slice<StatementDocument>> {
    const { id } = requireAccount(actor, 'wallet');
    return this.read({ accountIds: [id], ...(months && { months }) }, query, withLines);
  }

  /** Months of which statements are closed, such as `2026-11`, the newest first. */
  async months(actor: MaybeActor): Promise<string[]> {
    requirePermission(actor, 'payments');
    const months = await this.deps.statements.manager.find(StatementMonth, { order: { month: 'DESC' } });
    return months.map(({ month }) => month);
  }

  /** @throws AppError NOT_FOUND, also for statements that the caller may not read */
  async get(actor: MaybeActor, id: number): Promise<StatementDocument> {
    const reader = requireAccount(actor, 'wallet');
    const statement = await this.deps.statements.findOneBy({ id });
    if (!statement || (statement.accountId !== reader.id && !holds(reader, 'payments'))) {
      throw new NotFoundError('Statement', id);
    }
    return toDocument(statement);
  }

  /**
   * What the statement of the current month would say now.
   * @param accountId the caller's own when absent
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND
   */
  async preview(actor: MaybeActor, accountId?: number | null): Promise<StatementDocument> {
    const account = this.accountFor(actor, accountId);
    const preview = await this.deps.closer.preview(account, new Date(this.deps.clock.now()));
    if (!preview) throw new NotFoundError('User', account);
    return preview;
  }

  /** The lines of a statement as CSV. Their amounts add up to the closing balance. */
  async csv(actor: MaybeActor, id: number): Promise<AsyncIterable<string>> {
    const lines = linesOf(await this.get(actor, id));
    return csvPieces<StatementLine, StatementLine>(lineColumns, {
      rowsPerRead: lines.length + 1,
      read: () => Promise.resolve(lines),
      show: (rows) => rows,
    });
  }

  /**
   * Returns the texts of a print page.
   * @param id of a closed statement; null: the preview of the current month
   * @param accountId of the preview, the caller's own when absent
   */
  async paper(actor: MaybeActor, id: number | null, language: PaperLanguage, accountId?: number): Promise<Paper> {
    return toPaper(id === null ? await this.preview(actor, accountId) : await this.get(actor, id), language);
  }

  /** A statement as a PDF file. Usage has at most 300 lines there; the rest is one line, and each is in the CSV file. */
  async pdf(actor: MaybeActor, id: number | null, language: PaperLanguage, accountId?: number): Promise<Buffer> {
    const statement = id === null ? await this.preview(actor, accountId) : await this.get(actor, id);
    return paperPdf(toPaper(statement, language, maxPdfLines));
  }

  /**
   * Statements of all accounts as CSV, a line for each, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, before the first piece
   */
  export(actor: MaybeActor, filter: StatementFilter): AsyncIterable<string> {
    const admin = requirePermission(actor, 'payments');
    requireConfirmed(admin);
    return csvPieces<Statement, StatementDocument>(summaryColumns, {
      rowsPerRead: exportBatch,
      read: (behind) =>
        this.query(filter)
          .andWhere('one.id > :behind', { behind: behind?.id ?? 0 })
          .orderBy('one.id')
          .limit(exportBatch)
          .getMany(),
      show: (rows) => rows.map(toDocument),
    });
  }

  /** Returns the name, address and tax number of an account for its statements. */
  async profile(actor: MaybeActor, accountId?: number | null): Promise<BillingProfile> {
    const account = this.accountFor(actor, accountId);
    return this.findProfile(this.deps.statements.manager, account);
  }

  /**
   * Changes it for statements that are closed from now on. Absent fields stay.
   * @throws AppError INVALID_INPUT
   */
  async updateProfile(actor: MaybeActor, input: ProfileInput): Promise<BillingProfile> {
    const { id } = requireAccount(actor, 'wallet');
    for (const [field, length] of Object.entries(maxLengths)) {
      const given = input[field as keyof typeof maxLengths];
      if (given !== undefined && (given.length > length || given.includes('\0'))) {
        throw new InvalidInputError(`At most ${length} characters`, field);
      }
    }
    return this.deps.statements.manager.transaction(async (manager) => {
      const profile = { ...(await this.findProfile(manager, id)), ...input };
      await manager.upsert(BillingProfile, profile, ['accountId']);
      return profile;
    });
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for the account of someone else */
  private accountFor(actor: MaybeActor, accountId: number | null | undefined): number {
    const { id } = requireAccount(actor, 'wallet');
    if (accountId != null && accountId !== id) requirePermission(actor, 'payments');
    return accountId ?? id;
  }

  private async findProfile(manager: EntityManager, accountId: number): Promise<BillingProfile> {
    const found = await manager.findOneBy(BillingProfile, { accountId });
    return found ?? { accountId, name: '', address: '', taxNumber: '', notifies: false };
  }

  private query({ accountIds, months }: StatementFilter): SelectQueryBuilder<Statement> {
    const query = this.deps.statements.createQueryBuilder('one');
    andAmong(query, 'one.account_id', accountIds);
    andAmong(query, 'one.month', months);
    return query;
  }

  private async read(
    filter: StatementFilter,
    query: ListQuery<StatementSortField>,
    withLines: boolean,
  ): Promise<Slice<StatementDocument>> {
    const select = this.query(filter).select(listed.map((column) => `one.${column}`));
    const page = await readSlice<Statement, StatementSortField>(select, query, sortKeys);
    // A statement may have thousands of lines of usage. Lists leave them in the database.
    const contents = await this.deps.statements.manager.query<Array<{ id: number; content: StatementContent }>>(
      `SELECT id, ${withLines ? 'content' : `content || '${withoutLines}'`} AS content FROM statements WHERE id = ANY ($1)`,
      [page.items.map(({ id }) => id)],
    );
    const contentOf = new Map(contents.map(({ id, content }) => [id, content]));
    const items = page.items.flatMap((row) => {
      const content = contentOf.get(row.id);
      return content ? [toDocument({ ...row, content })] : [];
    });
    return { ...page, items };
  }
}
