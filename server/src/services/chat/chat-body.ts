import type { OpenedBody } from '../../gateway/request.js';
import { fitRequest } from '../../dialects/neutral/fitted-request.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { chatProvider } from '../../dialects/languages/openai/chat-write.js';
import { withFlatTools, withNestedTools } from '../../dialects/languages/openai/tool-shapes.js';
import { responsesClient } from '../../dialects/languages/responses/responses-client.js';

/**
 * Translates a body that was sent to chat completions, before anything else reads it. In agent mode Cursor sends a body of Responses
 * there, and expects an answer of chat completions; it sends flat tools, too.
 * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL naming the field
 */
export function asChatBody(body: Fields, model: string): OpenedBody {
  const { messages, input } = body;
  if ((messages === undefined || messages === null) && input !== undefined && input !== null)
    return fromResponses(body, model);
  const nested = withNestedTools(body);
  return nested ? { body: nested, model, isRewritten: true } : { body, model };
}

function fromResponses(given: Fields, model: string): OpenedBody {
  const parsed = responsesClient.parse({ body: withFlatTools(given) });
  const { request, dropped } = fitRequest(parsed, { dialect: 'openai-chat', customTools: true });
  const written = chatProvider({ reasoningHistory: 'reasoning_content' }).write(request);
  return { body: written.body, model, isRewritten: true, dropped: [...dropped, ...written.dropped] };
}
