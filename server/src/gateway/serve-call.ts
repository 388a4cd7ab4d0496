import type { OptionValues } from '../options/option-registry.js';
import { isAppError, type AppError } from '../shared/errors.js';
import { writeJson } from '../shared/exact-json.js';
import { jsonInTurns } from '../shared/json-in-turns.js';
import { toCallFailure } from '../dialects/errors/failure.js';
import { RelayError } from '../dialects/errors/relay-error.js';
import { largeBody } from '../dialects/wire/forms/json-body.js';
import { namedIds } from '../dialects/languages/provider-ids.js';
import type { Call, OpenedRequest, ReadRequest } from './call.js';
import type { ClientResponse } from './deliver/client-response.js';
import { ClientGoneError } from './deliver/delivery.js';
import type { RelayDeps } from './deps.js';
import type { Endpoint } from './endpoint.js';
import type { RunningCalls } from './observe/running-calls.js';
import { CallPreparation, refuseExtensions, reservedUse } from './prepare-call.js';
import type { IncomingRequest, OpenedBody } from './request.js';
import type { Reserved } from './reserve/reserve.js';
import { findRoute, groupOf, withAllowedTools, withoutOtherModels, type CallRoute } from './route/call-route.js';
import { namedOrigin } from './route/affinity/named-origin.js';
import { fallbacks } from './route/fallbacks.js';
import { CallFailedError, type Served } from './send/attempts.js';

/** A served call with its reservation and response. It is charged next. */
export interface ServedReservation {
  readonly reserved: Reserved;
  readonly served: Served;
}

/** The failure that the client gets if no fallback is left, and the channels that failed. */
interface Failure {
  readonly error: unknown;
  readonly usedChannels: readonly number[];
  /** The call as it was first tried, for the log. */
  readonly call: Call | null;
}

/** Channels that failed the call before. */
interface Before {
  readonly failed?: readonly number[];
  /** Whether those channels failed with this model, so that other channels are preferred. */
  readonly areAvoided?: boolean;
}

/** The response header that names the model when a fallback model served the call. */
const modelHeader = 'x-tollgate-model';

/**
 * Routes, prices, checks, reserves and sends a call. If the call cannot be served as requested, it is priced, reserved
 * and sent again with each fallback that its caller allows: the next group, or the next model
 * (docs/reference/relay/routing.md#fallback).
 */
export class CallServer {
  private readonly preparation: CallPreparation;

  constructor(
    private readonly deps: RelayDeps,
    running: RunningCalls,
  ) {
    this.preparation = new CallPreparation(deps, running);
  }

  /**
   * Serves a call.
   * @throws AppError, CallFailedError: nothing is reserved then
   */
  async serve(read: ReadRequest): Promise<ServedReservation> {
    const opened = this.open(read);
    const asked = opened instanceof Promise ? await opened : opened;
    let failure: Failure;
    let group: string | null = null;
    try {
      const route = this.route(asked);
      group = route.group;
      const checking = this.preparation.check(asked, this.preparation.price(asked, route));
      const checked = checking instanceof Promise ? await checking : checking;
      const reserved = await this.preparation.reserve(asked, checked);
      const sent = await this.send(reserved, asked.client);
      if (!('error' in sent)) return { reserved, served: sent };
      failure = sent;
    } catch (error) {
      if (!isNoChannel(error)) {
        if (isAppError(error) && error.code === 'MODEL_NOT_PRICED') this.noteRefused(asked, group, error);
        throw error;
      }
      failure = { error, usedChannels: [], call: null };
    }
    return this.serveByFallback(asked, group, failure);
  }

  /**
   * Opens, routes, prices and checks a request that a provider will run later, such as a line of a batch. Nothing is
   * reserved or sent.
   * @param route returns the channels that may serve a model
   * @throws AppError
   */
  async prepare(read: ReadRequest, route: (model: string) => CallRoute): Promise<Call> {
    const asked = await this.open(read);
    return this.preparation.check(asked, this.preparation.price(asked, route(asked.opened.model)));
  }

