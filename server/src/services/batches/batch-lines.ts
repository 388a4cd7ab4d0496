import { setImmediate as turn } from 'node:timers/promises';
import type { Endpoint } from '../../gateway/endpoint.js';
import type { Relay } from '../../gateway/pipeline.js';
import { estimateLine } from '../../gateway/reserve/batch-estimate.js';
import type { PossibleTokens } from '../../gateway/reserve/possible-usage.js';
import { routeIn, checkModel, type CallRoute } from '../../gateway/route/call-route.js';
import { notFound } from '../../gateway/route/affinity/call-origin.js';
import { mapModel } from '../../gateway/route/model-mapping.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { Call } from '../../gateway/call.js';
import { requestedSearches } from '../../dialects/server-tools.js';
import type { NamedText } from '../../dialects/languages/provider-ids.js';
import type { Price } from '../../billing/prices/index.js';
import { toolQuantities } from '../../shared/price-card.js';
import type { OptionValues } from '../../options/option.service.js';
import type { ObjectAccount } from '../objects/object-accounts.js';
import type { ObjectCall } from '../objects/object-calls.js';
import { batchRefused, checkPresent, withLineNumber } from './batch-errors.js';

/** A call of a batch as its client wrote it. */
export interface BatchLine {
  readonly id: string;
  readonly body: Buffer;
}

/** The calls of a batch, and the most that they use and cost together. */
export interface BatchEstimate {
  readonly route: CallRoute;
  readonly price: Price;
  readonly lines: number;
  readonly amount: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly possible: PossibleTokens;
}

/** The place of a batch: its caller, the account that runs it, and the endpoint of its calls. */
export interface BatchPlace {
  readonly call: ObjectCall;
  readonly account: ObjectAccount;
  readonly endpoint: Endpoint;
  /** The path of the calls. */
  readonly path: string;
  readonly maxLines: number;
  /** Names the batch in the error of a model that the account does not serve. */
  readonly named: NamedText;
}

interface BatchLinesDeps {
  readonly relay: Pick<Relay, 'prepare'>;
  readonly channels: RoutingDirectory;
  readonly options: { readonly values: OptionValues };
}

/** Lines between which other calls run. */
const linesInTurn = 16;
const maxIdLength = 512;

/** Checks each line of a batch as a call of its own, and adds up what the lines may cost. */
export class BatchLines {
  constructor(private readonly deps: BatchLinesDeps) {}

  /** @throws RelayError and AppError that name the line */
  async estimate(place: BatchPlace, lines: AsyncIterable<BatchLine> | Iterable<BatchLine>): Promise<BatchEstimate> {
    const ids = new Set<string>();
    let first: Call | null = null;
    let [amount, promptTokens, outputTokens, count] = [0, 0, 0, 0];
    let possible: PossibleTokens = { prompt: 0, output: 0 };
    for await (const line of lines) {
      count++;
      if (count > place.maxLines) throw batchRefused('batch_too_large', `A batch has at most ${place.maxLines} lines`);
      if (count % linesInTurn === 0) await turn();
      checkPresent(place.call);
      try {
        checkId(line.id, ids);
        const call = await this.prepare(place, line);
        first ??= call;
        checkModels(call, first);
        const estimate = await estimateLine(call, this.deps.options.values);
        amount += estimate.amount;
        promptTokens += estimate.promptTokens;
        outputTokens += estimate.outputTokens;
        possible = largerOf(possible, estimate.possible);
      } catch (error) {
        throw withLineNumber(error, count);
      }
    }
    if (!first) throw batchRefused('batch_line_invalid', 'The batch has no lines');
    const { route } = first;
    const price = withTools(first, this.deps.options.values);
    return { route, price, lines: count, amount, promptTokens, outputTokens, possible };
  }

