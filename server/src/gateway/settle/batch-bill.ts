import type { Charge, RowPart } from '../../billing/ledger/index.js';
import {
  billion,
  cardNotes,
  chargeOfComponents,
  type ChannelCost,
  type Component,
  componentsOf,
  costNotes,
  type CostNotes,
  costOfLines,
  linesOfUsage,
  listsLines,
  type Price,
  pricedUsage,
  type Rounded,
  whole,
} from '../../billing/prices/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { noUsage, sumOfUsage, type Usage } from '../../shared/usage.js';
import { inBatch } from '../reserve/batch-estimate.js';
import { type PossibleTokens, withinPossible, withPossibleTools } from '../reserve/possible-usage.js';
import { type CallFacts, logContent, logOther } from './call-record.js';

/** The terms by which a batch is charged. They are stored when it is made, and hold whatever changes afterwards. */
export interface BatchTerms {
  readonly price: Price;
  readonly group: string;
  /** The model as the client named it, and without the routing prefix. */
  readonly model: string;
  readonly bareModel: string;
  /** The path of the calls. */
  readonly endpoint: string;
  readonly tokenName: string;
  /** Quota that is reserved. */
  readonly reserved: number;
  readonly quotaPerUnit: number;
  /** `plan_overflow` of the log row. Absent when the balance does not pay in place of a plan. */
  readonly overflow?: object | undefined;
  /** The client's address. Absent unless the user has it recorded. */
  readonly address?: string | undefined;
  /** The most tokens that any of its calls can take and produce. */
  readonly possible: PossibleTokens;
}

/** Facts of the log row about the batch. */
export interface BatchNote {
  /** The id that the provider gave the batch. */
  readonly id: string;
  readonly lines: number;
  /** Lines that have ended. */
  readonly ended: number;
}

/** The owner and the channel of a batch, for its log row. */
interface BatchOwner {
  readonly username: string;
  readonly channelId: number;
  readonly note: BatchNote;
}

/** The use and the cost of one call of a batch, or of all. */
interface Billed {
  readonly usage: Usage;
  readonly sold: readonly Component[];
  readonly cost: readonly Component[];
}

/** A call of a batch that gets a log row. */
interface NamedBill extends Billed {
  /** The name that the client gave the call. */
  readonly name: string;
}

/** Adds up the calls of a batch. Each is priced by its own size, and the sum is rounded once. */
export class BatchBill {
  private usage: Usage = noUsage;
  private readonly sold = new Lines();
  private readonly cost = new Lines();
  private readonly calls: NamedBill[] = [];
  private readonly costPrice: ReturnType<ChannelCost['find']>;

  /**
   * @param cost of the channel; absent when the channel was deleted
   * @param hasRows whether each call gets a log row
   */
  constructor(
    private readonly terms: BatchTerms,
    cost: ChannelCost | undefined,
    readonly hasRows = false,
  ) {
    this.costPrice = cost?.find(terms.bareModel, terms.bareModel) ?? null;
  }

  /** Whether any call used something. */
  get isEmpty(): boolean {
    return this.usage.promptTokens + this.usage.completionTokens === 0;
  }

  /**
   * Adds the usage that the provider reports for one call.
   * @param name that the client gave the call
   */
  add(reported: Usage, name = ''): void {
    const details = { ...reported.details, when: inBatch };
    const usage = withinPossible(withPossibleTools({ ...reported, details }), this.terms.possible);
    const sold = linesOfUsage(this.terms.price.card, usage);
    const cost = this.costPrice ? componentsOf(this.costPrice.card, pricedUsage(usage)) : [];
    this.usage = sumOfUsage(this.usage, usage);
    this.sold.add(sold);
    this.cost.add(cost);
    if (this.hasRows) this.calls.push({ name, usage, sold, cost });
  }

