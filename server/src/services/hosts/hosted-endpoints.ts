import { malformed } from '../../dialects/errors/relay-error.js';
import { toMessagesBody } from '../../dialects/languages/bedrock/converse-request.js';
import { asFields, asText, type Fields, type Json } from '../../dialects/neutral/fields.js';
import { checkNames, parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { parsedAhead } from '../../gateway/incoming-request.js';
import type { IncomingRequest, OpenedBody } from '../../gateway/request.js';
import { bedrockErrors, messagesEndpoint, modelOf } from '../chat/chat-endpoints.js';

/** The values that are in the path of a host. */
export interface HostPath {
  /** The model; absent where the body names it. */
  readonly model?: string | undefined;
  /** Absent where the body decides. */
  readonly stream?: boolean | undefined;
  /** Returns the name by which the model is offered here. */
  readonly nameOf: (model: string) => string;
}

/** Messages as hosts of Claude take them: the model is in the path, and the body names the version of the dialect. */
export const atHost = (path: HostPath): Endpoint => ({
  ...messagesEndpoint,
  open: (rawBody) => openHosted(path, parseJsonBody(rawBody)),
});

function openHosted({ model, stream, nameOf }: HostPath, hosted: Fields): OpenedBody {
  const { anthropic_version: _version, ...given } = hosted;
  checkBetas(given['anthropic_beta']);
  const name = nameOf(model ?? modelOf(given));
  const body = { ...given, model: name, ...(stream === undefined ? {} : { stream }) };
  return { body, model: modelOf(body), isRewritten: true };
}

/** @throws RelayError invalid_request; providers other than hosts get the names in a header */
function checkBetas(betas: unknown): void {
  if (betas === undefined) return;
  if (!Array.isArray(betas) || !betas.every((name) => typeof name === 'string' && /^[\w.-]+$/.test(name)))
    throw malformed('anthropic_beta must be a list of names');
}

export const atBedrock = (path: HostPath): Endpoint => ({ ...atHost(path), errors: () => bedrockErrors });

/** Fields of the model's own dialect are given one level deeper, where the parser did not check their names. */
function converseBody(converse: Fields): Json {
  const body = toMessagesBody(converse);
  checkNames(body);
  return body;
}

/** Bedrock's Converse. */
export const atConverse = (path: HostPath): Endpoint => ({
  ...atBedrock(path),
  open: (rawBody) => openHosted(path, converseBody(parseJsonBody(rawBody))),
});

const countedConverse = (body: Fields): Fields | null => asFields(asFields(body['input'])?.['converse']);

/** Bedrock's CountTokens, whose counted request is a body of `converse`, or one of `invoke` (`countedAtBedrock`). */
export const atCountTokens = (path: HostPath): Endpoint => ({
  ...atBedrock(path),
  open: (rawBody) => {
    const body = parseJsonBody(rawBody);
    const converse = countedConverse(body);
    return openHosted(path, converse ? converseBody(converse) : body);
  },
});

/** A call of Bedrock's CountTokens: a counted body of `invoke`, which a field has as base64, is read in place of the whole. */
export const countedAtBedrock = (incoming: IncomingRequest): IncomingRequest => ({
  ...incoming,
  readBody: async (allowance) => {
    const bytes = await incoming.readBody(allowance);
    const whole = parseJsonBody(bytes);
    if (countedConverse(whole)) return bytes;
    const encoded = asText(asFields(asFields(whole['input'])?.['invokeModel'])?.['body']);
    if (encoded === '') throw malformed('input.invokeModel.body or input.converse is required');
    const body = Buffer.from(encoded, 'base64');
    // Nothing needs the outer body any more.
    allowance?.grant?.grow(body.length - bytes.length);
    return parsedAhead(body, allowance?.grant);
  },
});
