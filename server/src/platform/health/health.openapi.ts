import { z } from 'zod';
import type { ApiSection } from '../http/openapi/operation.js';

/** Checks and metrics for machines. */
export const healthSection: ApiSection = {
  name: 'Health',
  description: 'For load balancers and Prometheus.',
  operations: {
    'GET /healthz': {
      summary: 'The process responds',
      role: 'anonymous',
      response: z.object({ status: z.literal('ok') }),
      example: {},
    },
    'GET /readyz': {
      summary: 'The server can serve calls; 503 when it cannot',
      role: 'anonymous',
      response: z.object({ status: z.string(), checks: z.unknown() }),
      also: { 503: 'It cannot serve calls' },
      example: {},
    },
    'GET /metrics': {
      summary: 'Metrics in the text format of Prometheus',
      description: 'From this machine only, unless `METRICS_TOKEN` is set: then with it as a bearer token.',
      role: 'anonymous',
      media: 'text/plain',
      also: { 401: 'From another machine without the token' },
      example: {},
    },
  },
};
