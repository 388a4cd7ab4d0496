/** Time as a dependency, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = Date;

/** Returns Unix seconds, the unit of the REST API (docs/reference/rest/conventions.md#data-types). */
export const seconds = (clock: Clock): number => Math.floor(clock.now() / 1000);
