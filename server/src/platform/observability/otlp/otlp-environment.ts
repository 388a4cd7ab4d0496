import { z } from 'zod';
import { flag, httpAddress, list, whole } from '../../../shared/environment-values.js';

/** The standard variables of OpenTelemetry that the server reads. */
export const otlpEnvironment = {
  OTEL_SDK_DISABLED: flag(false),
  OTEL_SERVICE_NAME: z.string().trim().min(1).default('tollgate'),
  OTEL_RESOURCE_ATTRIBUTES: z.string().default(''),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().default(''),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().default(''),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: z.string().default(''),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', { error: 'must be http/json' }).default('http/json'),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['none', 'gzip']).default('none'),
  OTEL_EXPORTER_OTLP_TIMEOUT: whole(10_000, 100, 600_000),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: 'must be a number' }).min(0).max(1).default(1),
  OTEL_PROPAGATORS: list,
  OTEL_BSP_MAX_QUEUE_SIZE: whole(2048, 1, 100_000),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(512, 1, 10_000),
  OTEL_BSP_SCHEDULE_DELAY: whole(5000, 10, 600_000),
  OTEL_METRIC_EXPORT_INTERVAL: whole(60_000, 100, 3_600_000),
};
