import { AppError } from '../../../shared/errors.js';
import type { CredentialExchange } from '../../adapter.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { parseFields, someNumber, someText } from '../../neutral/fields.js';
import { baseOf } from '../openai-compatible/own-dialect.js';

/** The key `APIKey|SecretKey` is exchanged for an access token that is valid for a month. */
export const baiduCredential: CredentialExchange = {
  toRequest(target) {
    const [id = '', secret = '', ...more] = target.key.split('|').map((part) => part.trim());
    if (id === '' || secret === '' || more.length > 0) {
      throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form APIKey|SecretKey');
    }
    const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    return {
      method: 'POST',
      url: `${baseOf(target)}/oauth/2.0/token?${query.toString()}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: null,
    };
  },
  fromAnswer({ body }) {
    const answer = parseFields(body.toString('utf8'));
    const credential = someText(answer?.['access_token']);
    if (credential !== undefined) return { credential, secondsToLive: someNumber(answer?.['expires_in']) ?? 3600 };
    const code = someText(answer?.['error']);
    if (code === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The provider returned no access token');
    const message = someText(answer?.['error_description']) ?? code;
    throw new UpstreamError(401, { message, type: 'baidu_error', code });
  },
};
