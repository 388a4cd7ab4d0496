import {
  chargeOfUsage,
  costNotes,
  costOf,
  taskQuantityOf,
  usualTask,
  type PriceBook,
  oneCall,
  type Video,
  videoCostOf,
  type VideoPrice,
  videoPriceOf,
} from '../../billing/prices/index.js';
import type { Charge, Ledger, Reservation } from '../../billing/ledger/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Accepted } from '../../console/tasks/index.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Metrics } from '../../platform/observability/metrics.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { withoutPrefix } from '../../shared/model-pattern.js';
import type { Secrets } from '../../shared/secrets.js';
import {
  admit,
  checkAddress,
  checkModel,
  groupOf,
  isRateLimited,
  noChannel,
  otherGroups,
  type Admission,
} from '../../gateway/route/admission.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import { isLow, type KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { KeyUses } from '../../gateway/admit/key-uses.js';
import type { InFlight } from '../../gateway/admit/in-flight.js';
import type { BodyBudget } from '../../gateway/admit/body-budget.js';
import type { ModelRateLimit } from '../../gateway/admit/rate-limit.js';
import type { CallBudgets } from '../../gateway/admit/call-budgets.js';
import type { CallRates } from '../../gateway/admit/call-rates.js';
import type { BalanceWatch } from '../../gateway/settle/balance-watch.js';
import type { Relay } from '../../gateway/pipeline.js';
import type { IncomingRequest } from '../../gateway/request.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { KeyRing } from '../../gateway/route/key-ring.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { Candidates } from '../../gateway/route/candidates.js';
import type { CallFailure } from '../../dialects/errors/failure.js';
import { SubmissionWatch, type SubmissionKind, type SubmissionWatchDeps, type WatchNotes } from './submission-watch.js';
import { targetOf, targetOfTask, type TaskTarget } from './task-target.js';

export interface TaskDeskDeps {
  readonly relay: Pick<Relay, 'authenticate' | 'receive'>;
  readonly inFlight: InFlight;
  readonly bodies: BodyBudget;
  readonly keys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimit: ModelRateLimit;
  readonly watch: SubmissionWatchDeps;
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly candidates: Candidates;
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly budgets: CallBudgets;
  readonly rates: CallRates;
  readonly secrets: Secrets;
  readonly options: { readonly values: OptionValues };
  readonly balances: BalanceWatch | null;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The price of a task. */
export interface TaskPrice {
  readonly modelPrice: number;
  /** The name of the price tables that it comes from. */
  readonly version: string;
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
  readonly quota: number;
}

/** A submission whose caller is authorized, and whose body was read. */
export interface ReceivedSubmission {
  readonly incoming: IncomingRequest;
  readonly watch: SubmissionWatch;
  readonly caller: Caller;
  readonly rawBody: Buffer;
}

/** A submission with the channel that accepted it. */
interface RoutedTask {
  readonly caller: Caller;
  readonly admission: Admission;
  readonly target: TaskTarget;
}

interface Priced extends RoutedTask {
  readonly price: TaskPrice;
}

/** A video submission with its price. */
interface PricedVideo extends RoutedTask {
  readonly video: Video;
  readonly price: VideoPrice;
  /** Fields that were not sent to the provider. */
  readonly dropped: readonly string[];
}

/** Access, routing, price and reservation of task submissions. */
export class TaskDesk {
  constructor(private readonly deps: TaskDeskDeps) {}

  get values(): OptionValues {
    return this.deps.options.values;
  }

  /**
   * Serves a submission inside of its span. It is a call in flight, and its body is counted, until it has ended.
   * @param failureOf returns the failure that the client gets for an error of its own shape
   * @throws AppError
   */
  receive<Result>(
    incoming: IncomingRequest,
    kind: SubmissionKind,
    serve: (received: ReceivedSubmission) => Promise<Result>,
    failureOf: (error: unknown) => Pick<CallFailure, 'status' | 'code'> | null = () => null,
  ): Promise<Result> {
    const { relay, inFlight, bodies } = this.deps;
    const watch = new SubmissionWatch(this.deps.watch, incoming, kind);
    return watch.run(async () => {
      const caller = await relay.authenticate(incoming);
      const leave = await inFlight.enter(caller);
      const grant = bodies.open(caller.user.id);
      try {
        return await serve({ incoming, watch, caller, rawBody: await relay.receive(incoming, caller, grant) });
      } finally {
        grant.release();
        leave();
      }
    }, failureOf);
  }

