import type { IncomingHttpHeaders } from 'node:http';
import { usualDrawingModel } from '../../../modules/pricing/price-book.service.js';
import { asFields, asText, someText, type Fields } from '../../neutral/fields.js';

/** The header with the name of the deployment that draws. */
export const azureDrawingHeader = 'x-ms-oai-image-generation-deployment';

const isDrawing = (tool: unknown): boolean => asFields(tool)?.['type'] === 'image_generation';

/** The model, size and quality of the tool that draws; null without one. */
export function drawingIn({ tools }: Fields): { model: string; size: string; quality: string } | null {
  const tool = Array.isArray(tools) ? asFields((tools as unknown[]).find(isDrawing)) : undefined;
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
  const { tools } = body;
  if (typeof model !== 'string' || model === '' || !Array.isArray(tools)) return null;
  const isUnnamed = (tool: unknown): boolean => isDrawing(tool) && someText(asFields(tool)?.['model']) === undefined;
  if (!tools.some(isUnnamed)) return null;
  return { ...body, tools: tools.map((tool: unknown) => (isUnnamed(tool) ? { ...asFields(tool), model } : tool)) };
}
