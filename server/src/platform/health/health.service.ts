export interface HealthCheck {
  readonly name: string;
  /** Whether the node cannot serve calls without the dependency. False: the check is only reported. */
  readonly required: boolean;
  /** Resolves when the dependency works. A rejection or a timeout means that it does not. */
  check(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Record<string, boolean>;
}

/** Whether this node can serve calls now. Always resolves within its timeout, because load balancers wait for it. */
export class HealthService {
  private stopping = false;

  constructor(
    private readonly checks: readonly HealthCheck[],
    private readonly timeoutMilliseconds = 2000,
  ) {}

  /** Makes this node not ready, so that load balancers stop sending calls while running ones finish. */
  beginStop(): void {
    this.stopping = true;
  }

  /** Returns whether the node is ready: it is not stopping, and every required dependency responds in time. */
  async readiness(): Promise<Readiness> {
    const results = await Promise.all(this.checks.map(async (check) => ({ check, works: await this.works(check) })));
    const checks = Object.fromEntries(results.map(({ check, works }) => [check.name, works]));
    if (this.stopping) checks.stopping = false;
    return { ready: !this.stopping && results.every(({ check, works }) => works || !check.required), checks };
  }

  private async works(part: HealthCheck): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.timeoutMilliseconds);
    });
    try {
      return await Promise.race([part.check().then(() => true), late]);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
