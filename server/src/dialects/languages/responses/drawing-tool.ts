import type { IncomingHttpHeaders } from 'node:http';
import { declaredTools, withTools } from '../../neutral/declared-tools.js';
import { asText, someText, type Fields } from '../../neutral/fields.js';

/** The model that OpenAI's tool draws with where a request names none, as documented. */
export const usualDrawingModel = 'gpt-image-2';

/** The header with the name of the deployment that draws. */
export const azureDrawingHeader = 'x-ms-oai-image-generation-deployment';

const isDrawing = (tool: Fields): boolean => tool['type'] === 'image_generation';

/** The model, size and quality of the tool that draws; null without one. */
export function drawingIn(body: Fields): { model: string; size: string; quality: string } | null {
  const tool = declaredTools(body).find((declared) => isDrawing(declared.tool))?.tool;
  if (!tool) return null;
  const { model, size, quality } = tool;
  return { model: asText(model) || usualDrawingModel, size: asText(size), quality: asText(quality) };
}

/**
 * A body whose drawing tool has the model that clients of Azure OpenAI name in a header.
 * @returns null when nothing changes, as in nearly all calls
 */
export function withDrawingModel(body: Fields, headers: IncomingHttpHeaders): Fields | null {
  const model = headers[azureDrawingHeader];
  if (typeof model !== 'string' || model === '') return null;
  const isUnnamed = (tool: Fields): boolean => isDrawing(tool) && someText(tool['model']) === undefined;
  const named = withTools(body, (tool) => (isUnnamed(tool) ? { ...tool, model } : tool));
  return named === body ? null : named;
}
