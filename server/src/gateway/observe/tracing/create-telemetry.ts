import type { Logger } from '../../../platform/observability/logger.js';
import type { Metrics } from '../../../platform/observability/metrics.js';
import { GenAiMetrics } from '../../../platform/observability/otlp/gen-ai-metrics.js';
import { OtlpExporter } from '../../../platform/observability/otlp/otlp-exporter.js';
import type { OtlpSettings } from '../../../platform/observability/otlp/otlp-settings.js';
import { version } from '../../../shared/version.js';
import type { TracingDeps } from './call-trace.js';
import { Tracing } from './tracing.js';

/** The tracing of calls and the exporter behind it. */
export function createTelemetry(
  settings: OtlpSettings,
  metrics: Metrics,
  logger: Logger,
  options: TracingDeps['options'],
): { readonly tracing: Tracing; readonly exporter: OtlpExporter } {
  const genAi = new GenAiMetrics();
  const exporter = new OtlpExporter({ settings, metrics, genAi, logger, version });
  return { exporter, tracing: new Tracing({ settings, exporter, genAi, metrics, options }) };
}
