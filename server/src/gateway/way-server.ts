import type { OptionValues } from '../options/option.service.js';
import { isFree, type Price } from '../billing/prices/price-book.service.js';
import { writeJson } from '../shared/exact-json.js';
import { AppError, isAppError } from '../shared/errors.js';
import { jsonInTurns } from '../shared/json-in-turns.js';
import { SearchTime } from '../platform/matching/search-time.js';
import type { FormPart } from '../dialects/contract.js';
import { admit, groupOf, withAllowedTools, withoutOtherModels, type Admission } from './route/admission.js';
import type { Caller } from './admit/authentication.js';
import { furtherWays } from './route/further-ways.js';
import { CallFailedError, type Served } from './send/attempts.js';
import { toCallFailure } from '../dialects/errors/failure.js';
import { RelayError } from '../dialects/errors/relay-error.js';
import { reservedUse } from './settle/call-use.js';
import { bodyTexts, withTexts } from './admit/guardrails/body-texts.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import { overriddenCalls } from './reserve/metering/overridden-call.js';
import { unpricedTools } from './reserve/metering/server-tools.js';
import type { PricedCall } from './priced-call.js';
import { reserveFor, type ReservedCall } from './reserve/reserve.js';
import type { ClientResponse } from './deliver/client-response.js';
import { ClientGoneError } from './deliver/delivery.js';
import type { Endpoint } from './endpoint.js';
import type { IncomingCall } from './incoming-call.js';
import { namedOrigin } from './route/affinity/named-origin.js';
import { dialectQuery } from './incoming-request.js';
import type { ContinuedCall, OpenedBody, RelayCall } from './call.js';
import type { RelayDeps } from './deps.js';
import { reserveCounted } from './reserve-counted.js';
import type { RunningCalls } from './observe/running-calls.js';

/** A call with its reservation and its response, which is charged next. */
export interface ServedWay {
  readonly reserved: ReservedCall;
  readonly served: Served;
}

/** A call whose body was read, before it is known who serves it. Guardrails may change its body. */
interface AskedCall {
  readonly endpoint: Endpoint;
  readonly incoming: IncomingCall;
  readonly caller: Caller;
  rawBody: Buffer;
  opened: OpenedBody;
  guard: CallGuard | undefined;
  readonly client: ClientResponse;
  /** The account that keeps what the body names; null: it names nothing. */
  readonly named: ContinuedCall | null;
  /** See `reserveCounted`. */
  counted: Set<number> | null;
}

/** The failure that the client gets if no way is left, and the channels that failed. */
interface Failure {
  readonly error: unknown;
  readonly usedChannels: readonly number[];
  /** The first way that was tried, for the log. */
  readonly call: PricedCall | null;
}

/** The client learns by it that another model than it asked for has served it. */
const modelHeader = 'x-tollgate-model';

/**
 * Prices a call, reserves what it may cost and sends it. A call that cannot be served as it was asked is priced, reserved
 * and sent again in the next group, or with the next model, that its caller allows
 * (docs/reference/relay/routing.md#fallback).
 */
export class WayServer {
  constructor(
    private readonly deps: RelayDeps,
    private readonly running: RunningCalls,
  ) {}

  /** @throws AppError, CallFailedError: nothing is reserved then */
  async serve(
    endpoint: Endpoint,
    incoming: IncomingCall,
    caller: Caller,
    rawBody: Buffer,
    client: ClientResponse,
  ): Promise<ServedWay> {
    const opened = withAllowedTools(caller, withoutOtherModels(endpoint.open(rawBody, incoming)));
    const isChanged = !opened.form && (opened.dropped || opened.isRewritten);
    const asSent = isChanged ? Buffer.from(writeJson(opened.body)) : rawBody;
    if (this.deps.options.values['global.block_browser_extension_enabled']) refuseExtensions(incoming.headers.origin);
    const origin = namedOrigin(endpoint, opened.body, caller, this.deps.idOwners);
    const asked: AskedCall = {
      endpoint,
      incoming,
      caller,
      rawBody: asSent,
      opened,
      guard: undefined,
      client,
      named: origin && (await origin),
      counted: null,
    };
    let failure: Failure;
    let group: string | null = null;
    try {
      const admission = this.admitted(asked);
      group = admission.group;
      const priced = await this.checked(asked, admission, this.price(asked, admission));
      const reserved = await this.reserve(endpoint.measure ? await measured(priced) : priced, asked);
      const sent = await this.trySend(reserved, incoming, client);
      if (!('error' in sent)) return { reserved, served: sent };
      failure = sent;
    } catch (error) {
      if (!isNoChannel(error)) {
        if (isAppError(error) && error.code === 'MODEL_NOT_PRICED') this.noteRefused(asked, group, error);
        throw error;
      }
      failure = { error, usedChannels: [], call: null };
    }
    return this.serveOtherwise(asked, group, failure, client);
  }

