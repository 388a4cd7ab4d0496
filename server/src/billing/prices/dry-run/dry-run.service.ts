import type { DataSource } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../../shared/actor.js';
import { millisecondsIn, seconds, systemClock, type Clock } from '../../../shared/clock.js';
import { ConflictError, InvalidInputError } from '../../../shared/errors.js';
import type { PriceCard } from '../../../shared/price-card.js';
import type { OptionValues } from '../../../options/option.service.js';
import { builtInCard } from '../built-in-prices.js';
import { priceOfCall, usualTaskUsd, type Price } from '../compiled-price.js';
import { PriceBook } from '../price-book.js';
import { loggedVideo, videoPriceOf } from '../video-price.js';
import { proposedValues, type ProposedSetting } from '../price-proposal.js';
import type { LoggedFields } from '../logged-fields.js';
import { DryRunTotals, type DryRunFigures, type DryRunLine, type DryRunSkipped } from './dry-run-totals.js';
import { readCalls, type LoggedRow } from './logged-calls.js';
import { adminOf, type RecordedCards } from './logged-quantities.js';
import { whole, type Rounded } from '../rounding.js';
import { rechargeOf } from './recharge.js';
import { withoutPrefix } from '../../../shared/model-pattern.js';

/** A proposal replayed over logged calls. */
export interface DryRun {
  /** Unix milliseconds. The calls of this time were replayed. */
  readonly since: number;
  readonly until: number;
  /** False: there were more calls than one run replays, and `since` is later than what was asked for. */
  readonly isComplete: boolean;
  readonly quotaPerUnit: number;
  readonly total: DryRunFigures;
  readonly skipped: readonly DryRunSkipped[];
  readonly usersPayingMore: number;
  readonly usersPayingLess: number;
  /** The 20 largest differences, the largest first. */
  readonly users: ReadonlyArray<DryRunLine<number> & { readonly username: string }>;
  readonly models: ReadonlyArray<DryRunLine<string>>;
}

export interface DryRunDeps {
  readonly database: DataSource;
  readonly options: { readonly values: OptionValues };
  readonly clock?: Clock;
  /** Rows of one run at most. For tests. */
  readonly maxRows?: number;
}

const maxDays = 31;
const daySeconds = 86_400;
const usualMaxRows = 3_000_000;

/**
 * Replays proposed prices over logged calls: each row is priced again, from the row alone, by the formula of its endpoint.
 * Reads only. For the super admin.
 */
export class DryRunService {
  private isRunning = false;

  constructor(private readonly deps: DryRunDeps) {}

  /**
   * @param settings price settings with other values
   * @param days 1 to 31
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT, CONFLICT while another run is in progress on this node
   */
  async run(actor: MaybeActor, settings: readonly ProposedSetting[], days: number): Promise<DryRun> {
    requirePermission(actor, 'prices.sync');
    if (!(days >= 1 && days <= maxDays)) throw new InvalidInputError(`days must be 1 to ${maxDays}`, 'days');
    const values = proposedValues(this.deps.options.values, settings);
    if (this.isRunning) throw new ConflictError('Another dry run is in progress. Try again when it has ended.');
    this.isRunning = true;
    try {
      return await this.replay(values, days);
    } finally {
      this.isRunning = false;
    }
  }

  private async replay(values: OptionValues, days: number): Promise<DryRun> {
    const { database, clock = systemClock, maxRows = usualMaxRows } = this.deps;
    const until = seconds(clock) + 1;
    const since = until - days * daySeconds;
    const replay = new Replay(values, await this.prefixes());
    const isComplete = await readCalls(database, { since, until, maxRows }, (row) => replay.add(row));
    const { totals } = replay;
    return {
      since: millisecondsIn(isComplete ? since : replay.oldest),
      until: millisecondsIn(until),
      isComplete,
      quotaPerUnit: values.QuotaPerUnit,
      total: totals.total,
      skipped: totals.skipped,
      models: totals.topModels,
      usersPayingMore: totals.usersPayingMore,
      usersPayingLess: totals.usersPayingLess,
      users: await this.named(totals.topUsers),
    };
  }

