import { pino, type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger } from 'pino';
import { describeError, maskCredentials, redactFields } from './redact.js';

export type { Logger } from 'pino';

type MakeChild = (this: Logger, bindings: Bindings, options?: ChildLoggerOptions) => Logger;

/**
 * Writes one JSON object per line to standard output. Secret fields are removed by name and credentials by shape.
 * Message content is never logged.
 * @param destination where lines go instead (tests)
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const output = destination ?? pino.destination({ dest: 1, sync: false });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
      serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
    },
    { write: (line: string) => output.write(maskCredentials(line)) },
  );
  // The fields that a child adds appear in all of its lines and bypass the formatters. Children inherit this method.
  const { child: makeChild } = logger as unknown as { child: MakeChild };
  const redactingChild: MakeChild = function (bindings, options) {
    return makeChild.call(this, redactFields(bindings) as Bindings, options);
  };
  return Object.assign(logger, { child: redactingChild });
}
