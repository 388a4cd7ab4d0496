import { UpstreamError } from '../../errors/upstream-error.js';
import { asText, type Fields } from '../../neutral/fields.js';

const statusOf = (code: string): number => {
  if (/^(?:InvalidApiKey|AccessDenied)/.test(code)) return 401;
  if (/^(?:Throttling|LimitRequests|Arrearage)/.test(code)) return 429;
  return /^(?:InvalidParameter|DataInspectionFailed|BadRequest|InvalidURL)/.test(code) ? 400 : 502;
};

/** DashScope's error shape: `code`, `message`, `request_id`. */
export function aliError({ code, message, request_id: id }: Fields): UpstreamError {
  const name = asText(code) || 'unknown';
  return new UpstreamError(statusOf(name), {
    message: asText(message) || `the provider returned ${name}`,
    type: name,
    code: name,
    param: asText(id) || null,
  });
}

/** @throws UpstreamError when a response with a success status contains an error */
export function refuseError(answer: Fields): Fields {
  if (asText(answer['code']) !== '') throw aliError(answer);
  return answer;
}
