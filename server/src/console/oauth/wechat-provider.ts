import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Identity } from './identity-provider.js';
import { askProvider } from './provider-call.js';

const answerShape = z.object({ success: z.boolean(), message: z.string().nullish(), data: z.string().nullish() });

/** The companion server of an official account, which issues codes (docs/reference/rest/accounts.md#wechat). */
export class WeChatProvider {
  constructor(
    private readonly fetch: GuardedFetch,
    private readonly options: { readonly values: OptionValues },
  ) {}

  /** @throws AppError INVALID_INPUT, UPSTREAM_UNREACHABLE */
  async identify(code: string): Promise<Identity> {
    const { WeChatServerAddress, WeChatServerToken } = this.options.values;
    if (code.trim() === '' || code.length > 200) throw new InvalidInputError('Invalid parameter', 'code');
    const url = `${WeChatServerAddress}/api/wechat/user?code=${encodeURIComponent(code)}`;
    const call = { url, headers: { authorization: WeChatServerToken } };
    const { success, message, data } = await askProvider(this.fetch, 'WeChat', call, answerShape);
    if (!success) throw new InvalidInputError(message?.slice(0, 200) || 'Verification code wrong or expired', 'code');
    if (!data || data.length > 255) throw new InvalidInputError('Verification code wrong or expired', 'code');
    return { id: data };
  }
}
