import { malformed } from '../../dialects/errors/relay-error.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import { transcriberPaths, transcribersIn } from './transcripts.js';

/** Fields of a client's event that may name a model: `session.update`, `response.create`. */
const holders = ['session', 'response'] as const;

/** The names of the model of a session. */
export interface SessionModel {
  /** Names by which clients know the model. */
  readonly names: readonly string[];
  /** The name by which the provider knows the model. */
  readonly upstreamModel: string;
  /** Whether the model only transcribes speech. Default: no. */
  readonly isTranscription?: boolean;
}

const updates: ReadonlySet<unknown> = new Set(['session.update', 'transcription_session.update']);

/**
 * Returns the model that an event of the client selects for transcription; null when it selects none.
 * @throws RelayError invalid_request when the event selects a model that responds
 */
export function transcriberNamedBy(event: Fields): string | null {
  const session = asFields(event['session']);
  if (!session || !updates.has(event['type'])) return null;
  checkType(session);
  return transcribersIn(session)[0] ?? null;
}

/**
 * Replaces the model in an event of the client by the provider's name. The event must name the model of its session,
 * which determines all prices.
 * @returns the same object if nothing changes
 * @throws RelayError invalid_request when it names another model
 */
export function withSessionModel(event: Fields, model: SessionModel): Fields {
  let sent = event;
  for (const holder of holders) sent = withModelAt(sent, [holder], model);
  const session = model.isTranscription ? asFields(event['session']) : null;
  if (!session) return sent;
  checkType(session);
  for (const path of transcriberPaths) sent = withModelAt(sent, ['session', ...path], model);
  return sent;
}

/** @param path of the object whose field `model` names the model */
function withModelAt(event: Fields, [name = '', ...rest]: readonly string[], known: SessionModel, at = ''): Fields {
  const fields = asFields(event[name]);
  if (!fields) return event;
  const here = `${at}${name}.`;
  const sent = rest.length > 0 ? withModelAt(fields, rest, known, here) : withModel(fields, known, here);
  return sent === fields ? event : { ...event, [name]: sent };
}

function withModel(fields: Fields, { names, upstreamModel }: SessionModel, at: string): Fields {
  const { model } = fields;
  if (model === undefined || model === null || model === upstreamModel) return fields;
  if (typeof model !== 'string' || !names.includes(model)) {
    throw malformed(`${at}model is not the model of this session: another one needs a session of its own`);
  }
  return { ...fields, model: upstreamModel };
}

function checkType({ type }: Fields): void {
  if (type !== undefined && type !== null && type !== 'transcription') {
    throw malformed('session.type is not transcription: a model that responds has to be named in the address');
  }
}
