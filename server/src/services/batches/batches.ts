import type { FastifyRequest } from 'fastify';
import { batchPlatform, creativeKind, type CreativeTask, type TaskLedger } from '../../console/tasks/index.js';
import type { Reservation } from '../../billing/ledger/index.js';
import type { Price } from '../../billing/prices/index.js';
import { malformed, RelayError } from '../../dialects/errors/relay-error.js';
import { parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { parseAhead, parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { readerOf, recordedAddress, type Caller } from '../../gateway/admit/authentication.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import type { Hijacked } from '../../gateway/incoming-request.js';
import type { PlanPayment } from '../../gateway/call.js';
import { overflowNote, overflowPart } from '../../gateway/reserve/plan-payment.js';
import { wordedQuotaError } from '../../gateway/reserve/reserve.js';
import { notFound } from '../../gateway/route/affinity/call-origin.js';
import { withoutKey } from '../../gateway/send/redact-key.js';
import type { BatchTerms } from '../../gateway/settle/batch-bill.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import type { Logger } from '../../platform/observability/logger.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { BuiltRelay } from '../built-relay.js';
import type { ObjectAccount } from '../objects/object-accounts.js';
import type { ObjectCall } from '../objects/object-calls.js';
import { forward } from '../objects/object-exchange.js';
import { text } from '../tasks/field.js';
import type { TaskDesk } from '../tasks/task-desk.js';
import type { BatchDialect } from './batch-dialect.js';
import { checkPresent, tooManyCreations } from './batch-errors.js';
import type { BatchEstimate } from './batch-lines.js';
import { shownBatch, storedBatch, toStored, type BatchStore, type StoredBatch } from './batch-row.js';
import { isDescribed, isEnded, isRefusal, type BatchWatch } from './batch-watch.js';

export interface BatchesDeps {
  readonly objects: BuiltRelay['keptObjects'];
  readonly desk: TaskDesk;
  readonly taskLedger: TaskLedger;
  readonly store: BatchStore;
  readonly watch: BatchWatch;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A batch that was checked and is about to be reserved and sent. */
export interface BatchSubmission {
  readonly dialect: BatchDialect;
  readonly account: ObjectAccount;
  readonly estimate: BatchEstimate;
  /** The path of its calls. */
  readonly endpoint: string;
  /** The request that creates it at its maker. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reads and checks the request that creates a batch. */
export interface BatchSubmissions {
  read(call: ObjectCall, body: Fields): Promise<BatchSubmission>;
}

/** The price of a batch by a way of payment. */
interface BatchPayment {
  readonly price: Price;
  /** Quota that is reserved. */
  readonly quota: number;
  readonly overflow: BatchTerms['overflow'];
}

const json = { 'content-type': 'application/json; charset=utf-8' };
const maxPage = 100;
/** Creations of one user that run at a time. Each reads and checks a whole file. */
const creationsAtOnce = 2;
const resource = { path: '/v1/batches', noun: 'batch', apis: ['openai'], isPaidByPlan: true } as const;

/** Batches of calls, which their makers run within a day at a lower price (docs/reference/relay/batches.md). */
export class Batches {
  /** Creations that are running, by user. */
  private readonly creations = new Map<number, number>();

  constructor(private readonly deps: BatchesDeps) {}

  /** Creates a batch. Never throws. */
  create(submissions: BatchSubmissions, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    const { calls } = this.deps.objects;
    return calls.admit(hijacked, request, async (call) => {
      await calls.checkMayCreate(resource, call);
      const { incoming, caller, grant, client } = call;
      const rawBody = await incoming.readBody({ grant, tokenId: caller.token.id });
      await parseAhead(rawBody);
      const { id } = caller.user;
      const running = this.creations.get(id) ?? 0;
      if (running >= creationsAtOnce) throw tooManyCreations(creationsAtOnce);
      this.creations.set(id, running + 1);
      try {
        const submission = await submissions.read(call, parseJsonBody(rawBody));
        this.send(submission.dialect, client, request, await this.submit(call, submission));
      } finally {
        const left = (this.creations.get(id) ?? 1) - 1;
        if (left > 0) this.creations.set(id, left);
        else this.creations.delete(id);
      }
    });
  }

  /** Sends a page of the caller's batches. Never throws. */
  list(dialect: BatchDialect, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    return this.deps.objects.calls.admit(hijacked, request, async ({ caller, incoming, client }) => {
      const query = new URLSearchParams(incoming.query);
      const limit = Number(query.get(dialect.sizeName) ?? 20);
      if (!Number.isInteger(limit) || limit < 1 || limit > maxPage) {
        throw malformed(`${dialect.sizeName} must be from 1 to ${maxPage}`);
      }
      const after = query.get(dialect.afterName);
      const from = after === null || after === '' ? null : await this.own(dialect, caller, after);
      const rows = await this.deps.store.ownPage(readerOf(caller), batchPlatform, {
        from,
        limit: limit + 1,
        isAscending: false,
        api: dialect.api,
      });
      const page = rows.slice(0, limit);
      const data = page.map((row) => dialect.presented(shownBatch(row), addressOf(request)));
      const ids = page.map(({ taskId }) => taskId);
      client.send(200, json, JSON.stringify(dialect.page({ data, ids, hasMore: rows.length > limit })));
    });
  }

  /** Sends a batch of the caller. A batch that has ended at its maker is charged first, so that its results can be read. */
  read(dialect: BatchDialect, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    return this.deps.objects.calls.admit(hijacked, request, async ({ caller, client }) => {
      const row = await this.own(dialect, caller, idIn(dialect, request));
      const stored = shownBatch(row);
      // The results of a batch that was given up were not charged.
      const isGivenUp = !dialect.report(stored).isOver;
      if (isEnded(row) && (isGivenUp || dialect.isStoredWhole)) return this.send(dialect, client, request, stored);
      const account = this.accountOf(row, dialect, caller);
      const { maxBytes } = dialect;
      const batch = await this.ask(account, 'GET', dialect.pathOf(row.taskId), { maxBytes });
      const shown = isEnded(row) ? dialect.shown(batch) : await this.noted(row, dialect, account, batch);
      this.send(dialect, client, request, shown);
    });
  }

  /** Cancels a batch of the caller at its maker. Calls that have ended by then are charged. Never throws. */
  cancel(dialect: BatchDialect, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    return this.deps.objects.calls.admit(hijacked, request, async ({ caller, client }) => {
      const row = await this.own(dialect, caller, cancelledId(dialect, request));
      const account = this.accountOf(row, dialect, caller);
      const batch = await this.ask(account, 'POST', dialect.pathOf(row.taskId) + dialect.cancelling);
      if (!isDescribed(dialect, batch)) return client.send(200, json, JSON.stringify(batch));
      this.send(dialect, client, request, await this.noted(row, dialect, account, batch));
    });
  }

  /** Sends the results of a batch that has ended here, as they arrive. Never throws. */
  results(dialect: BatchDialect, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    return this.deps.objects.calls.admit(hijacked, request, async ({ caller, client }) => {
      const row = await this.own(dialect, caller, idIn(dialect, request));
      const { isOver, results } = dialect.report({ ...shownBatch(row), id: row.taskId });
      const [path] = results;
      // The description of a batch that was given up is of the time when it ran. Its results were not charged.
      if (!isEnded(row) || !isOver || path === undefined)
        throw notFound({ field: 'the path', id: row.taskId }, 'has no results yet');
      const account = this.accountOf(row, dialect, caller);
      const { exchange } = this.deps.objects;
      await exchange.ask(account, { method: 'GET', path }, (answer) => forward(answer, client), client);
    });
  }

  /** Deletes a batch that has ended, at its maker and from the lists of its owner. Never throws. */
  remove(dialect: BatchDialect, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    return this.deps.objects.calls.admit(hijacked, request, async ({ caller, client }) => {
      const row = await this.own(dialect, caller, idIn(dialect, request));
      if (!isEnded(row)) throw malformed('a batch that is not ended cannot be deleted');
      const account = this.accountOf(row, dialect, caller);
      const said = await this.ask(account, 'DELETE', dialect.pathOf(row.taskId));
      await this.deps.store.hide(row.id);
      client.send(200, json, JSON.stringify(said));
    });
  }

  private send(dialect: BatchDialect, client: ClientResponse, request: FastifyRequest, batch: Fields): void {
    client.send(200, json, JSON.stringify(dialect.presented(batch, addressOf(request))));
  }

  /** Stores what the maker says about a batch, and returns what its owner gets to see. */
  private async noted(
    row: CreativeTask,
    dialect: BatchDialect,
    account: ObjectAccount,
    batch: Fields,
  ): Promise<Fields> {
    try {
      await this.deps.watch.note(row, dialect, account, batch);
    } catch (err) {
      this.deps.logger.warn({ err, task: row.id }, 'the results of a batch could not be read');
      if (dialect.report(batch).isOver) return dialect.shown(dialect.unfinished(batch));
    }
    return dialect.shown(batch);
  }

  private async own({ api }: BatchDialect, caller: Caller, id: string): Promise<CreativeTask> {
    const row = await this.deps.store.own(readerOf(caller), batchPlatform, id);
    if (row && storedBatch(row).api === api && row.properties.deleted !== true) return row;
    throw notFound({ field: 'the path', id }, 'is not known');
  }

  private accountOf(row: CreativeTask, { api }: BatchDialect, { user }: Caller): ObjectAccount {
    const stored = { channelId: row.channelId, keyMark: row.keyPrint };
    const account = this.deps.objects.accounts.usable(stored, api, user.id);
    if (account) return account;
    throw notFound({ field: 'the path', id: row.taskId }, 'belongs to an account that cannot serve this call');
  }

  private ask(
    account: ObjectAccount,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    {
      body = null,
      headers = {},
      maxBytes,
    }: {
      readonly body?: Buffer | null;
      readonly headers?: BatchSubmission['headers'];
      readonly maxBytes?: number | undefined;
    } = {},
  ): Promise<Fields> {
    const { exchange } = this.deps.objects;
    const sent = {
      method,
      path,
      body,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    };
    return exchange.ask(account, sent, async (answer: Exchange) => {
      const fields = parseFields((await exchange.collect(answer, maxBytes)).toString('utf8'));
      if (!fields) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not JSON');
      return fields;
    });
  }

  /**
   * Reserves a batch and creates it at its maker. The row is written in between, so that a batch is found again whose
   * creation was not confirmed.
   */
  private async submit(call: ObjectCall, submission: BatchSubmission): Promise<Fields> {
    checkPresent(call);
    const { caller, incoming } = call;
    const { desk, taskLedger, clock } = this.deps;
    const { account, estimate, dialect, endpoint } = submission;
    const { route, amount, lines, promptTokens, outputTokens } = estimate;
    const target = { channelId: account.channel.id, keyPrint: account.keyMark };
    const priceFor = (payment: PlanPayment | null): BatchPayment => {
      const groupRatio = overflowPart(estimate.price.groupRatio, payment);
      const price = { ...estimate.price, groupRatio };
      // Each line was rounded up, so the part of the sum covers the part of the charge.
      const quota = Math.ceil(overflowPart(amount, payment));
      return { price, quota, overflow: overflowNote(payment) };
    };
    const tokens = promptTokens + outputTokens;
    const { reservation, price: paid } = await desk
      .reserve(caller, incoming.requestId, { route, target, priceFor, tokens, requests: lines })
      .catch((error: unknown) => {
        throw wordedQuotaError(error, desk.values);
      });
    const row = {
      ...desk.creativeOwnerOf(wholeSecond(clock.now()), caller, target, reservation),
      platform: batchPlatform,
      action: 'BATCH',
      properties: {
        input: `${lines} × ${endpoint}, ${route.model}`,
        model: route.model,
        terms: termsOf(submission, call, desk.values.QuotaPerUnit, {
          ...paid,
          subscriptionId: reservation.subscriptionId,
        }),
      },
    };
    const id = await taskLedger.open(creativeKind, row, reservation);
    let batch: Fields;
    try {
      batch = await this.ask(account, 'POST', submission.path, submission);
    } catch (error) {
      // After any other failure the batch may exist. It is looked for later.
      if (isRefusal(error)) {
        const failReason = text(withoutKey(error instanceof Error ? error.message : '', account.key), 4000);
        await taskLedger.refuse(creativeKind, id, { failReason }, reservation);
      }
      throw error;
    }
    const { id: taskId } = dialect.report(batch);
    if (taskId === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream returned no id of a batch');
    const shown = dialect.shown(batch);
    await taskLedger.move(creativeKind, id, { taskId, status: 'SUBMITTED', data: toStored(dialect.stored(shown)) });
    await desk.succeeded(caller);
    return shown;
  }
}

function termsOf(
  { account, estimate, endpoint }: BatchSubmission,
  { caller, incoming }: ObjectCall,
  quotaPerUnit: number,
  { price, quota, overflow, subscriptionId }: BatchPayment & Pick<Reservation, 'subscriptionId'>,
): StoredBatch {
  const { route, lines, promptTokens, possible } = estimate;
  const api = account.channel.provider.adapter.keptObjects?.api;
  if (!api) throw new RelayError('NO_CHANNEL', 'The channel keeps no objects', 'no_object_channel');
  return {
    api,
    lines,
    meanPrompt: Math.ceil(promptTokens / lines),
    price,
    group: route.group,
    model: route.model,
    bareModel: route.bareModel,
    endpoint,
    tokenName: caller.token.name,
    address: recordedAddress(caller, incoming.address),
    reserved: quota,
    subscriptionId,
    overflow,
    quotaPerUnit,
    possible,
  };
}

/** Returns the address of this server, as the client reached it. */
const addressOf = ({ protocol, host, server }: FastifyRequest): string => `${protocol}://${host}${server.basePath}`;

const idIn = (dialect: BatchDialect, { params }: FastifyRequest): string =>
  dialect.idOf((params as { id?: string }).id ?? '');

/** Returns the id in the path of a cancellation. At Google it has the verb behind it. */
function cancelledId(dialect: BatchDialect, request: FastifyRequest): string {
  const { cancelling } = dialect;
  const id = idIn(dialect, request);
  if (cancelling.startsWith('/')) return id;
  return id.endsWith(cancelling) ? id.slice(0, -cancelling.length) : '';
}