  /** Logs a call that was refused before any channel was tried. @param group null: the one that the key asks for */
  private noteRefused({ caller, incoming, opened }: AskedCall, group: string | null, error: unknown): void {
    const { requestId, path, startedAt } = incoming;
    const admission = { group: group ?? groupOf(caller, this.deps.options), model: opened.model };
    const call = { requestId, path, caller, startedAt, admission, call: { stream: opened.body['stream'] === true } };
    this.deps.errors.refused({ call, error, failure: toCallFailure(error), usedChannels: [] });
  }

  /** By the further ways, in turn. @throws the failure of the call as it was asked, or a clearer one */
  private async serveOtherwise(
    asked: AskedCall,
    group: string | null,
    first: Failure,
    client: ClientResponse,
  ): Promise<ServedWay> {
    const { caller, endpoint, incoming, opened } = asked;
    const { channels, options, metrics } = this.deps;
    let failure = first;
    const unserved = { caller, model: opened.model, group, writesText: endpoint.limitOutput !== undefined };
    let isFirst = first.call === null;
    for (const admission of mayMove(failure.error, client) ? furtherWays(unserved, channels.table, options) : []) {
      const reserved = await this.reserveOther(asked, admission, isFirst);
      if (!reserved) continue;
      isFirst = false;
      const isOtherModel = admission.model !== opened.model;
      client.setHeader(modelHeader, isOtherModel ? headerText(admission.model) : undefined);
      metrics.relayRetries.inc({ route: endpoint.route });
      const sent = await this.trySend(reserved, incoming, client, failure.usedChannels, !isOtherModel);
      if (!('error' in sent)) return { reserved, served: sent };
      failure = clearer(failure, sent);
      if (!mayMove(sent.error, client)) break;
    }
    client.setHeader(modelHeader, undefined);
    if (failure.call) this.note(failure.call, failure.error);
    else this.noteRefused(asked, group, failure.error);
    throw failure.error;
  }

  /** @returns null where the caller cannot pay for this way, or it has no price */
  private async reserveOther(asked: AskedCall, admission: Admission, isFirst: boolean): Promise<ReservedCall | null> {
    const { endpoint } = asked;
    const { options } = this.deps;
    try {
      const group = groupOf(asked.caller, options);
      const known = this.price(asked, admission);
      const checked = isFirst ? await this.checked(asked, admission, known) : known;
      const priced = { ...checked, asked: { group, model: asked.opened.model } };
      return await this.reserve(endpoint.measure ? await measured(priced) : priced, asked);
    } catch (error) {
      if (isAppError(error) && skipped.has(error.code)) return null;
      throw error;
    }
  }

  /** Rows 14 to 19 of docs/reference/relay/access.md#order-of-checks. */
  private admitted({ caller, opened }: AskedCall): Admission {
    return admit(caller, opened.model, this.deps.channels.table, this.deps.options);
  }

  private price(asked: AskedCall, admission: Admission): PricedCall {
    const { endpoint, incoming, caller, rawBody, opened } = asked;
    const { model } = admission;
    const parsed = endpoint.parse(model === opened.model ? opened : { ...opened, model }, incoming);
    const known = asked.named ? { ...parsed, continued: asked.named } : parsed;
    const whole = opened.dropped ? { ...known, dropped: [...opened.dropped, ...(known.dropped ?? [])] } : known;
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const { prices } = this.deps;
    const price = prices.price(admission.bareModel, terms, endpoint.tariff.counts);
    const call = endpoint.limitOutput ? withUnpriced(whole, price, this.deps.options.values) : whole;
    const drawing = call.drawing ? prices.ofDrawing(price, call.drawing.model, admission.group) : undefined;
    const advice = call.advisor ? prices.ofAdvice(price, call.advisor.model, admission.group) : undefined;
    const budgets = this.isBudgeted(caller) ? this.deps.budgets.of(caller, admission.group, admission.bareModel) : null;
    const { requestId, path, startedAt } = incoming;
    const { guard } = asked;
    const isCaptured = this.deps.options.values['content_capture.rules'].length > 0;
    const capture = isCaptured ? this.deps.captures.of(caller, admission.group) : undefined;
    const isOverridden = this.overridesPrice && (call.images ?? endpoint.limitOutput) !== undefined;
    const overridden = isOverridden ? overriddenCalls(call, admission.candidates, model) : undefined;
    return {
      requestId,
      path,
      endpoint,
      caller,
      admission,
      call,
      overridden,
      rawBody,
      price,
      drawing,
      advice,
      prices,
      budgets,
      asked: undefined,
      guard,
      capture,
      startedAt,
    };
  }

