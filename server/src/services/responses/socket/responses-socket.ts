import { WebSocket, type RawData } from 'ws';
import { newRequestId } from '../../../shared/ids.js';
import { AppError, InvalidInputError } from '../../../shared/errors.js';
import type { Caller } from '../../../gateway/admit/authentication.js';
import type { KeyDirectory } from '../../../gateway/admit/key-directory.js';
import type { BodyBudget, BodyGrant } from '../../../gateway/admit/body-budget.js';
import { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { unpaidBodyBytes } from '../../../gateway/incoming-request.js';
import type { Relay } from '../../../gateway/pipeline.js';
import { sendFailure } from '../../../gateway/deliver/send-failure.js';
import { responsesEndpoint } from '../../chat/chat-endpoints.js';
import { toCallFailure } from '../../../dialects/errors/failure.js';
import { parseAhead, parseJsonBody } from '../../../dialects/wire/forms/json-body.js';
import { asFields, someText, type Fields, type Json } from '../../../dialects/neutral/fields.js';
import { responseObject } from '../../../dialects/languages/responses/response-object.js';
import { fromResponsesUsage } from '../../../dialects/languages/responses/responses-usage.js';
import { noUsage } from '../../../shared/usage.js';
import { toJsonBytes } from '../json-pieces.js';
import { itemsOf } from '../resumed-call.js';
import { responsesCall, type ResponsesDeps } from '../responses-calls.js';
import { FrameResponse, responseIn } from './frame-response.js';
import { KeptConversation, type Conversation } from './kept-conversation.js';
import { unixSecond } from '../../../shared/clock.js';

export interface ResponsesSocketDeps extends ResponsesDeps {
  readonly relay: Pick<Relay, 'serve' | 'identify'>;
  readonly keys: Pick<KeyDirectory, 'hasPaid'>;
  readonly bodies: BodyBudget;
}

/** Maximum number of calls that wait or run on one connection. */
const maxCalls = 32;

/** A received event. */
interface Frame {
  readonly bytes: Buffer;
  readonly requestId: string;
  /** Counts the bytes of the event while it waits. */
  readonly grant: BodyGrant;
}

/** A call that waits for earlier calls of its `stream_id`. */
interface Queued extends Omit<Frame, 'bytes'> {
  readonly event: Json;
  readonly lane: string | null;
}

/**
 * One connection of `GET /v1/responses`. Each `response.create` is a separate call, admitted, charged and limited as
 * over HTTP. Calls of one `stream_id` run one after the other.
 */
export class ResponsesSocket {
  private readonly lanes = new Map<string, Promise<void>>();
  private readonly running = new Set<FrameResponse>();
  private readonly kept: KeptConversation;
  private calls = 0;
  private parsing: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: WebSocket,
    private readonly handshake: IncomingRequest,
    private readonly caller: Caller,
    private readonly deps: ResponsesSocketDeps,
  ) {
    this.kept = new KeptConversation(deps.bodies.open(caller.user.id));
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => this.receive(toBuffer(data), isBinary));
    socket.on('close', () => {
      for (const response of this.running) response.destroy();
      this.kept.close();
    });
  }

  /** Resolves when no call is running. */
  async idle(): Promise<void> {
    await this.parsing;
    await Promise.all(this.lanes.values());
  }

  /** Sends an error that belongs to no call. */
  report(error: unknown): void {
    this.answer(null, newRequestId()).fail(error);
  }

  private receive(frame: Buffer, isBinary: boolean): void {
    const requestId = newRequestId();
    if (isBinary) return this.answer(null, requestId).fail(new InvalidInputError('Events are text frames'));
    if (this.calls >= maxCalls) {
      const error = new AppError('RATE_LIMITED', `At most ${maxCalls} calls may wait on one connection`);
      return this.answer(null, requestId).fail(error);
    }
    // Frames that wait for others are counted like bodies.
    const grant = this.deps.bodies.open(this.caller.user.id);
    try {
      grant.grow(frame.length);
    } catch (error) {
      return this.answer(null, requestId).fail(error);
    }
    this.calls++;
    // A long event takes several turns of the event loop to parse, and must not be overtaken.
    this.parsing = this.parsing.then(() => this.parse({ bytes: frame, requestId, grant }));
  }

  /** Parses a frame. Never throws. */
  private async parse(frame: Frame): Promise<void> {
    const { bytes, requestId, grant } = frame;
    const refuse = (error: unknown, lane: string | null = null): void => {
      this.leave(frame);
      this.answer(lane, requestId).fail(error);
    };
    try {
      if (bytes.length > unpaidBodyBytes && !(await this.isPaid(requestId))) throw tooLargeUnpaid();
      await parseAhead(bytes);
      const event = parseJsonBody(bytes);
      const lane = someText(event['stream_id']) ?? null;
      // Clients acknowledge responses that they have read.
      if (event['type'] === 'response.processed') this.leave(frame);
      else if (event['type'] === 'response.create') this.enqueue({ requestId, grant, event, lane });
      else refuse(new InvalidInputError('type must be response.create', 'type'), lane);
    } catch (error) {
      refuse(error);
    }
  }

  /**
   * Checks that the key is still valid, and its owner has a balance or a plan with a price.
   * @throws AppError
   */
  private async isPaid(requestId: string): Promise<boolean> {
    const { relay, keys } = this.deps;
    const { caller } = await relay.identify({ ...this.handshake, requestId });
    return keys.hasPaid(caller.user);
  }

  private enqueue(queued: Queued): void {
    const name = queued.lane ?? '';
    const before = this.lanes.get(name) ?? Promise.resolve();
    const done = before
      .then(() => this.create(queued))
      .finally(() => {
        this.leave(queued);
        if (this.lanes.get(name) === done) this.lanes.delete(name);
      });
    this.lanes.set(name, done);
  }

  /** Releases a frame. Call it once per counted frame. */
  private leave({ grant }: Pick<Frame, 'grant'>): void {
    this.calls--;
    grant.release();
  }

  /** Runs a call. Never throws: failures are sent to the client. */
  private async create({ event, lane, requestId, grant }: Queued): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const { type: _type, stream_id: _lane, background: _background, generate, ...body } = event;
    let asked: Conversation = { previousId: null, items: [] };
    const isWarmUp = generate === false || asFields(body['prompt_cache_options'])?.['prewarm'] === true;
    const isKept = body['store'] === false;
    const answer = this.answer(lane, requestId, (text) => {
      const response = isKept ? responseIn(text) : null;
      if (response) this.kept.keep(asked, response);
    });
    try {
      const resumed = await this.resumed(body, isKept || isWarmUp, grant);
      asked = { previousId: someText(resumed['previous_response_id']) ?? null, items: itemsOf(resumed['input']) };
      if (isWarmUp) {
        await this.deps.relay.identify({ ...this.handshake, requestId });
        return answer.warmUp(resumed, asked);
      }
      const call = responsesCall(this.incoming(resumed, requestId, grant), this.deps);
      await this.deps.relay.serve(call.endpoint, call.incoming, answer.client);
    } catch (error) {
      answer.fail(error);
    } finally {
      this.running.delete(answer.response);
    }
  }

  /**
   * Returns the body with the conversation that it continues, if the conversation is on this connection or will be
   * stored there. The id of a response that its provider stores is kept.
   * @param grant counts the bytes of a stored conversation
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  private async resumed(body: Json, isKept: boolean, grant: BodyGrant): Promise<Json> {
    const id = someText(body['previous_response_id']);
    if (id === undefined) return body;
    const kept = this.kept.find(id);
    if (kept) return this.continued(body, kept);
    const { responses } = this.deps;
    const stored = responses.enabled ? await responses.find(this.caller.token.id, id, grant) : null;
    if (stored?.own && isKept) return this.continued(body, { previousId: null, items: stored.own.items });
    // The call itself checks an id that is not known on this connection.
    return body;
  }

  private continued(body: Json, before: Conversation): Json {
    const { previous_response_id: _id, ...rest } = body;
    const all = [...before.items, ...itemsOf(body['input'])];
    const { items, begin } = this.deps.summaries.opened(all, this.caller.token.id);
    // A summary also replaces a response that the provider stores.
    const isAfterStored = before.previousId !== null && begin < 0;
    return { ...rest, ...(isAfterStored ? { previous_response_id: before.previousId } : {}), input: items };
  }

  /** @param waiting counts the frame until the call counts its body */
  private incoming(body: Json, requestId: string, waiting: BodyGrant): IncomingRequest {
    return {
      ...this.handshake,
      requestId,
      startedAt: performance.now(),
      readBody: async ({ maxBytes, grant } = {}) => {
        const raw = await toJsonBytes({ ...body, stream: true });
        if (maxBytes !== undefined && raw.length > maxBytes) throw tooLargeUnpaid();
        waiting.release();
        grant?.grow(raw.length);
        await parseAhead(raw);
        return raw;
      },
    };
  }

  private answer(lane: string | null, requestId: string, onEvent: (text: string) => void = () => undefined): Answer {
    const { socket } = this;
    const frames = {
      get bufferedAmount() {
        return socket.bufferedAmount;
      },
      send: (text: string, sent: () => void) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text, sent);
      },
    };
    const response = new FrameResponse(frames, lane, onEvent);
    const client = new ClientResponse(response, {});
    const { handshake } = this;
    this.running.add(response);
    return {
      response,
      client,
      fail: (error) => {
        sendFailure(client, toCallFailure(error), requestId, responsesEndpoint.errors({ ...handshake, requestId }));
        this.running.delete(response);
      },
      warmUp: (body, asked) => {
        const id = `resp_${requestId}`;
        const model = someText(body['model']) ?? '';
        const created = unixSecond(Date.now());
        const context = { id: requestId, created, model, promptTokens: 0, includeUsage: true, body };
        const begun = responseObject({ id, created, model }, context, {});
        const completed = { ...begun, status: 'completed', usage: fromResponsesUsage(noUsage) };
        this.kept.keep(asked, completed);
        client.openStream({});
        client.write(eventText({ type: 'response.created', sequence_number: 0, response: begun }));
        client.end(eventText({ type: 'response.completed', sequence_number: 1, response: completed }));
      },
    };
  }
}

/** The response to one call. */
interface Answer {
  readonly response: FrameResponse;
  readonly client: ClientResponse;
  fail(error: unknown): void;
  /** Records a response without output, from which the next call may continue. */
  warmUp(body: Fields, asked: Conversation): void;
}

const tooLargeUnpaid = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', 'The request is too large for an account without balance');

const eventText = (event: Fields): string => `data: ${JSON.stringify(event)}\n\n`;

const toBuffer = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
