import { type Dropped, fieldName, unsupported } from './field-name.js';
import type { NeutralRequest, NeutralTool, ToolChoice } from './request.js';

/**
 * Leaves out tools that the provider can neither run nor call, and records them as dropped: agents offer web search,
 * name spaces and similar tools with every request, and the model continues without them.
 * @param runs whether the provider can run or call a tool
 * @throws AppError UNSUPPORTED_BY_CHANNEL when the tool choice requires such a tool, or any tool and none is left
 */
export function runnableTools(
  request: NeutralRequest,
  dropped: Dropped,
  runs: (tool: NeutralTool) => boolean,
): NeutralRequest {
  const tools = request.tools.filter(runs);
  if (tools.length === request.tools.length) return request;
  const { toolChoice, dialect } = request;
  for (const tool of request.tools) {
    if (tools.includes(tool)) continue;
    const place = tool.at ?? fieldName(dialect, 'tools');
    if (isForced(tool, toolChoice)) {
      throw unsupported(place, `the call requires ${calledName(tool)}, which only its own provider can run`);
    }
    dropped.add(`${place}.${calledName(tool)}`);
  }
  if (tools.length > 0) return { ...request, tools };
  const needsOne = toolChoice?.mode === 'required' || (toolChoice?.mode === 'allowed' && toolChoice.required);
  if (needsOne)
    throw unsupported(fieldName(dialect, 'tools'), 'the call requires a tool, and the provider can run none of them');
  return { ...request, tools, toolChoice: toolChoice?.mode === 'builtin' ? toolChoice : undefined };
}

const isForced = (tool: NeutralTool, choice: ToolChoice | undefined): boolean => {
  const name = calledName(tool);
  if (choice?.mode === 'tool') return choice.name === name;
  return choice?.mode === 'allowed' && choice.required && choice.names.length === 1 && choice.names[0] === name;
};

/** Tools that a provider runs are identified by type, and called by their name if they have one. */
function calledName(tool: NeutralTool): string {
  const name = tool.kind === 'builtin' ? tool.value['name'] : undefined;
  return typeof name === 'string' ? name : tool.name;
}
