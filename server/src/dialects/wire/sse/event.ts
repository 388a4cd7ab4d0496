/** One server-sent event. */
export interface ServerEvent {
  /** `event:` field, empty when absent. */
  readonly type: string;
  /** `data:` lines joined with newlines. */
  readonly data: string;
}
