import { malformed } from '../../dialects/errors/relay-error.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import { transcriberPaths, transcribersIn } from './transcripts.js';

/** Fields of a client's event that may name a model: `session.update`, `response.create`. */
const holders = ['session', 'response'] as const;

/** The names of the model of a session. */
export interface SessionModel {
  /** By which clients know it. */
  readonly names: readonly string[];
  /** By which the provider knows it. */
  readonly upstreamModel: string;
  /** It only writes speech down. Default: no. */
  readonly isTranscription?: boolean;
}

const updates: ReadonlySet<unknown> = new Set(['session.update', 'transcription_session.update']);

/**
 * The model that an event of the client has write speech down; null: none.
 * @throws RelayError invalid_request when the session is to have a model that responds
 */
export function transcriberNamedBy(event: Fields): string | null {
  const session = asFields(event['session']);
  if (!session || !updates.has(event['type'])) return null;
  checkType(session);
  return transcribersIn(session)[0] ?? null;
}

/**
 * An event of the client that names no other model than that of its session, by which all is priced, under the provider's
 * name; the same object if nothing changes.
 * @throws RelayError invalid_request when it names another one
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

/** @param path of the object whose field `model` names it */
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
