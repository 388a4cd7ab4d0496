import type { DataSource, EntityManager } from 'typeorm';
import { longZoneName, firstOfMonth, dayOf, startOfDay, type CalendarDay } from '../../shared/calendar.js';
import { dateOf } from '../../shared/clock.js';
import { reservedOfBalance } from '../../shared/reserved-of-balance.js';
import type { OptionValues } from '../../options/option.service.js';
import { statementContent, type StatementContent, type StatementDocument } from './statement-content.js';
import { type BillingProfile, Statement, StatementMonth } from './statement.entity.js';
import { creditsOf, readUnstated, takeUnstated, type Unstated, usageOf } from './unstated.js';

/** Hours after the end of a month in which late settlements still arrive before its statements are closed. */
export const closingDelayHours = 6;

/** Accounts in one transaction. */
const batch = 50;
const lock = 5_201_314_002;

interface AccountRow {
  readonly id: number;
  readonly username: string;
  readonly profile: Pick<BillingProfile, 'name' | 'address' | 'taxNumber' | 'notifies'>;
  /** The closing balance of the last statement. Null: there is none. */
  readonly closing: number | null;
}

export interface CloserDeps {
  readonly database: DataSource;
  readonly options: { readonly values: OptionValues };
  /** Stores a notice for an account that wants one, in the transaction that closes its statement. */
  readonly announce: (manager: EntityManager, statement: Statement) => Promise<void>;
}

/**
 * Closes statements. One transaction closes a batch of accounts: it takes the next numbers, records what is stated, and moves the mark of
 * the month. So a killed node leaves whole batches, and two nodes never close an account twice.
 */
export class StatementCloser {
  constructor(private readonly deps: CloserDeps) {}

  /**
   * Closes the next batch of accounts of the oldest month that is not closed.
   * @param now Unix seconds
   * @returns the number of accounts that were read; null when nothing is to be closed, or another node is closing
   */
  async closeNext(now: number): Promise<number | null> {
    return this.deps.database.transaction(async (manager) => {
      const [mine] = await manager.query<Array<{ free: boolean }>>('SELECT pg_try_advisory_xact_lock($1) AS free', [
        lock,
      ]);
      if (!mine?.free) return null;
      const month = await this.openMonth(manager, dateOf(now));
      if (!month) return null;
      const accounts = await readAccounts(manager, month);
      for (const statement of await this.statements(manager, month, accounts)) {
        await manager.insert(Statement, statement);
        if (accounts.find(({ id }) => id === statement.accountId)?.profile.notifies) {
          await this.deps.announce(manager, statement);
        }
      }
      const last = accounts.at(-1);
      await manager.update(
        StatementMonth,
        { month: month.month },
        last ? { lastAccount: last.id } : { closedAt: dateOf(now) },
      );
      return accounts.length;
    });
  }

  /** The month that is being closed, or the next one when it has ended long enough ago. */
  private async openMonth(manager: EntityManager, now: Date): Promise<StatementMonth | null> {
    const [last] = await manager.find(StatementMonth, { order: { month: 'DESC' }, take: 1 });
    if (last && !last.closedAt) return last;
    const timeZone = longZoneName(this.deps.options.values['statements.time_zone']);
    // A site without statements begins with the month before this one. Its statements open with all that was before.
    const first = last ? addMonths(parseMonth(last.month), 1) : firstOfMonth(dayOf(now, timeZone), -1);
    const day = normalized(first);
    const startsAt = last?.endsAt ?? startOfDay(day, timeZone);
    const endsAt = startOfDay(addMonths(day, 1), timeZone);
    if (now.getTime() < endsAt.getTime() + closingDelayHours * 3_600_000) return null;
    const opened = manager.create(StatementMonth, {
      month: monthName(day),
      startsAt,
      endsAt,
      timeZone,
      lastAccount: 0,
      closedAt: null,
    });
    await manager.insert(StatementMonth, opened);
    return opened;
  }

