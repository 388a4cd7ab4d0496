import type { OpenedBody } from '../../gateway/request.js';
import { fitRequest } from '../../dialects/neutral/fitted-request.js';
import { chatProvider } from '../../dialects/languages/openai/chat-write.js';
import { withFlatTools, withNestedTools } from '../../dialects/languages/openai/tool-shapes.js';
import { responsesClient } from '../../dialects/languages/responses/responses-client.js';

/**
 * Translates a body that was sent to chat completions, before anything else reads it. In agent mode Cursor sends a body of Responses
 * there, and expects an answer of chat completions; it sends flat tools, too.
 * @returns the same object when the body has the form of chat completions
 * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL naming the field
 */
export function asChatBody(opened: OpenedBody): OpenedBody {
  const { messages, input, tools } = opened.body;
  if ((messages === undefined || messages === null) && input !== undefined && input !== null)
    return fromResponses(opened);
  const nested = tools === undefined ? null : withNestedTools(opened.body);
  return nested ? { ...opened, body: nested, isRewritten: true } : opened;
}

/** The tools keep the client's names, because the provider is not known yet. */
function fromResponses({ body: given, model }: OpenedBody): OpenedBody {
  const parsed = responsesClient.parse({ body: withFlatTools(given) });
  const { request, dropped } = fitRequest(parsed, { dialect: 'openai-chat', customTools: true, keepsNames: true });
  const written = chatProvider({ reasoningHistory: 'reasoning_content' }).write(request);
  return { body: written.body, model, isRewritten: true, dropped: [...dropped, ...written.dropped] };
}
