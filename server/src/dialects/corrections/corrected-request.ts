import { parseExact, writeJson } from '../../shared/exact-json.js';
import type { UpstreamRequest } from '../contract.js';
import type { Dialect } from '../neutral/dialect.js';
import { fieldName, nameInDialect } from '../neutral/field-name.js';
import { asFields } from '../neutral/fields.js';
import { correctedBody } from './corrected-body.js';
import type { Correction } from './correction.js';
import { headerValues } from '../../shared/comma-list.js';

const betaHeader = 'anthropic-beta';

/** A request with corrections, and the list of corrections that changed it. */
export interface CorrectedRequest {
  readonly request: UpstreamRequest;
  readonly changed: readonly Correction[];
}

/** Applies corrections to a written request. */
export function correctedRequest(sent: UpstreamRequest, corrections: readonly Correction[]): CorrectedRequest {
  const given = sent.body === null || sent.socket ? null : asFields(parseExact(sent.body.toString()));
  if (!given) return { request: sent, changed: [] };
  const changed: Correction[] = [];
  let body = given;
  let request = sent;
  for (const correction of corrections) {
    const headers = correction.kind === 'betas' ? withoutBetas(request.headers, correction.values) : request.headers;
    const next = correctedBody(body, correction);
    if (next === body && headers === request.headers) continue;
    changed.push(correction);
    body = next;
    request = { ...request, headers };
  }
  if (body === given) return { request, changed };
  const text = writeJson(body);
  const headers = request.signedFor ? { ...request.headers, ...request.signedFor(text) } : request.headers;
  return { request: { ...request, body: text, headers }, changed };
}

/** @returns the same headers when they have none of the values */
function withoutBetas(headers: Record<string, string>, values: readonly string[]): Record<string, string> {
  const { [betaHeader]: given, ...rest } = headers;
  if (given === undefined) return headers;
  const betas = headerValues(given);
  const kept = betas.filter((each) => !values.includes(each));
  if (kept.length === betas.length) return headers;
  return kept.length === 0 ? rest : { ...rest, [betaHeader]: kept.join(',') };
}

/** Returns the fields that a correction removed from the call, by the client's own names. */
export function namesOf(correction: Correction, dialect: Dialect): readonly string[] {
  switch (correction.kind) {
    case 'omit':
    case 'replace':
    case 'atMost':
    case 'effort':
      return [nameInDialect(correction.path.filter((each) => each !== '*').join('.'), dialect)];
    case 'betas':
      return correction.values.map((value) => `${betaHeader}.${value}`);
    case 'thoughts':
      return [fieldName(dialect, 'reasoningHistory')];
    // The other corrections remove nothing that the client sent.
    default:
      return [];
  }
}