  private async statements(
    manager: EntityManager,
    month: StatementMonth,
    accounts: readonly AccountRow[],
  ): Promise<Statement[]> {
    const fresh = accounts.filter(({ closing }) => closing === null).map(({ id }) => id);
    // The first statement of an account opens with all that was before the site's first month.
    const before = await takeUnstated(manager, fresh, (await firstStart(manager)) ?? month.startsAt, true);
    const within = await takeUnstated(
      manager,
      accounts.map(({ id }) => id),
      month.endsAt,
    );
    const year = Number(month.month.slice(0, 4));
    const [used] = await manager.query<Array<{ last: number }>>(
      'SELECT coalesce(max(number), 0) AS last FROM statements WHERE year = $1',
      [year],
    );
    let number = used?.last ?? 0;
    const closed: Statement[] = [];
    for (const account of accounts) {
      const opening = openingOf(account, before.get(account.id));
      const content = within.get(account.id) ?? nothing;
      if (isEmpty(opening, content)) continue;
      number += 1;
      closed.push(
        manager.create(Statement, {
          accountId: account.id,
          month: month.month,
          year,
          number,
          closedAt: new Date(),
          ...this.amounts(opening, content),
          content: statementContent.parse({ ...content, ...this.frame(account, month) }),
        }),
      );
    }
    return closed;
  }

  private amounts(opening: number, unstated: Unstated): Pick<Statement, 'opening' | 'credits' | 'usage' | 'closing'> {
    const credits = creditsOf(unstated);
    const usage = usageOf(unstated);
    return { opening, credits, usage, closing: opening + credits - usage };
  }

  /** The part of the content that does not depend on what happened. */
  private frame(
    { username, profile }: AccountRow,
    { startsAt, endsAt, timeZone }: Pick<StatementMonth, 'startsAt' | 'endsAt' | 'timeZone'>,
  ): Omit<StatementContent, keyof Unstated> {
    const { values } = this.deps.options;
    return {
      startsAt: startsAt.toISOString(),
      endsAt: endsAt.toISOString(),
      timeZone,
      seller: this.seller(),
      buyer: { username, name: profile.name, address: profile.address, taxNumber: profile.taxNumber },
      quotaPerUnit: values.QuotaPerUnit,
      inCurrency: values.DisplayInCurrencyEnabled,
    };
  }

  private seller(): StatementContent['seller'] {
    const { values } = this.deps.options;
    return {
      name: values['statements.seller_name'] || values.SystemName,
      address: values['statements.seller_address'],
      taxNumber: values['statements.seller_tax_id'],
      note: values['statements.note'],
    };
  }

  /**
   * What the statement of the current month would say now: everything that is in no statement yet. Changes nothing.
   * @returns null for an unknown account
   */
  async preview(account: number, now: Date): Promise<StatementDocument | null> {
    return this.deps.database.transaction('REPEATABLE READ', async (manager) => {
      const [row] = await manager.query<AccountQueryRow[]>(`${accountSql} WHERE u.id = $1`, [account]);
      if (!row) return null;
      const known = toAccount(row);
      const timeZone = longZoneName(this.deps.options.values['statements.time_zone']);
      // Until its statements are closed, the month before is previewed, without what is in the next one.
      const running = firstOfMonth(dayOf(new Date(now.getTime() - closingDelayHours * 3_600_000), timeZone));
      const [last] = await manager.find(StatementMonth, { order: { month: 'DESC' }, take: 1 });
      const next = last ? addMonths(parseMonth(last.month), 1) : running;
      // A closed month can still run in a time zone that was set since.
      const day = monthName(next) > monthName(running) ? next : running;
      const startsAt = last?.endsAt ?? startOfDay(day, timeZone);
      const endsAt = startOfDay(addMonths(day, 1), timeZone);
      const isNew = known.closing === null;
      const all = (await readUnstated(manager, [account], endsAt, isNew)).get(account) ?? nothing;
      const first = (await firstStart(manager)) ?? startsAt;
      const before = isNew ? (await readUnstated(manager, [account], first, true)).get(account) : undefined;
      const unstated = before ? without(all, before) : all;
      const opening = openingOf(known, before);
      const [held] = await manager.query<Array<{ amount: string }>>(
        `SELECT ${reservedOfBalance('u.id')} AS amount FROM users u WHERE u.id = $1`,
        [account],
      );
      return {
        id: null,
        number: null,
        accountId: account,
        month: monthName(day),
        closedAt: null,
        ...this.amounts(opening, unstated),
        reserved: Number(held?.amount),
        content: { ...unstated, ...this.frame(known, { startsAt, endsAt, timeZone }) },
      };
    });
  }
}

