import { z } from 'zod';
import { named, parameter, text, type ApiSection } from '../../platform/http/openapi/operation.js';
import { optionBody } from './option.wire.js';

const optionShape = named('Option', 'A setting of the site.', {
  key: text('Name'),
  value: text('Value as text: `true`, a number, a list or JSON'),
});

/** Settings of the site. */
export const optionSection: ApiSection = {
  name: 'Options',
  description: 'Settings of the site, in force on every server within a second.',
  operations: {
    'GET /api/option': {
      summary: 'All options but secrets',
      role: 'admin',
      data: z.array(optionShape),
      example: {},
    },
    'PUT /api/option': {
      summary: 'Set an option',
      description: 'Booleans and numbers are stored as text. Root alone writes options that concern safety.',
      role: 'admin',
      body: optionBody,
      bodyOf: optionShape,
      errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
      example: { body: { key: 'RetryTimes', value: 2 } },
    },
    'POST /api/option/rest_model_ratio': {
      summary: 'Reset the model ratios to the built-in table',
      role: 'root',
      example: {},
    },
    'POST /api/price_check': {
      summary: 'Compare a list of prices with those of the site',
      description:
        'The body is the file itself: the table of LiteLLM, models.dev, OpenRouter, new-api or another Tollgate. Nothing is changed; the differences are read over GraphQL (`priceCheck`).',
      role: 'root',
      query: {
        name: parameter.words('Name of the file'),
        with_check_id: parameter.whole('Id of an earlier check whose lists are compared with this one'),
      },
      body: { type: 'object', additionalProperties: true, description: 'The list of prices' },
      data: z.object({ id: z.int() }),
      errors: ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
      example: {
        query: { name: 'prices.json' },
        body: {
          'gpt-4o': {
            litellm_provider: 'openai',
            mode: 'chat',
            input_cost_per_token: 0.0000025,
            output_cost_per_token: 0.00001,
          },
        },
      },
    },
  },
};