  /** Parses the body as far as routing needs it, and removes parts that the caller's key does not allow. */
  private open(read: ReadRequest): OpenedRequest | Promise<OpenedRequest> {
    const { endpoint, incoming, caller, rawBody, grant, client } = read;
    const { options } = this.deps;
    const given = withoutOtherModels(
      openBody(options, endpoint, rawBody, incoming),
      endpoint.limitOutput !== undefined,
    );
    const opened = withAllowedTools(caller, given);
    const isChanged = !opened.form && (opened.dropped !== undefined || opened.isRewritten === true);
    if (options.values['global.block_browser_extension_enabled']) refuseExtensions(incoming.headers.origin);
    // Nearly all calls name nothing that a provider stores.
    const ids = namedIds(endpoint.names, opened.body);
    const checks = { guard: undefined, searchTime: null, named: null, counted: null };
    const asked = { endpoint, incoming, caller, rawBody, grant, client, opened, ...checks };
    return isChanged || ids.length > 0 ? this.completed(asked, isChanged, ids) : asked;
  }

  /** Writes a changed body, and finds the account that stores the objects which the body names. */
  private async completed(
    asked: OpenedRequest,
    isChanged: boolean,
    ids: ReturnType<typeof namedIds>,
  ): Promise<OpenedRequest> {
    const { caller, opened, rawBody } = asked;
    return {
      ...asked,
      rawBody: isChanged ? await writtenBody(opened.body, rawBody) : rawBody,
      named: ids.length > 0 ? await namedOrigin(ids, caller, this.deps.idOwners) : null,
    };
  }

  /** Checks rows 14 to 19 of docs/reference/relay/access.md#order-of-checks. */
  private route({ caller, opened }: OpenedRequest): CallRoute {
    return findRoute(caller, opened.model, this.deps.channels.table, this.deps.options);
  }

  /**
   * Serves a call by its fallbacks.
   * @throws the failure of the original request, or a clearer one
   */
  private async serveByFallback(
    asked: OpenedRequest,
    group: string | null,
    first: Failure,
  ): Promise<ServedReservation> {
    const { caller, endpoint, opened, client } = asked;
    const { channels, options, metrics } = this.deps;
    let failure = first;
    const { model, fallbackModels: named } = opened;
    const unserved = { caller, model, group, writesText: endpoint.limitOutput !== undefined, named };
    for (const route of mayFallBack(failure.error, client) ? fallbacks(unserved, channels.table, options) : []) {
      const reserved = await this.reserveFallback(asked, route);
      if (!reserved) continue;
      const isOtherModel = route.model !== opened.model;
      client.setHeader(modelHeader, isOtherModel ? headerText(route.model) : undefined);
      metrics.relayRetries.inc({ route: endpoint.route });
      const sent = await this.send(reserved, client, { failed: failure.usedChannels, areAvoided: !isOtherModel });
      if (!('error' in sent)) return { reserved, served: sent };
      failure = clearer(failure, sent);
      if (!mayFallBack(sent.error, client)) break;
    }
    client.setHeader(modelHeader, undefined);
    if (failure.call) this.note(failure.call, failure.error);
    else this.noteRefused(asked, group, failure.error);
    throw failure.error;
  }

  /**
   * Reserves a fallback.
   * @returns null when the caller cannot pay for it, or it has no price
   */
  private async reserveFallback(asked: OpenedRequest, route: CallRoute): Promise<Reserved | null> {
    try {
      const group = groupOf(asked.caller, this.deps.options);
      const checked = await this.preparation.check(asked, this.preparation.price(asked, route));
      return await this.preparation.reserve(asked, { ...checked, asked: { group, model: asked.opened.model } });
    } catch (error) {
      if (isAppError(error) && skipped.has(error.code)) return null;
      throw error;
    }
  }