  private get overridesPrice(): boolean {
    const { channels, options } = this.deps;
    return channels.table.overridesPrice && !options.values['global.pass_through_request_enabled'];
  }

  /** Whether some budget or limit per minute may count calls of this caller. */
  private isBudgeted({ user, token }: Caller): boolean {
    return (
      !this.deps.sharedBudgets.isEmpty ||
      token.budgets.length + user.budgets.length + token.rates.length + user.rates.length > 0
    );
  }

  /** The call after all guardrails for input: the same one, or with a masked body. @throws AppError SENSITIVE_WORDS, GUARDRAIL_BLOCKED */
  private async checked(asked: AskedCall, admission: Admission, priced: PricedCall): Promise<PricedCall> {
    const { endpoint, incoming, caller } = asked;
    const { guardrails, options } = this.deps;
    const { words } = guardrails;
    const { requestId } = incoming;
    const time = new SearchTime();
    if (words.enabled) {
      await words.check(endpoint.texts(priced.call.body), { userId: caller.user.id, requestId, time });
    }
    if (options.values['guardrails.rules'].length === 0) return priced;
    const guard = guardrails.of(caller, admission.group, admission.model, requestId, time);
    return guard ? this.guarded(asked, admission, { ...priced, guard }, guard) : priced;
  }

  private async guarded(
    asked: AskedCall,
    admission: Admission,
    priced: PricedCall,
    guard: CallGuard,
  ): Promise<PricedCall> {
    asked.guard = guard;
    if (!guard.checksInput) return priced;
    const { body, form } = asked.opened;
    const texts = await bodyTexts(body);
    try {
      const passed = await guard.apply(texts, 'input');
      if (passed === texts) return priced;
      const masked = await withTexts(body, passed);
      asked.opened = { ...asked.opened, body: masked, ...(form ? { form: withFields(form, masked) } : {}) };
      if (!form) asked.rawBody = await jsonInTurns(masked);
      return this.price(asked, admission);
    } catch (error) {
      this.deps.errors.guarded({ call: priced, error, failure: toCallFailure(error), usedChannels: [] });
      throw error;
    }
  }

  private reserve(call: PricedCall, asked: AskedCall): Promise<ReservedCall> {
    const { caller, admission } = call;
    const limits = this.isBudgeted(caller)
      ? this.deps.budgets.rates(caller, admission.group, admission.bareModel)
      : null;
    return limits
      ? reserveCounted(call, limits, asked, this.deps, () => this.reserveQuota(call))
      : this.reserveQuota(call);
  }

  private reserveQuota(asked: PricedCall): Promise<ReservedCall> {
    const { keys, ledger, options } = this.deps;
    const { requestId } = asked;
    const reserving = reserveFor(asked, ledger, options.values);
    this.running.waits(requestId);
    return reserving.then(
      (reserved) => {
        this.running.goesOn(requestId);
        return reserved;
      },
      (error: unknown) => {
        this.running.goesOn(requestId);
        this.deps.budgets.refused(error);
        if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') keys.forget(asked.caller.key);
        throw error;
      },
    );
  }

  /** Returns the reservation if the call fails. */
  private trySend(
    reserved: ReservedCall,
    incoming: IncomingCall,
    client: ClientResponse,
    failedBefore?: readonly number[],
    avoidsFailed = false,
  ): Promise<Served | Failure> {
    const failed = async (error: unknown): Promise<Failure> => {
      reserved.rates?.correct(0);
      await this.deps.ledger.release(reserved.reservation);
      const usedChannels = error instanceof CallFailedError ? error.usedChannels : (failedBefore ?? []);
      return { error, usedChannels, call: reserved.call };
    };
    let sending: Promise<Served>;
    try {
      sending = this.send(reserved, incoming, client, failedBefore, avoidsFailed);
    } catch (error) {
      return failed(error);
    }
    return sending.catch(failed);
  }

