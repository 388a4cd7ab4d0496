import { AppError } from '../../../shared/errors.js';
import { signedJwt } from '../openai-compatible/signing.js';

const day = 86_400_000;

/**
 * The token that Zhipu accepts instead of the key `id.secret`: a JWT with times in milliseconds, which JWT libraries do
 * not write.
 * @param now Unix milliseconds
 * @throws AppError UPSTREAM_UNREACHABLE when the key has another form
 */
export function zhipuToken(key: string, now: number): string {
  const [id = '', secret = '', ...more] = key.split('.');
  if (id === '' || secret === '' || more.length > 0) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form id.secret');
  }
  return signedJwt({ alg: 'HS256', sign_type: 'SIGN' }, { api_key: id, exp: now + day, timestamp: now }, secret);
}