  /** Sends the call. The reservation is released if the call fails. */
  private async send(reserved: Reserved, client: ClientResponse, before: Before = {}): Promise<Served | Failure> {
    const { call, estimate, reservation, rates } = reserved;
    try {
      return await this.deps.attempts.serve(
        {
          call,
          failedBefore: before.failed,
          avoidsFailed: before.areAvoided,
          stopAt: estimate?.stopAt,
          // The lease counts the same use as the caller's budgets.
          use: () => reservedUse(call, reservation.priced ? Math.max(1, reservation.amount) : reservation.amount),
        },
        client,
      );
    } catch (error) {
      rates?.correct(0);
      await this.deps.ledger.release(reservation);
      const usedChannels = error instanceof CallFailedError ? error.usedChannels : (before.failed ?? []);
      return { error, usedChannels, call };
    }
  }

  /**
   * Logs a call that was refused before any channel was tried.
   * @param group null for the group that the key asks for
   */
  private noteRefused({ caller, incoming, opened }: OpenedRequest, group: string | null, error: unknown): void {
    const { requestId, path, address, startedAt } = incoming;
    const route = { group: group ?? groupOf(caller, this.deps.options), model: opened.model };
    const request = { stream: opened.body['stream'] === true };
    const call = { requestId, path, address, caller, startedAt, route, request };
    this.deps.errors.refused({ call, error, failure: toCallFailure(error), usedChannels: [] });
  }

  /** Logs a call that was accepted and could not be served. Mistakes of the client are not logged. */
  private note(call: Call, error: unknown): void {
    if (!(error instanceof CallFailedError) || error.cause instanceof ClientGoneError) return;
    const { cause, view, usedChannels } = error;
    this.deps.errors.note({ call, error: cause, failure: toCallFailure(cause, view), usedChannels });
  }
}

interface PassThrough {
  readonly values: Pick<OptionValues, 'global.pass_through_request_enabled'>;
}

/**
 * Opens the body of a call, in the form that its endpoint expects.
 * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL, RelayError invalid_request
 */
export function openBody(
  { values }: PassThrough,
  endpoint: Endpoint,
  rawBody: Buffer,
  incoming: IncomingRequest,
): OpenedBody {
  const opened = endpoint.open(rawBody, incoming);
  if (!endpoint.translate || values['global.pass_through_request_enabled']) return opened;
  return endpoint.translate(opened);
}

/**
 * Writes a changed body. A large one is written in pieces, between which other calls run; a small one at once.
 * @param given the bytes that the body was parsed from
 */
export const writtenBody = (body: OpenedBody['body'], given: Buffer): Buffer | Promise<Buffer> =>
  given.length > largeBody ? jsonInTurns(body) : Buffer.from(writeJson(body));

/** Replaces characters that a header must not contain. */
const headerText = (model: string): string => model.replace(/[^\x21-\x7e]/g, '_');

/** Codes for which a fallback is skipped: the caller cannot pay for it, is at a limit, or it has no price. */
const skipped: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'INSUFFICIENT_TOKEN_QUOTA',
  'BUDGET_EXCEEDED',
  'RATE_LIMITED',
  'MODEL_NOT_PRICED',
]);

const boundToAccount: ReadonlySet<string> = new Set([
  'previous_response_not_found',
  'thread_not_found',
  'unknown_id',
  'encrypted_reasoning_unusable',
]);

const isNoChannel = (error: unknown): boolean => isAppError(error) && error.code === 'NO_CHANNEL';

/** Whether another group or model may serve the call after this failure. */
function mayFallBack(error: unknown, client: ClientResponse): boolean {
  if (client.started || client.gone) return false;
  if (error instanceof CallFailedError) return error.mayMove;
  // Only the account that stores the continued object can serve the call, and it may serve another group.
  return isNoChannel(error) || (error instanceof RelayError && boundToAccount.has(error.wireCode));
}

/**
 * Returns the failure of the original request, or the failure of the fallback if the request had no channel. Of two
 * cooldowns, the sooner end is returned.
 */
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