  /**
   * Authenticates the caller of a lookup.
   * @throws AppError
   */
  async authenticateLookup(incoming: IncomingRequest): Promise<Caller> {
    const caller = await this.deps.relay.authenticate(incoming);
    checkAddress(caller, incoming.address);
    this.deps.keyUses.note(caller.token, incoming.address);
    return caller;
  }

  /**
   * Counts a successful submission in the rate limits. Never throws: the provider has accepted the submission, and it
   * is paid.
   */
  async succeeded(caller: Caller): Promise<void> {
    if (!isRateLimited(caller, this.deps.options)) return;
    await this.deps.rateLimit.succeeded(caller).catch((error: unknown) => {
      this.deps.logger.warn(
        { err: error, userId: caller.user.id },
        'a submission could not be counted in its rate limit',
      );
    });
  }

  /** @throws AppError when no channel may serve this caller */
  admit(caller: Caller, model: string): Admission {
    return admit(caller, model, this.deps.channels.table, this.deps.options);
  }

  /**
   * Admits a task that continues another one. Its channel is fixed, independent of current routing. The first group of
   * the key that the channel serves pays, so that no cheaper group can buy a service that it does not offer.
   * @throws AppError when the caller may not use the group or the model
   */
  follow(caller: Caller, model: string, channel: RoutedChannel): Admission {
    const { options } = this.deps;
    const own = groupOf(caller, options);
    checkModel(caller, model);
    const isPinned = caller.pin === String(channel.id);
    const groups = [own, ...otherGroups(caller, own, options)];
    const group = isPinned ? own : groups.find((each) => channel.groups.includes(each));
    if (group === undefined) throw noChannel(model, own);
    const bareModel = withoutPrefix(model, channel.prefix);
    const candidates = { tiers: [{ priority: 0, channels: [channel] }], bareModel, plainWeights: true };
    return { group, model, bareModel, candidates, pinned: channel };
  }

  /** Returns any channel, enabled or not. */
  channel(id: number): RoutedChannel | undefined {
    return this.deps.channels.table.channel(id);
  }

  /**
   * Selects a channel and key.
   * @throws AppError NO_CHANNEL; RATE_LIMITED while every key is in a cooldown
   */
  choose(admission: Admission): TaskTarget {
    const { keyRing, secrets, candidates } = this.deps;
    const { channel: picked, keyIndex } = candidates.pick(admission);
    // The result of a task's request is not reported to the key ring, so the ring must not wait for it.
    keyRing.undecided(picked, keyIndex);
    return targetOf(picked, picked.keys[keyIndex] ?? '', secrets);
  }

  /** Returns the channel and key that created a task. */
  targetOfTask(channel: RoutedChannel, keyPrint: string): TaskTarget {
    return targetOfTask(channel, keyPrint, this.deps.secrets);
  }

  /** Returns the price by the per-call formula. It does not depend on the result. */
  price(model: string, group: string): TaskPrice {
    const { prices, options } = this.deps;
    const card = prices.find(model, group)?.cards.task ?? usualTask;
    const groupRatio = prices.groupRatio(group);
    const quotaPerUnit = options.values.QuotaPerUnit;
    const { quota } = chargeOfUsage(card, oneCall, groupRatio, quotaPerUnit);
    return { modelPrice: card.prices.request ?? 0, groupRatio, quotaPerUnit, quota, version: prices.version };
  }

  /**
   * Reserves the price of a submission, in the budgets of its caller and of its channel as well.
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, BUDGET_EXCEEDED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async reserve(
    caller: Caller,
    requestId: string,
    {
      admission,
      target,
      quota,
    }: { readonly admission: Admission; readonly target: TaskTarget; readonly quota: number },
  ): Promise<Reservation> {
    const { budgets } = this.deps;
    await this.deps.rates.request(budgets.rates(caller, admission.group, admission.bareModel));
    const use = { money: quota, tokens: 0 };
    const ofCaller = budgets.of(caller, admission.group, admission.bareModel)?.holds(use) ?? [];
    const ofChannel = budgets.ofChannel(target.channelId, admission.bareModel)?.holds(use) ?? [];
    const holds = [...ofCaller, ...ofChannel];
    try {
      return await this.deps.ledger.reserve({
        requestId,
        userId: caller.user.id,
        tokenId: caller.token.id,
        modelName: admission.model,
        amount: quota,
        priced: quota > 0,
        durable: true,
        ...(holds.length > 0 && { budgets: holds }),
      });
    } catch (error) {
      budgets.refused(error);
      if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.deps.keys.forget(caller.key);
      throw error;
    }
  }

  /** Returns the columns of a task's row that do not depend on the kind of task. */
  ownerOf({ user, token }: Caller, { channelId, keyPrint }: TaskTarget, { requestId }: Reservation) {
    return { userId: user.id, username: user.username, tokenId: token.id, requestId, channelId, keyPrint };
  }