/** The start of the first month of the site that has statements. */
async function firstStart(manager: EntityManager): Promise<Date | null> {
  const [first] = await manager.find(StatementMonth, { order: { month: 'ASC' }, take: 1 });
  return first?.startsAt ?? null;
}

const nothing: Unstated = { credits: [], payments: [], usage: [] };

/** An account without a balance, of which nothing is to be stated, has no statement. */
const isEmpty = (opening: number, { credits, usage }: Unstated): boolean =>
  opening === 0 && credits.length === 0 && usage.length === 0;

const openingOf = ({ closing }: AccountRow, before: Unstated | undefined): number =>
  closing ?? (before ? creditsOf(before) - usageOf(before) : 0);

/** Returns the part of `all` that is not in `before`. */
function without(all: Unstated, before: Unstated): Unstated {
  const credits = all.credits.map((credit) => {
    const earlier = before.credits.find(({ kind }) => kind === credit.kind);
    return {
      ...credit,
      count: credit.count - (earlier?.count ?? 0),
      amount: credit.amount - (earlier?.amount ?? 0),
    };
  });
  const usage = all.usage.map((line) => {
    const earlier = before.usage.find(
      ({ tokenId, modelName }) => tokenId === line.tokenId && modelName === line.modelName,
    );
    return {
      ...line,
      calls: line.calls - (earlier?.calls ?? 0),
      promptTokens: line.promptTokens - (earlier?.promptTokens ?? 0),
      completionTokens: line.completionTokens - (earlier?.completionTokens ?? 0),
      quota: line.quota - (earlier?.quota ?? 0),
    };
  });
  return {
    credits: credits.filter(({ count, amount }) => count !== 0 || amount !== 0),
    payments: all.payments.filter(
      ({ at, reference }) => !before.payments.some((one) => one.at === at && one.reference === reference),
    ),
    usage: usage.filter(({ calls, quota }) => calls !== 0 || quota !== 0),
  };
}

interface AccountQueryRow {
  readonly id: number;
  readonly username: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly tax_id: string | null;
  readonly notifies: boolean | null;
  readonly closing: string | null;
}

const accountSql = `
  SELECT u.id, u.username, p.name, p.address, p.tax_id, p.notifies,
         (SELECT s.closing FROM statements s WHERE s.account_id = u.id ORDER BY s.month DESC LIMIT 1) AS closing
    FROM users u LEFT JOIN billing_profiles p ON p.account_id = u.id`;

async function readAccounts(manager: EntityManager, month: StatementMonth): Promise<AccountRow[]> {
  const rows = await manager.query<AccountQueryRow[]>(
    `${accountSql} WHERE u.id > $1 AND u.created_at < $2 ORDER BY u.id LIMIT ${batch}`,
    [month.lastAccount, month.endsAt],
  );
  return rows.map(toAccount);
}

const toAccount = ({ id, username, name, address, tax_id, notifies, closing }: AccountQueryRow): AccountRow => ({
  id,
  username,
  profile: { name: name ?? '', address: address ?? '', taxNumber: tax_id ?? '', notifies: notifies ?? false },
  closing: closing === null ? null : Number(closing),
});

const monthName = ({ year, month }: CalendarDay): string => `${year}-${String(month).padStart(2, '0')}`;
const parseMonth = (name: string): CalendarDay => ({
  year: Number(name.slice(0, 4)),
  month: Number(name.slice(5)),
  day: 1,
});
const addMonths = (day: CalendarDay, months: number): CalendarDay => normalized(firstOfMonth(day, months));

/** The day with a month from 1 to 12. */
function normalized({ year, month }: CalendarDay): CalendarDay {
  const first = new Date(Date.UTC(year, month - 1, 1));
  return { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1, day: 1 };
}
