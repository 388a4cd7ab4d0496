import { z } from 'zod';
import type { ChannelSetting as CallSetting } from '../../dialects/target.js';
import type { Json } from '../../shared/json.js';

/** How the provider of a channel is called. A field that is off or unset is absent. */
export interface ChannelSetting extends CallSetting {
  /** Settings of other consoles, which have no effect. */
  readonly more?: object;
}

const proxySchemes = ['http:', 'https:', 'socks5:'];
const flag = (name: string) => z.boolean({ error: `${name} must be true or false` }).nullish();

/** The setting in the form of the REST API. */
export const settingSchema = z.looseObject({
  proxy: z
    .string()
    .refine((text) => text === '' || (URL.canParse(text) && proxySchemes.includes(new URL(text).protocol)), {
      error: 'proxy must be an http://, https:// or socks5:// address',
    })
    .nullish(),
  force_format: flag('force_format'),
  thinking_to_content: flag('thinking_to_content'),
  stream_support: z.string({ error: 'stream_support must be a text' }).nullish(),
  chat_upstream: z
    .enum(['chat', 'responses', 'alternative'], { error: 'chat_upstream must be chat, responses or alternative' })
    .nullish(),
});

export function toSetting(fields: z.output<typeof settingSchema>): ChannelSetting {
  const { proxy, force_format, thinking_to_content, stream_support, chat_upstream, ...more } = fields;
  return {
    ...(proxy?.trim() ? { proxy: proxy.trim() } : {}),
    ...(force_format ? { forceFormat: true } : {}),
    ...(thinking_to_content ? { thinkingToContent: true } : {}),
    ...(stream_support?.toUpperCase() === 'NON_STREAM_ONLY' ? { nonStreamOnly: true } : {}),
    ...(chat_upstream ? { chatUpstream: chat_upstream } : {}),
    ...(Object.keys(more).length > 0 ? { more } : {}),
  };
}

/** A setting of which fields may be null, which means that they are unset. */
type GivenSetting = { readonly [Name in keyof ChannelSetting]: ChannelSetting[Name] | null };

/** Returns the setting in the form of the REST API. */
export const settingFields = ({ more, ...known }: GivenSetting): Json => ({
  ...more,
  ...(known.proxy ? { proxy: known.proxy } : {}),
  ...(known.forceFormat ? { force_format: true } : {}),
  ...(known.thinkingToContent ? { thinking_to_content: true } : {}),
  ...(known.nonStreamOnly ? { stream_support: 'NON_STREAM_ONLY' } : {}),
  ...(known.chatUpstream ? { chat_upstream: known.chatUpstream } : {}),
});