  /** Updates the cached balance, the balance watch and the metrics after a charge. */
  charged({ user, token }: Caller, { quota, modelName }: Charge, { outcome, userQuota }: Accepted): void {
    if (outcome !== 'taken') return;
    const { keys, balances, metrics } = this.deps;
    keys.spent(token, quota);
    const isKnown = quota > 0 && userQuota !== null;
    if (isKnown && isLow(user, userQuota, this.values.QuotaRemindThreshold)) balances?.ranLow(user.id, userQuota);
    metrics.relay.of(metrics.knownLabel('model', modelName)).quota += quota;
  }

  /**
   * Returns the charge of a task.
   * @param details text of the log row, appended to the price
   * @param notes for admins
   */
  charge(routed: Priced, details: string, notes: WatchNotes): Charge {
    const { modelPrice, groupRatio, quotaPerUnit, quota, version } = routed.price;
    const { target, admission } = routed;
    const found = target.cost.find(admission.bareModel, admission.bareModel);
    const quantity = found && taskQuantityOf(found.card);
    const cost = quantity ? costOf(found, { counts: [[quantity, 1]], when: null }) : null;
    return this.chargeOf(routed, {
      quota,
      usd: cost?.usd,
      content: `fixed price ${modelPrice.toFixed(2)}, group ratio ${groupRatio.toFixed(2)}${details}`,
      other: {
        task: true,
        model_price: modelPrice,
        group_ratio: groupRatio,
        quota_per_unit: quotaPerUnit,
        price_version: version,
      },
      notes: { ...(cost ? costNotes(cost, null) : {}), ...notes },
    });
  }

  /**
   * Returns the price of a video, which does not depend on its result.
   * @throws AppError MODEL_NOT_PRICED
   */
  videoPrice({ bareModel, group }: Admission, video: Video): VideoPrice {
    const { prices, options } = this.deps;
    const found = prices.find(bareModel, group);
    const price = found && videoPriceOf(found, video, options.values.QuotaPerUnit);
    if (price) return price;
    throw new AppError('MODEL_NOT_PRICED', `Model ${bareModel} has no price per second or per call, set one first`);
  }

  /**
   * Returns the charge of a video.
   * @param upstreamModel the model that the provider was asked for
   * @param notes for admins
   */
  chargeVideo(routed: PricedVideo, upstreamModel: string, notes: WatchNotes): Charge {
    const { price, video, target, admission } = routed;
    const { quota, content } = price;
    const other = { ...price.other, ...(routed.dropped.length > 0 ? { dropped_parameters: routed.dropped } : {}) };
    const found = target.cost.find(upstreamModel, admission.bareModel);
    const cost = found && videoCostOf(found, video, price.sale);
    return this.chargeOf(routed, { quota, usd: cost?.usd, content, other, notes: { ...cost?.notes, ...notes } });
  }

  /** @param sold the charge; its notes are for admins, and without notes the row has no `admin_info` */
  private chargeOf(
    { caller, admission, target }: RoutedTask,
    sold: {
      readonly quota: number;
      readonly usd: number | undefined;
      readonly content: string;
      readonly other: Readonly<Record<string, unknown>>;
      readonly notes: object;
    },
  ): Charge {
    const { quota, usd, content, other, notes } = sold;
    return {
      quota,
      upstreamUsd: usd,
      counted: quota !== 0,
      logged: this.values.LogConsumeEnabled,
      channelId: target.channelId,
      username: caller.user.username,
      tokenName: caller.token.name,
      modelName: admission.model,
      group: admission.group,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      durationMs: 0,
      isStream: false,
      content,
      other: { ...other, ...(Object.keys(notes).length > 0 ? { admin_info: notes } : {}) },
    };
  }
}

/** Whether the user's or the token's quota is insufficient. */
export const isTooPoor = (error: unknown): boolean =>
  isAppError(error) && (error.code === 'INSUFFICIENT_QUOTA' || error.code === 'INSUFFICIENT_TOKEN_QUOTA');