  private send(
    { call, cover, reservation }: ReservedCall,
    incoming: IncomingCall,
    client: ClientResponse,
    failedBefore: readonly number[] | undefined,
    avoidsFailed: boolean,
  ): Promise<Served> {
    const { requestId, endpoint, admission, caller } = call;
    const { sent } = call.call;
    const path = sent?.path ?? incoming.path + dialectQuery(incoming.query);
    const rawBody = sent?.rawBody ?? call.rawBody;
    const { headers: clientHeaders } = incoming;
    return this.deps.attempts.serve(
      {
        requestId,
        endpoint,
        admission,
        caller,
        call: call.call,
        price: call.price,
        path,
        rawBody,
        clientHeaders,
        failedBefore,
        avoidsFailed,
        guard: call.guard,
        keepsContent: call.capture !== undefined,
        trace: incoming.trace,
        stopAt: cover?.stopAt,
        // As the budgets of the caller count it.
        use: () => reservedUse(call, reservation.priced ? Math.max(1, reservation.amount) : reservation.amount),
      },
      client,
    );
  }

  /** Logs a call that was accepted and could not be served. Mistakes of the client are not logged. */
  private note(call: PricedCall, error: unknown): void {
    if (!(error instanceof CallFailedError) || error.cause instanceof ClientGoneError) return;
    const { cause, view, usedChannels } = error;
    this.deps.errors.note({ call, error: cause, failure: toCallFailure(cause, view), usedChannels });
  }
}

/** The call with the tools whose price is not known: the same one where there are none. A price per call covers all tools. */
function withUnpriced(call: RelayCall, price: Price, { UnpricedTools }: OptionValues): RelayCall {
  if (price.kind === 'call' || isFree(price)) return call;
  const names = unpricedTools(call.body, price.kind === 'card' ? price.card.prices : (price.tools ?? {}));
  return names.length === 0 ? call : { ...call, unpriced: { names, areRefused: UnpricedTools === 'refuse' } };
}

/** Characters that a header must not contain are replaced. */
const headerText = (model: string): string => model.replace(/[^\x21-\x7e]/g, '_');

/** Why a further way is passed over: the caller cannot pay for it, is at a limit, or it has no price. */
const skipped: ReadonlySet<string> = new Set([
  ...['INSUFFICIENT_QUOTA', 'INSUFFICIENT_TOKEN_QUOTA', 'BUDGET_EXCEEDED', 'RATE_LIMITED', 'MODEL_NOT_PRICED'],
]);

const boundToAccount: ReadonlySet<string> = new Set([
  ...['previous_response_not_found', 'unknown_id', 'encrypted_reasoning_unusable'],
]);

const isNoChannel = (error: unknown): boolean => isAppError(error) && error.code === 'NO_CHANNEL';

/** Whether another group or model may serve the call after this failure. */
function mayMove(error: unknown, client: ClientResponse): boolean {
  if (client.started || client.gone) return false;
  if (error instanceof CallFailedError) return error.mayMove;
  // The account that stores what the call continues may serve another group.
  return isNoChannel(error) || (error instanceof RelayError && boundToAccount.has(error.wireCode));
}

/** The failure of the call as it was asked, unless there was no channel for it; the soonest end of rests. */
function clearer(first: Failure, next: Failure): Failure {
  const { usedChannels } = next;
  const [before, after] = [causeOf(first.error), causeOf(next.error)];
  const isSooner =
    isRateLimit(before) && isRateLimit(after) && (after.retryAfterSeconds ?? 0) < (before.retryAfterSeconds ?? 0);
  const shown = isNoChannel(before) || isSooner ? next : first;
  const { error } = shown;
  const call = first.call ?? next.call;
  return error instanceof CallFailedError
    ? { error: new CallFailedError(error.cause, error.view, usedChannels, false, error.isStream), usedChannels, call }
    : { error, usedChannels, call };
}

const causeOf = (error: unknown): unknown => (error instanceof CallFailedError ? error.cause : error);

const isRateLimit = (error: unknown): error is AppError => isAppError(error) && error.code === 'RATE_LIMITED';

/** The parts of a form with the texts of the masked body. */
const withFields = (form: readonly FormPart[], body: Readonly<Record<string, unknown>>): FormPart[] =>
  form.map((part) => {
    const text = body[part.name];
    return typeof part.value === 'string' && typeof text === 'string' ? { ...part, value: text } : part;
  });

async function measured(call: PricedCall): Promise<PricedCall> {
  const measuredTokens = await call.endpoint.measure?.(call.call, call.admission.bareModel);
  return { ...call, call: { ...call.call, measuredTokens } };
}

/** Option `global.block_browser_extension_enabled`. */
function refuseExtensions(origin: string | undefined): void {
  if (origin?.includes('extension') && origin.includes('://')) {
    throw new AppError('BROWSER_EXTENSION_BLOCKED', 'browser extension blocked');
  }
}
