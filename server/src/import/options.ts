import type { Decisions } from './map/mapped.js';
import type { SourceAddress } from './source/address.js';

/** The log rows that are imported. */
export type LogChoice = 'all' | 'none' | { readonly days: number };

export interface ImportOptions {
  readonly source: SourceAddress;
  /** The database of the log, if the log has a database of its own. */
  readonly logSource: SourceAddress | null;
  /** The database of LiteLLM with its virtual keys, in addition to a `config.yaml`. */
  readonly keysSource?: SourceAddress | null;
  /** Environment variables that a `config.yaml` names. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly logs: LogChoice;
  readonly decisions: Decisions;
  /** Whether a dry run sends a test call over each enabled channel. */
  readonly probe?: boolean;
  /** The user who started the run in the console; 0 for the command. */
  readonly startedBy: number;
  /** `OUTBOUND_ALLOW` of the site. Absent for the command, whose user has a shell. */
  readonly outboundAllow?: readonly string[];
  /** Name of the source in reports, for sources whose address does not identify them. The default is the address. */
  readonly name?: string;
  /** Unix seconds. */
  readonly now: number;
}

/** @returns null for anything but `all`, `none` and a number of days such as `30d` */
export function parseLogChoice(text: string): LogChoice | null {
  if (text === 'all' || text === 'none') return text;
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  return days === undefined ? null : { days: Number(days) };
}
