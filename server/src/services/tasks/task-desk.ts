import {
  chargeOfUsage,
  usualTask,
  type PriceBook,
  oneCall,
  type Video,
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
  findRoute,
  checkAddress,
  checkModel,
  groupOf,
  isRateLimited,
  noChannel,
  otherGroups,
  type CallRoute,
} from '../../gateway/route/call-route.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import { isLow, type KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { KeyUses } from '../../gateway/admit/key-uses.js';
import type { InFlight } from '../../gateway/admit/in-flight.js';
import type { BodyBudget } from '../../gateway/admit/body-budget.js';
import type { ModelRateLimit } from '../../gateway/admit/rate-limit.js';
import type { CallBudgets } from '../../gateway/admit/call-budgets.js';
import type { CallRates } from '../../gateway/admit/call-rates.js';
import type { PlanPayment } from '../../gateway/call.js';
import { overflowNote, overflowPart, payByPlan } from '../../gateway/reserve/plan-payment.js';
import { takeFromPlan } from '../../gateway/reserve/reserve.js';
import type { BalanceWatch } from '../../gateway/settle/balance-watch.js';
import type { Relay } from '../../gateway/pipeline.js';
import type { IncomingRequest } from '../../gateway/request.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { KeyRing } from '../../gateway/route/key-ring.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { CandidateSelector } from '../../gateway/route/candidate-selector.js';
import type { CallFailure } from '../../dialects/errors/failure.js';
import { SubmissionWatch, type SubmissionKind, type SubmissionWatchDeps } from './submission-watch.js';
import type { TaskPrice } from './task-charge.js';
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
  readonly candidates: CandidateSelector;
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

type Payment = PlanPayment | null;

/** A submission that is about to be reserved. */
interface Submission<Price> {
  readonly route: Pick<CallRoute, 'group' | 'model' | 'bareModel'>;
  readonly target: Pick<TaskTarget, 'channelId'>;
  /** Returns the most that it costs by a way of payment. Null: no plan concerns it. */
  readonly priceFor: (payment: Payment) => Price;
  /** The most tokens that the submission uses. */
  readonly tokens?: number;
  /** Requests that the submission is for budgets. */
  readonly requests?: number;
}

/** A submission whose price is reserved. */
interface PaidSubmission<Price> {
  readonly reservation: Reservation;
  readonly price: Price;
}

/** A submission whose caller is authorized, and whose body was read. */
export interface ReceivedSubmission {
  readonly incoming: IncomingRequest;
  readonly watch: SubmissionWatch;
  readonly caller: Caller;
  readonly rawBody: Buffer;
}

