import { malformed } from '../errors/relay-error.js';
import { asFields, type Fields } from '../neutral/fields.js';

/** Fields of a client's event that may name a model: `session.update`, `response.create`. */
const holders = ['session', 'response'] as const;

/** The names of the model of a session. */
export interface SessionModel {
  /** By which clients know it. */
  readonly names: readonly string[];
  /** By which the provider knows it. */
  readonly upstreamModel: string;
}

/**
 * An event of the client that names no other model than that of its session, by which all is priced, under the provider's
 * name; the same object if nothing changes.
 * @throws RelayError invalid_request when it names another one
 */
export function withSessionModel(event: Fields, { names, upstreamModel }: SessionModel): Fields {
  let sent = event;
  for (const holder of holders) {
    const fields = asFields(event[holder]);
    const model = fields?.['model'];
    if (model === undefined || model === null || model === upstreamModel) continue;
    if (typeof model !== 'string' || !names.includes(model)) {
      throw malformed(`${holder}.model is not the model of this session: another one needs a session of its own`);
    }
    sent = { ...sent, [holder]: { ...fields, model: upstreamModel } };
  }
  return sent;
}
