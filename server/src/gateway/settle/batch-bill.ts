import type { Charge } from '../../billing/ledger/index.js';
import {
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
} from '../../billing/prices/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { noUsage, sumOfUsage, type Usage } from '../../shared/usage.js';
import { inBatch } from '../reserve/batch-estimate.js';
import { type PossibleTokens, withinPossible, withPossibleTools } from '../reserve/possible-usage.js';
import { logContent, logOther } from './call-record.js';

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
  /** The most tokens that any of its calls can take and produce. */
  readonly possible: PossibleTokens;
}

/** The owner and the channel of a batch, for its log row. */
interface BatchOwner {
  readonly username: string;
  readonly channelId: number;
  /** Facts of the log row about the batch. */
  readonly note: Readonly<Record<string, unknown>>;
}

/** Adds up the calls of a batch. Each is priced by its own size, and the sum is rounded once. */
export class BatchBill {
  private usage: Usage = noUsage;
  private readonly sold = new Lines();
  private readonly cost = new Lines();
  private readonly costPrice: ReturnType<ChannelCost['find']>;

  /** @param cost of the channel; absent when the channel was deleted */
  constructor(
    private readonly terms: BatchTerms,
    cost: ChannelCost | undefined,
  ) {
    this.costPrice = cost?.find(terms.bareModel, terms.bareModel) ?? null;
  }

  /** Whether any call used something. */
  get isEmpty(): boolean {
    return this.usage.promptTokens + this.usage.completionTokens === 0;
  }

  /** Adds the usage that the provider reports for one call. */
  add(reported: Usage): void {
    const details = { ...reported.details, when: inBatch };
    const usage = withinPossible(withPossibleTools({ ...reported, details }, details), this.terms.possible);
    this.usage = sumOfUsage(this.usage, usage);
    this.sold.add(linesOfUsage(this.terms.price.card, usage));
    if (this.costPrice) this.cost.add(componentsOf(this.costPrice.card, pricedUsage(usage)));
  }

  /** Returns the charge. It exceeds the reservation as far as the balance covers the rest. */
  charge({ username, channelId, note }: BatchOwner, { LogConsumeEnabled }: OptionValues): Charge {
    const { price, group, model, bareModel, endpoint, tokenName, reserved, quotaPerUnit, overflow } = this.terms;
    const { usage } = this;
    const lines = this.sold.all;
    const { quota } = chargeOfComponents(lines, price.groupRatio, quotaPerUnit);
    const cost = this.costNotes();
    const facts = {
      price,
      quotaPerUnit,
      usage,
      requestPath: endpoint,
      group,
      requestedModel: model,
      bareModel,
      upstreamModel: bareModel,
      usedChannels: [channelId],
      // A batch waits at its provider. Its time says nothing about the channel.
      durationMs: 0,
      firstByteMs: null,
      notes: {
        ...(listsLines(price) ? cardNotes(price, lines) : { components: lines }),
        batch: note,
        plan_overflow: overflow,
      },
      isInUsd: true,
      cost,
      clientGone: false,
      counted: false,
    };
    const modelName = model === bareModel ? price.model : model;
    return {
      quota,
      least: Math.min(quota, reserved),
      upstreamUsd: cost.upstream_cost,
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

  private costNotes(): CostNotes {
    if (!this.costPrice) return {};
    return costNotes(costOfLines(this.costPrice, this.cost.all), null);
  }
}

/** Lines of many calls. Those of one quantity at one price are one line. */
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
