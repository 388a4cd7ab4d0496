import type { FastifyRequest } from 'fastify';
import type { ObjectApi } from '../../dialects/contract.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { namedByObject } from '../../dialects/languages/provider-ids.js';
import { asFields, asText, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { readForm, textFields } from '../../dialects/wire/forms/multipart.js';
import { readerOf, type Caller } from '../../gateway/admit/authentication.js';
import type { BodyBudget, BodyGrant } from '../../gateway/admit/body-budget.js';
import type { InFlight } from '../../gateway/admit/in-flight.js';
import type { KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { ModelRateLimit } from '../../gateway/admit/rate-limit.js';
import { objectQuery } from '../../gateway/forwarded-query.js';
import { checkTarget, unpaidBodyBytes, type Hijacked } from '../../gateway/incoming-request.js';
import type { Relay } from '../../gateway/pipeline.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { isRateLimited } from '../../gateway/route/call-route.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import { safeResponseHeaders } from '../../gateway/upstream/upstream-client.js';
import type { OptionValues } from '../../options/option.service.js';
import { AppError } from '../../shared/errors.js';
import { sendError } from '../client-errors.js';
import { apiOf } from './object-api.js';
import type { ObjectAccount, ObjectAccounts } from './object-accounts.js';
import {
  announcedLength,
  bodyHeaders,
  featureHeaders,
  forward,
  StreamedBody,
  type ObjectExchange,
  type ObjectRequest,
} from './object-exchange.js';
import { listQuery, shownPage } from './object-lists.js';
import { tooLarge, type KeptObjects, type ObjectLimits, type ObjectOwner } from './kept-objects.js';
import { kindOf, nameOf, type BodyForm, type Resource } from './resources.js';
import { shownObject, type ShownObject } from './shown-object.js';

export interface ObjectCallsDeps {
  readonly relay: Pick<Relay, 'identify'>;
  readonly inFlight: InFlight;
  readonly rateLimit: ModelRateLimit;
  readonly keys: Pick<KeyDirectory, 'hasBalance' | 'hasPaid'>;
  readonly bodies: BodyBudget;
  readonly options: { readonly values: OptionValues };
  readonly objects: KeptObjects;
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
}

/** The operation of a request on a resource. */
export type ObjectAction =
  | { readonly does: 'create'; readonly body: BodyForm }
  | { readonly does: 'list' }
  | { readonly does: 'read' }
  | { readonly does: 'change' }
  | { readonly does: 'remove' }
  /** A request below one object. */
  | { readonly does: 'below'; readonly body: BodyForm };

/** An admitted request. */
export interface ObjectCall {
  readonly caller: Caller;
  readonly groups: readonly string[];
  readonly api: ObjectApi;
  readonly incoming: IncomingRequest;
  readonly client: Hijacked['client'];
  readonly request: FastifyRequest;
  readonly grant: BodyGrant;
}

/** A response that describes an object. */
interface Made {
  readonly exchange: Exchange;
  readonly bytes: Buffer;
  readonly fields: Fields;
}

const json = { 'content-type': 'application/json; charset=utf-8' };
/** The header and the query parameter that name the model of the calls which will use a new object. */
const modelHeader = 'x-tollgate-model';

/** Serves the objects that makers keep for an account. Each belongs to one user and one account. */
export class ObjectCalls {
  constructor(private readonly deps: ObjectCallsDeps) {}

  /** Serves one request. Never throws. */
  async serve(resource: Resource, action: ObjectAction, hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    await this.admit(hijacked, request, (call) => this.act(resource, action, call));
  }

  /** Runs the checks of a call, and serves it while it is in flight. Never throws. */
  async admit(
    { incoming, client }: Hijacked,
    request: FastifyRequest,
    serve: (call: ObjectCall) => Promise<void>,
  ): Promise<void> {
    const { relay, inFlight, rateLimit, bodies, options } = this.deps;
    let leave = (): void => undefined;
    let grant: BodyGrant | undefined;
    try {
      checkTarget(incoming);
      const { caller, groups } = await relay.identify(incoming);
      leave = await inFlight.enter(caller);
      client.watchGone(leave);
      if (isRateLimited(caller, options)) await rateLimit.enter(caller);
      grant = bodies.open(caller.user.id);
      await serve({ caller, groups, api: apiOf(request), incoming, client, request, grant });
    } catch (error) {
      // The rest of a body that was not read is discarded; the response states why.
      request.raw.resume();
      sendError(request, client, error);
    } finally {
      grant?.release();
      leave();
    }
  }

  private act(resource: Resource, action: ObjectAction, call: ObjectCall): Promise<void> {
    if (action.does === 'create') return this.create(resource, action.body, call);
    if (action.does === 'list') return this.list(resource, call);
    return this.ofObject(resource, action, call);
  }

  private async list(resource: Resource, { caller, api, incoming, client }: ObjectCall): Promise<void> {
    const page = await this.deps.objects.page(readerOf(caller), kindOf(api, resource), listQuery(api, incoming.query));
    client.send(200, json, JSON.stringify(shownPage(api, nameOf(resource), page)));
  }

  private async create(resource: Resource, form: BodyForm, call: ObjectCall): Promise<void> {
    const { caller, api, incoming, client, request } = call;
    const { objects } = this.deps;
    await this.checkMayCreate(resource, call);
    const body = form === 'stream' ? null : await this.read(form, call);
    const account = await this.accountOfNew(call, body?.fields ?? {});
    const owner = ownerOf(caller, account);
    const kind = kindOf(api, resource);
    const announced = form === 'stream' ? announcedLength(incoming) : bytesOf(body?.fields);
    const room = await objects.reserve(owner, kind, announced, this.limits);
    let made: Made;
    try {
      const streamed = body ? null : new StreamedBody(request.raw, room.maxBytes, () => tooLarge(room.maxBytes));
      const sent = streamed ?? this.withUpstreamModel(body?.fields, account) ?? body?.bytes ?? null;
      const headers = {
        ...featureHeaders(account, incoming),
        ...(streamed ? bodyHeaders(incoming) : typeOf(incoming)),
      };
      const path = resource.path + objectQuery(incoming.query);
      made = await this.ask(account, { method: 'POST', path, headers, body: sent }, streamed);
      const object = shownObject(api, made.fields);
      if (object) await objects.keep(owner, kind, object, streamed?.length);
    } finally {
      await objects.drop(room.id);
    }
    client.send(made.exchange.status, answerHeaders(made.exchange), made.bytes);
  }

  /** Serves a request about one object of the caller, at the account that keeps it. */
  private async ofObject(
    resource: Resource,
    action: Exclude<ObjectAction, { does: 'create' | 'list' }>,
    call: ObjectCall,
  ): Promise<void> {
    const { caller, api, incoming, client, request } = call;
    const { accounts, exchange, objects } = this.deps;
    const { id: given = '' } = request.params as { id?: string };
    const [part = '', verb] = api === 'gemini' ? given.split(':', 2) : [given];
    if (verb !== undefined && !(verb === 'download' && action.does === 'read')) throw notAtApi(incoming.path);
    const id = api === 'gemini' ? `${nameOf(resource)}/${part}` : part;
    const form: BodyForm = action.does === 'below' ? action.body : action.does === 'change' ? 'json' : 'none';
    const isConversation = resource.isConversation === true;
    const object = { field: 'the path', id, isConversation };
    const body = form === 'none' || form === 'stream' ? null : await this.read(form, call);
    const named = namedByObject(body?.fields ?? {}).map((one) => ({ ...one, isConversation: false }));
    const account = await accounts.ofObjects(caller, api, [object, ...named]);
    const streamed =
      form === 'stream'
        ? new StreamedBody(request.raw, this.partBytes(incoming), () => tooLarge(this.limits.maxFileBytes))
        : null;
    const path = pathAt(resource, incoming) + objectQuery(incoming.query);
    const sent = {
      method: request.method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path,
      headers: {
        ...featureHeaders(account, incoming),
        ...(streamed ? bodyHeaders(incoming) : body ? typeOf(incoming) : {}),
      },
      body: streamed ?? body?.bytes ?? null,
    };
    const isDescribed = action.does !== 'below' || streamed !== null || /\/(?:complete|cancel)$/.test(incoming.path);
    if (verb !== undefined || !isDescribed) {
      const reader = request.method === 'GET' ? client : undefined;
      return exchange.ask(account, sent, (answer) => forward(answer, client), reader);
    }
    try {
      const answer = await this.ask(account, sent, streamed);
      if (action.does === 'remove') await objects.remove(id, ownerOf(caller, account));
      else await this.keepAnswer(resource, call, account, answer.fields);
      client.send(answer.exchange.status, answerHeaders(answer.exchange), answer.bytes);
    } catch (error) {
      const isGone = error instanceof UpstreamError && error.status === 404;
      if (isGone && (action.does === 'remove' || action.does === 'read')) {
        await objects.remove(id, ownerOf(caller, account));
      }
      throw error;
    }
  }

  /** Stores what a response says about objects: the description of the object itself, and a file that an upload became. */
  private async keepAnswer(resource: Resource, { caller, api }: ObjectCall, account: ObjectAccount, answer: Fields) {
    const { objects } = this.deps;
    const owner = ownerOf(caller, account);
    const object = shownObject(api, answer);
    const file = api === 'openai' ? asFields(answer['file']) : null;
    const made: ShownObject | null = file && shownObject(api, file);
    if (made) await objects.keep(owner, 'openai/files', made);
    if (object && (made || answer['status'] === 'cancelled')) await objects.remove(object.id, owner);
    else if (object && resource.reads) await objects.refresh(owner, object);
  }

  private async ask(account: ObjectAccount, sent: ObjectRequest, streamed: StreamedBody | null): Promise<Made> {
    const { exchange } = this.deps;
    try {
      return await exchange.ask(account, sent, async (answer) => {
        const bytes = await exchange.collect(answer);
        return { exchange: answer, bytes, fields: parseFields(bytes.toString('utf8')) ?? {} };
      });
    } catch (error) {
      throw streamed?.failure ?? error;
    }
  }

  /**
   * Whether the caller may create an object, before its body is read.
   * @throws AppError INSUFFICIENT_QUOTA, RelayError object_not_offered
   */
  async checkMayCreate(resource: Resource, { caller }: ObjectCall): Promise<void> {
    const { keys, options } = this.deps;
    if (resource.paid && !options.values['files.allowed_paid'].includes(nameOf(resource))) {
      throw new RelayError(
        'UNSUPPORTED_BY_CHANNEL',
        `This site offers no ${nameOf(resource)}: providers charge for them as long as they exist`,
        'object_not_offered',
        { status: 403 },
      );
    }
    if (!(await (resource.isPaidByPlan ? keys.hasPaid(caller.user) : keys.hasBalance(caller.user)))) {
      throw new AppError('INSUFFICIENT_QUOTA', 'Files and other objects need a balance');
    }
  }

  get limits(): ObjectLimits {
    const { values } = this.deps.options;
    const megabyte = 1024 * 1024;
    return {
      maxCount: values['files.max_user_count'],
      maxFileBytes: values['files.max_file_mb'] * megabyte,
      maxUserBytes: values['files.max_user_mb'] * megabyte,
    };
  }

  /** Returns the most bytes of a part of an object whose size was reserved before. */
  private partBytes(incoming: IncomingRequest): number {
    const { maxFileBytes } = this.limits;
    if ((announcedLength(incoming) ?? 0) > maxFileBytes) throw tooLarge(maxFileBytes);
    return maxFileBytes;
  }

  private async read(
    form: BodyForm,
    { caller, incoming, grant }: ObjectCall,
  ): Promise<{ bytes: Buffer; fields: Fields }> {
    // Objects with an id are changed without a balance, but not by a large body.
    const isPaid = await this.deps.keys.hasPaid(caller.user);
    const maxBytes = isPaid ? undefined : unpaidBodyBytes;
    const bytes = await incoming.readBody({ grant, tokenId: caller.token.id, maxBytes });
    const type = incoming.headers['content-type'] ?? '';
    if (form === 'form' && type.startsWith('multipart/')) return { bytes, fields: textFields(readForm(bytes, type)) };
    if (bytes.length === 0) return { bytes, fields: {} };
    return { bytes, fields: parseJsonBody(bytes) };
  }

  /** Selects the account of a new object: that of the objects it names, else one for its model, else any. */
  async accountOfNew({ caller, groups, api, incoming }: ObjectCall, body: Fields): Promise<ObjectAccount> {
    const { accounts } = this.deps;
    const model = modelHint(incoming, body);
    const named = namedByObject(body).map((one) => ({ ...one, isConversation: false }));
    if (named.length === 0) return accounts.ofNewObject(caller, groups, api, model);
    const account = await accounts.ofObjects(caller, api, named);
    if (model === '') return account;
    const { bareModel } = await accounts.ofNewObject(caller, groups, api, model);
    return { ...account, model, bareModel };
  }

  /** Returns the body with the provider's name of its model, if the channel has another one. */
  private withUpstreamModel(body: Fields | undefined, account: ObjectAccount): Buffer | null {
    if (!body || account.model === '' || body['model'] === undefined) return null;
    const { upstreamModel } = this.deps.exchange.targetOf(account);
    return Buffer.from(JSON.stringify({ ...body, model: `models/${upstreamModel}` }));
  }
}

export const ownerOf = ({ user, token }: Caller, { channel, keyMark }: ObjectAccount): ObjectOwner => ({
  userId: user.id,
  tokenId: token.id,
  channelId: channel.id,
  keyMark,
});

/** Returns the model of the calls that will use a new object, as the client names it; empty if it names none. */
function modelHint({ headers, query }: IncomingRequest, body: Fields): string {
  const header = headers[modelHeader];
  const named =
    new URLSearchParams(query).get('model') ?? (typeof header === 'string' ? header : asText(body['model']));
  return named.trim().replace(/^models\//, '');
}

/** The size of an upload, which its creation states. */
const bytesOf = (body: Fields = {}): number => {
  const bytes = body['bytes'];
  return typeof bytes === 'number' && bytes > 0 ? bytes : 0;
};

const typeOf = ({ headers }: IncomingRequest): Record<string, string> => ({
  'content-type': headers['content-type'] ?? 'application/json',
});

export const answerHeaders = (exchange: Exchange): Record<string, string> => ({
  ...safeResponseHeaders(exchange.headers),
  ...json,
});

/** Returns the path at the maker, whichever prefix the client used. */
function pathAt(resource: Resource, { path }: IncomingRequest): string {
  const name = `/${nameOf(resource)}`;
  return resource.path + path.slice(path.indexOf(name) + name.length);
}

const notAtApi = (path: string): AppError => new AppError('NOT_FOUND', `Invalid URL (${path})`);