  /** Routing prefixes by channel: the log has the requested name, which they are part of. */
  private async prefixes(): Promise<ReadonlyMap<number, string>> {
    const rows = await this.deps.database.query<Array<{ id: number; model_prefix: string }>>(
      `SELECT id, model_prefix FROM channels WHERE model_prefix <> ''`,
    );
    return new Map(rows.map((row) => [row.id, row.model_prefix]));
  }

  private async named(lines: ReadonlyArray<DryRunLine<number>>): Promise<DryRun['users']> {
    const rows = await this.deps.database.query<Array<{ id: number; username: string }>>(
      'SELECT id, username FROM users WHERE id = ANY($1)',
      [lines.map(({ key }) => key)],
    );
    const names = new Map(rows.map(({ id, username }) => [id, username]));
    return lines.map((line) => ({ ...line, username: names.get(line.key) ?? '' }));
  }
}

/** Prices rows by a proposal and sums them. */
class Replay {
  readonly totals = new DryRunTotals();
  /** Unix seconds of the last row. */
  oldest = 0;
  private readonly prices: PriceBook;
  private readonly cards: RecordedCards;

  constructor(
    private readonly values: OptionValues,
    private readonly prefixes: ReadonlyMap<number, string>,
  ) {
    this.prices = new PriceBook({ values });
    const known = new Map<string, PriceCard | null>();
    this.cards = (name) => {
      let card = known.get(name);
      if (card === undefined) known.set(name, (card = this.recordedCard(name)));
      return card;
    };
  }

  /** @param row not newer than the ones before it */
  add(row: LoggedRow): void {
    this.oldest = row.createdAt;
    const { quota, group, other } = row;
    if (other === null) return this.totals.skip('UNKNOWN_QUANTITIES', quota);
    // Tests of channels are logged with an amount that is not charged.
    if (other['uncharged'] === true) return;
    const model = withoutPrefix(row.modelName, this.prefixes.get(row.channelId) ?? '');
    const price = this.priceOf(model, group, other);
    if (!price) return this.totals.skip('UNPRICED', quota);
    const { promptTokens, completionTokens } = row;
    const call = { model, promptTokens, completionTokens, other };
    const charge = rechargeOf(call, price, this.values.QuotaPerUnit, this.cards, {
      ofDrawing: (sale, other) => this.prices.ofDrawing(sale, other, group),
      ofAdvice: (sale, other) => this.prices.ofAdvice(sale, other, group),
      ofTranscripts: (sale, other) => this.prices.ofTranscripts(sale, other, group),
      withToolsOf: (sale, other, ran) => this.prices.withToolsOf(sale, other, ran),
    });
    if (charge === null) return this.totals.skip('UNKNOWN_QUANTITIES', quota);
    const { upstream_cost: costUsd } = adminOf(other);
    this.totals.add({
      userId: row.userId,
      model: row.modelName,
      before: priceIn(quota, other),
      // The balance had no more than what was charged.
      after: typeof other['uncharged_quota'] === 'number' ? whole(Math.min(charge.quota, quota)) : charge,
      costUsd: typeof costUsd === 'number' ? costUsd : null,
    });
  }

  /** Drawings and songs without a price have the usual one. Videos have none, nor where their price is by tokens. */
  private priceOf(model: string, group: string, other: LoggedFields): Price | null {
    const found = this.prices.find(model, group);
    const isTask = other['task'] === true;
    const video = isTask ? loggedVideo(other) : null;
    if (video) return found && videoPriceOf(found, video, this.values.QuotaPerUnit) ? found : null;
    if (found) return found;
    if (isTask) return priceOfCall(model, usualTaskUsd, { groupRatio: this.prices.groupRatio(group) });
    return this.values.SelfUseModeEnabled ? this.prices.price(model, { group, acceptsUnpriced: true }) : null;
  }

  private recordedCard(name: string): PriceCard | null {
    const own = Object.hasOwn(this.values.PriceCards, name) ? this.values.PriceCards[name] : undefined;
    return typeof own === 'object' ? own : (builtInCard(name)?.card ?? null);
  }
}

/** The price of a logged call: its charge without what came from earlier calls, and with what was left to later ones. */
function priceIn(quota: number, { carried }: LoggedFields): Rounded {
  const [before, after] = Array.isArray(carried) ? (carried as [number, number]) : [0, 0];
  return { quota, rest: after - before };
}
