import { chatOptionsOf } from '../../accepts.js';
import type { Target } from '../../target.js';
import type { ProviderCodec } from '../../neutral/codec.js';
import { chatFieldName } from '../../neutral/field-name.js';
import { chatProvider } from '../../languages/openai/chat-write.js';
import { acceptedChanges } from './chat-body.js';

/**
 * Chat completions of a provider that also has a dialect of its own. As for members of the family, fields, roles and
 * call ids that it does not accept are changed or left out.
 */
export function acceptedChat(target: Pick<Target, 'accepts' | 'upstreamModel'>): ProviderCodec {
  const options = chatOptionsOf(target);
  const codec = chatProvider(options);
  const accepts = { ...target.accepts, reasoningHistory: options.reasoningHistory ?? null };
  return {
    ...codec,
    write(request) {
      const { body, dropped, ...written } = codec.write(request);
      const accepted = acceptedChanges(body, accepts);
      const named = accepted.dropped.map((name) => chatFieldName(name, request.dialect));
      return { ...written, body: { ...body, ...accepted.changes }, dropped: [...new Set([...dropped, ...named])] };
    },
  };
}
