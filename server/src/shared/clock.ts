/** Time as a dependency, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = Date;

/**
 * Returns the beginning of a second. A moment that the REST API shows and reads back is a whole second, so that a form does
 * not change it.
 */
export const wholeSecond = (milliseconds: number): Date => dateOf(unixSecond(milliseconds));

/** Returns the moment rounded up to a second, for a bound that must not become earlier. */
export const ceilSecond = (moment: Date): Date => dateOf(Math.ceil(moment.getTime() / 1000));

/** @param unixSeconds of the REST API */
export const dateOf = (unixSeconds: number): Date => new Date(unixSeconds * 1000);

/** @param unixSeconds 0 stands for no moment */
export const dateOrNull = (unixSeconds: number): Date | null => (unixSeconds > 0 ? dateOf(unixSeconds) : null);

/** @param milliseconds since 1970 */
export const unixSecond = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const unixSeconds = (moment: Date): number => unixSecond(moment.getTime());

/** Returns Unix seconds of the REST API, where 0 stands for no moment. */
export const secondsOrZero = (moment: Date | null | undefined): number => (moment ? unixSeconds(moment) : 0);

/** Returns the milliseconds of a duration in seconds. */
export const millisecondsIn = (seconds: number): number => seconds * 1000;

/** Returns a duration in seconds, the unit of settings and of the REST API. */
export const secondsIn = (milliseconds: number): number => milliseconds / 1000;

/** Returns Unix seconds, the unit of the REST API (docs/reference/rest/conventions.md#data-types). */
export const seconds = (clock: Clock): number => unixSecond(clock.now());
