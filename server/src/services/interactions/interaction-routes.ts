import { relayRoute, type RelayRoute, type ServeCall } from '../relay-route.js';
import { anything, flag, input, list, model, open, stream, text } from '../relay-shapes.js';
import { interactionsEndpoint } from './interactions-endpoint.js';

const response = open({ id: text, status: text }, { model: text, steps: list, usage: anything });
const ofStored = {
  path: { id: text.describe('Id of the interaction') },
  example: { path: { id: 'none' } },
  withoutHead: true,
} as const;
const asks: ServeCall = ({ interactions }, call, request) => interactions.serve(call, request);

/** Google's Interactions, and those that Google stores. */
export const interactionRoutes: ReadonlyArray<RelayRoute<ServeCall>> = [
  relayRoute<ServeCall>(
    'POST /v1beta/interactions',
    ({ relay }, { incoming, client }) => relay.serve(interactionsEndpoint, incoming, client),
    {
      summary: 'Interaction, in the dialect of Google',
      body: open(
        { model, input },
        {
          previous_interaction_id: text,
          system_instruction: text,
          store: flag,
          stream,
          tools: list,
          generation_config: anything,
        },
      ),
      response,
      streams: true,
      example: { body: { model: 'gpt-4o', input: 'Say hello' } },
    },
  ),
  relayRoute('GET /v1beta/interactions/:id', asks, { summary: 'A stored interaction', response, ...ofStored }),
  relayRoute('DELETE /v1beta/interactions/:id', asks, {
    summary: 'Delete a stored interaction',
    response: open({}, {}),
    ...ofStored,
  }),
  relayRoute('POST /v1beta/interactions/:id/cancel', asks, {
    summary: 'Cancel an interaction that is running',
    response,
    ...ofStored,
  }),
];
