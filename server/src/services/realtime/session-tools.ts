import type { OptionValues } from '../../options/option.service.js';
import type { Price } from '../../billing/prices/index.js';
import { AppError } from '../../shared/errors.js';
import { unpricedTools } from '../../gateway/reserve/metering/unpriced-tools.js';
import { checkTools } from '../../dialects/priced-fields.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';

/**
 * Finds tools of an event that the provider runs and that have no price. No provider reports tool calls in a session,
 * so only a price of 0 can be applied.
 * @returns their names, if the site allows such tools for free
 * @throws AppError TOOL_NOT_PRICED if it does not, INVALID_INPUT for tools in another form than a list of objects
 */
export function unchargedTools(event: Fields, price: Price, { UnpricedTools }: OptionValues): readonly string[] {
  const holders = [asFields(event['session']), asFields(event['response'])];
  for (const [index, holder] of holders.entries()) {
    const tools = holder?.['tools'] ?? undefined;
    if (tools !== undefined) checkTools(tools, index === 0 ? 'session.tools' : 'response.tools');
  }
  if (price.coversWork) return [];
  const gifts = Object.fromEntries(Object.entries(price.card.prices).filter(([, each]) => each === 0));
  const names = holders.flatMap((holder) => (holder ? unpricedTools(holder, gifts) : []));
  const [name] = names;
  if (name === undefined || UnpricedTools === 'free') return names;
  const why = `The tool ${name} cannot be charged in a session: leave it out, or ask the administrator to make it free`;
  throw new AppError('TOOL_NOT_PRICED', why, { field: 'tools' });
}