  private async prepare(place: BatchPlace, { body }: BatchLine): Promise<Call> {
    const { call: asked, account, endpoint, path } = place;
    const { caller, incoming, client } = asked;
    const call = await this.deps.relay.prepare(
      { endpoint, incoming: { ...incoming, path, query: '' }, caller, rawBody: body, client },
      (model) => this.route(place, model),
    );
    const { request, route } = call;
    if (call.rawBody !== body || (request.dropped?.length ?? 0) > 0) {
      const names = (request.dropped ?? []).join(', ');
      throw batchRefused(
        'batch_line_changed',
        `A part of the request may not be sent${names === '' ? '' : ` (${names})`}, and lines of a batch are not changed`,
      );
    }
    if (request.drawing || request.advisor || request.images) {
      throw batchRefused(
        'batch_line_invalid',
        'Tools that draw, and tools that ask another model, are not served in batches',
      );
    }
    if (call.guard?.checksOutput) {
      throw batchRefused('batch_line_invalid', 'A guardrail checks responses, and those of a batch cannot be checked');
    }
    if (requestedSearches(request.body, () => true) > 0) {
      throw batchRefused(
        'batch_line_invalid',
        'Searches that their provider does not report are not served in batches',
      );
    }
    if (request.stream) throw batchRefused('batch_line_invalid', 'A line of a batch cannot be streamed');
    if (request.unpriced?.areRefused) {
      throw batchRefused('batch_line_invalid', `No price is set for ${request.unpriced.names.join(', ')}`);
    }
    checkOrigin(call, account);
    const mapped = mapModel(account.channel.mapping, route.model, route.bareModel);
    if (mapped !== route.model) {
      throw batchRefused(
        'batch_model_mapped',
        `Model ${route.model} has another name at its provider, and lines of a batch are not changed`,
      );
    }
    return call;
  }

  /** Returns the first group of the key in which the channel of the account serves the model. */
  private route({ call: { caller, groups }, account, named }: BatchPlace, model: string): CallRoute {
    checkModel(caller, model);
    const { id } = account.channel;
    const isOpen = caller.pin === null || caller.pin === String(id);
    for (const group of isOpen ? groups : []) {
      const found = routeIn(group, model, caller, this.deps.channels.table);
      const tiers = (found?.candidates.tiers ?? [])
        .map((tier) => ({ ...tier, channels: tier.channels.filter((channel) => channel.id === id) }))
        .filter(({ channels }) => channels.length > 0);
      if (found && tiers.length > 0) return { ...found, candidates: { ...found.candidates, tiers } };
    }
    throw notFound(named, `belongs to an account that does not serve model ${model}`);
  }
}

/** A prompt that a provider stores may have tools which no line names. They cost what they cost in a call. */
const withTools = ({ route, price, prices }: Call, { UnpricedTools }: OptionValues): Price =>
  UnpricedTools === 'free' ? price : prices.withToolsOf(price, route.bareModel, toolQuantities);

const largerOf = (one: PossibleTokens, other: PossibleTokens): PossibleTokens => ({
  prompt: Math.max(one.prompt, other.prompt),
  output: Math.max(one.output, other.output),
});

function checkId(id: string, known: Set<string>): void {
  if (id === '' || id.length > maxIdLength) {
    throw batchRefused('batch_line_invalid', `custom_id must be a text of at most ${maxIdLength} characters`);
  }
  if (known.has(id)) throw batchRefused('batch_line_invalid', `custom_id ${id} was used before`);
  known.add(id);
}

function checkModels({ route }: Call, { route: { model } }: Call): void {
  if (route.model === model) return;
  throw batchRefused('batch_model_mismatch', `Model ${route.model} is not that of the first line, ${model}`);
}

/** Objects that the line names must be those of the caller, at the account that runs the batch. */
function checkOrigin({ request: { continued } }: Call, { channel, keyMark }: ObjectAccount): void {
  if (!continued || continued.kind === 'reasoning') return;
  if (continued.kind === 'foreign') throw notFound(continued.named, 'is not known');
  if (continued.channelId !== channel.id || continued.keyMark !== keyMark) {
    throw notFound(continued.named, 'belongs to another account than the batch');
  }
}