/**
 * Access, routing, price and reservation of task submissions. A task is submitted to one channel only: when the connection
 * breaks, the provider may have accepted the task, and a second channel would charge the user again.
 */
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
      const caller = incoming.caller ?? (await relay.authenticate(incoming));
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
    const caller = incoming.caller ?? (await this.deps.relay.authenticate(incoming));
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
  route(caller: Caller, model: string): CallRoute {
    return findRoute(caller, model, this.deps.channels.table, this.deps.options);
  }

  /**
   * Admits a task that continues another one. Its channel is fixed, independent of current routing. The first group of
   * the key that the channel serves pays, so that no cheaper group can buy a service that it does not offer.
   * @throws AppError when the caller may not use the group or the model
   */
  follow(caller: Caller, model: string, channel: RoutedChannel): CallRoute {
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
  choose(route: CallRoute): TaskTarget {
    const { keyRing, secrets, candidates } = this.deps;
    const { channel: picked, keyIndex } = candidates.pick(route);
    // The result of a task's request is not reported to the key ring, so the ring must not wait for it.
    keyRing.undecided(picked, keyIndex);
    return targetOf(picked, picked.keys[keyIndex] ?? '', secrets);
  }

  /** Returns the channel and key that created a task. */
  targetOfTask(channel: RoutedChannel, keyPrint: string): TaskTarget {
    return targetOfTask(channel, keyPrint, this.deps.secrets);
  }

  /** Returns the price by the per-call formula. It does not depend on the result. */
  price({ bareModel, group }: Pick<CallRoute, 'bareModel' | 'group'>, payment: Payment = null): TaskPrice {
    const { prices, options } = this.deps;
    const card = prices.find(bareModel, group)?.cards.task ?? usualTask;
    const groupRatio = overflowPart(prices.groupRatio(group), payment);
    const quotaPerUnit = options.values.QuotaPerUnit;
    const { quota } = chargeOfUsage(card, oneCall, groupRatio, quotaPerUnit);
    const overflow = overflowNote(payment);
    return { modelPrice: card.prices.request ?? 0, groupRatio, quotaPerUnit, quota, version: prices.version, overflow };
  }

  /**
   * Reserves the price of a submission, in the budgets of its caller and of its channel as well. The plans of the caller
   * are asked first.
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, BUDGET_EXCEEDED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async reserve<Price extends { readonly quota: number }>(
    caller: Caller,
    requestId: string,
    { route, target, priceFor, tokens = 0, requests = 1 }: Submission<Price>,
  ): Promise<PaidSubmission<Price>> {
    const { budgets, ledger } = this.deps;
    const { group, model, bareModel } = route;
    const usual = priceFor(null);
    await this.deps.rates.request(budgets.rates(caller, group, bareModel));
    const ofCaller = budgets.of(caller, group, bareModel);
    const ofChannel = budgets.ofChannel(target.channelId, bareModel);
    const plans = (usual.quota > 0 && budgets.plansFor(caller, group, bareModel, ofCaller)) || [];
    try {
      return await payByPlan(plans, async (payment) => {
        const price = payment ? priceFor(payment) : usual;
        const { quota } = price;
        const use = { money: quota, tokens, requests };
        const plan = payment?.isPaidByPlan ? payment.plan : null;
        const holds = [...((plan?.budgets ?? ofCaller)?.holds(use) ?? []), ...(ofChannel?.holds(use) ?? [])];
        const request = {
          requestId,
          userId: caller.user.id,
          tokenId: caller.token.id,
          modelName: model,
          amount: quota,
          priced: quota > 0,
          durable: true,
        };
        const reservation = plan
          ? await takeFromPlan(plan, request, holds, ledger)
          : await ledger.reserve(holds.length > 0 ? { ...request, budgets: holds } : request);
        return { reservation, price };
      });
    } catch (error) {
      budgets.refused(error);
      if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.deps.keys.forget(caller.key);
      throw error;
    }
  }

  /** Returns the columns of a task's row that do not depend on the kind of task. */
  ownerOf(
    { user, token }: Caller,
    { channelId, keyPrint }: Pick<TaskTarget, 'channelId' | 'keyPrint'>,
    { requestId }: Reservation,
  ) {
    return { userId: user.id, username: user.username, tokenId: token.id, requestId, channelId, keyPrint };
  }

  /** Returns these columns of a creative task that is submitted `now`. */
  creativeOwnerOf(now: Date, ...owner: Parameters<TaskDesk['ownerOf']>) {
    return { ...this.ownerOf(...owner), createdAt: now, updatedAt: now, submitTime: now };
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
   * Returns the price of a video, which does not depend on its result.
   * @throws AppError MODEL_NOT_PRICED
   */
  videoPrice({ bareModel, group }: CallRoute, video: Video, payment: Payment = null): VideoPrice {
    const { prices, options } = this.deps;
    const found = prices.find(bareModel, group);
    const sold = found && { ...found, groupRatio: overflowPart(found.groupRatio, payment) };
    const price = sold && videoPriceOf(sold, video, options.values.QuotaPerUnit);
    if (price) return { ...price, other: { ...price.other, plan_overflow: overflowNote(payment) } };
    throw new AppError('MODEL_NOT_PRICED', `Model ${bareModel} has no price per second or per call, set one first`);
  }
}

/** Whether the user's or the token's quota is insufficient. */
export const isTooPoor = (error: unknown): boolean =>
  isAppError(error) && (error.code === 'INSUFFICIENT_QUOTA' || error.code === 'INSUFFICIENT_TOKEN_QUOTA');