  /** Returns the charge. It exceeds the reservation as far as the balance covers the rest. */
  charge({ username, channelId, note }: BatchOwner, { LogConsumeEnabled }: OptionValues): Charge {
    const { price, group, model, bareModel, tokenName, reserved } = this.terms;
    const { usage } = this;
    const facts = this.factsOf({ usage, sold: this.sold.all, cost: this.cost.all }, channelId, note);
    const { quota, rest } =
      this.hasRows && LogConsumeEnabled ? this.sumOfCalls() : whole(this.priceOf(this.sold.all).quota);
    const modelName = model === bareModel ? price.model : model;
    return {
      quota,
      rest,
      least: Math.min(quota, reserved),
      upstreamUsd: facts.cost.upstream_cost,
      counted: true,
      logged: LogConsumeEnabled,
      channelId,
      username,
      tokenName,
      modelName,
      group,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      cachedTokens: usage.cachedTokens,
      durationMs: 0,
      isStream: false,
      content: logContent(facts, modelName),
      other: logOther(facts),
    };
  }

  /**
   * Returns the calls as log rows, whose sum is the charge: each carries its fraction of a unit to the next one. The last one
   * also counts the lines that have no row.
   * @param note of the whole batch
   */
  *rows({ channelId, note }: Pick<BatchOwner, 'channelId' | 'note'>): Generator<RowPart> {
    let before = 0;
    for (const [index, { name, ...billed }] of this.calls.entries()) {
      const { quota, after } = this.carried(billed, before);
      const isLast = index === this.calls.length - 1;
      const counted = { id: note.id, line: name || undefined, lines: isLast ? Math.max(1, note.lines - index) : 1 };
      const other = logOther(this.factsOf(billed, channelId, counted));
      const carried = before === 0 && after === 0 ? undefined : [before, after];
      const { promptTokens, completionTokens } = billed.usage;
      yield { quota, promptTokens, completionTokens, other: { carried, ...other } };
      before = after;
    }
  }

  /** Billionths of a USD by which the rounded costs of the calls exceed that of the batch; null where none is known. */
  get roundedCost(): number | null {
    if (!this.costPrice) return null;
    const nano = (cost: readonly Component[]): number =>
      Math.round((this.costNotes(cost).upstream_cost ?? 0) * billion);
    return this.calls.reduce((sum, { cost }) => sum + nano(cost), 0) - nano(this.cost.all);
  }

  private sumOfCalls(): Rounded {
    let [sum, rest] = [0, 0];
    for (const call of this.calls) {
      const { quota, after } = this.carried(call, rest);
      sum += quota;
      rest = after;
    }
    return { quota: sum, rest };
  }

  /** Returns the whole units of a call and of the fraction before it, and the fraction after it. */
  private carried({ sold }: Billed, before: number): { readonly quota: number; readonly after: number } {
    const { quota, rest } = this.priceOf(sold);
    const units = Math.floor((before + rest) / billion);
    return { quota: quota + units, after: before + rest - units * billion };
  }

  private priceOf(lines: readonly Component[]): Rounded {
    return chargeOfComponents(lines, this.terms.price.groupRatio, this.terms.quotaPerUnit);
  }

  private factsOf({ usage, sold, cost }: Billed, channelId: number, note: object): CallFacts {
    const { price, group, model, bareModel, endpoint, quotaPerUnit, overflow, address } = this.terms;
    return {
      price,
      quotaPerUnit,
      usage,
      requestPath: endpoint,
      address,
      group,
      requestedModel: model,
      bareModel,
      upstreamModel: bareModel,
      usedChannels: [channelId],
      // A batch waits at its provider. Its time says nothing about the channel.
      durationMs: 0,
      firstByteMs: null,
      notes: {
        ...(listsLines(price) ? cardNotes(price, sold) : { components: sold }),
        batch: note,
        plan_overflow: overflow,
      },
      isInUsd: true,
      cost: this.costNotes(cost),
      clientGone: false,
      counted: false,
    };
  }

  private costNotes(lines: readonly Component[]): CostNotes {
    if (!this.costPrice) return {};
    return costNotes(costOfLines(this.costPrice, lines), null);
  }
}

/** Adds up the lines of many calls: lines of one quantity at one price become one line. */
class Lines {
  private readonly counts = new Map<string, Component>();

  add(lines: readonly Component[]): void {
    for (const [quantity, count, price] of lines) {
      const key = `${quantity} ${price}`;
      this.counts.set(key, [quantity, count + (this.counts.get(key)?.[1] ?? 0), price]);
    }
  }

  get all(): Component[] {
    return [...this.counts.values()];
  }
}
